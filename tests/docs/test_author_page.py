"""The figures of docs/author.md are those of the prompts, the seeds and the lists of tasks; seeds that change a little need no new page."""

from tests.docs import author_page

TABLES = author_page.PAGE.read_text(encoding="utf-8")


def rows(table):
    return author_page.table(f"<!-- x: written by `make docs` -->\n\n{table}\n\n<!-- end -->", "x")


def number(cell):
    return int(cell.replace(",", ""))


def percent(cell):
    return [int(one.strip().rstrip("%")) for one in cell.split(";")]


def test_what_a_domain_costs_is_told_as_it_is_estimated():
    told, found = author_page.table(TABLES, "cost"), rows(author_page.cost())

    assert [one[0] for one in told] == [one[0] for one in found], "run make docs"
    for one, other in zip(told, found, strict=True):
        assert abs(number(one[1]) - number(other[1])) <= 100 + number(other[1]) / 10, f"{one[0]}: run make docs"
    assert number(told[-1][1]) < 30_000


def test_all_ten_lists_are_told_with_the_names_of_their_domains_and_the_share_that_can_be_expressed():
    told, found = author_page.table(TABLES, "mined"), rows(author_page.shares())

    assert len(told) == 10
    for one, other in zip(told, found, strict=True):
        assert one[:4] == other[:4], "run make docs"
        shares = zip(percent(one[5]) + percent(one[6]), percent(other[5]) + percent(other[6]), strict=True)
        assert all(abs(mine - theirs) <= 15 for mine, theirs in shares), f"{one[0]}: run make docs"
