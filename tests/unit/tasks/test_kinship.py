"""Which rows belong together: by references, and by links."""

from synth.reference.interpret import reference
from synth.seed.read import read_seed
from synth.tasks.rows.kinship import Kinship
from tests.seeds import path_of


def test_a_row_of_links_belongs_to_both_rows_that_it_joins():
    domain = read_seed(path_of("college_enrolment"))
    link = reference(domain).tables.links["Course", "requires"]
    course = {column.name: None for column in reference(domain).tables.columns["Course"]}
    joined = {"id": "CRS-1 CRS-2", link.own: "CRS-1", link.target: "CRS-2"}
    state = reference(domain).state([("Course", {"id": "CRS-1", **course}), ("Course", {"id": "CRS-2", **course}), (link.table, joined)])

    assert Kinship(domain, state).of(link.table, "CRS-1 CRS-2") == {(link.table, "CRS-1 CRS-2"), ("Course", "CRS-1"), ("Course", "CRS-2")}
