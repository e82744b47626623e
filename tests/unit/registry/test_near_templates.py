"""A template made from another one that differs in a few rows is the one made from all rows."""

import pytest

from registry.catalogue import open_folder
from registry.episode import LocalEpisode
from registry.package.errors import PackageError
from registry.template import build_template, near_template
from tests.unit.registry.small_package import write_package


@pytest.fixture(scope="module")
def environment(tmp_path_factory):
    return open_folder(write_package(tmp_path_factory.mktemp("package")))


def start_of(environment):
    rows = {(table, row["id"]): row for table, row in LocalEpisode(environment).snapshot()}
    return rows, build_template(environment.meta, environment.schema, [(table, row) for (table, _), row in rows.items()], "start")


def test_changed_added_and_removed_rows_give_what_all_rows_give(environment):
    rows, start = start_of(environment)
    table, key = next(place for place in rows if place[0] == "Owner")
    note = next(place for place in rows if place[0] != "Owner")
    added = key + "9"
    patch = [(table, key, {**rows[table, key], "name": "Ada"}), (table, added, {**rows[table, key], "id": added}), (*note, None)]
    near = near_template(environment.meta, start, patch, "near")
    left = {**rows, (table, key): patch[0][2], (table, added): patch[1][2]}
    del left[note]
    whole = build_template(environment.meta, environment.schema, [(name, row) for (name, _), row in left.items()], "whole")
    assert (near.digest, near.maxima) == (whole.digest, whole.maxima)
    assert {name: list(table.rows.items()) for name, table in near.tables.items()} == {
        name: list(table.rows.items()) for name, table in whole.tables.items()
    }
    assert LocalEpisode(environment, template=near).snapshot() == LocalEpisode(environment, template=whole).snapshot()
    assert start.digest == start_of(environment)[1].digest != near.digest


def test_a_row_that_does_not_fit_the_schema_is_refused(environment):
    rows, start = start_of(environment)
    (table, key), row = next((place, row) for place, row in rows.items() if place[0] == "Owner")
    with pytest.raises(PackageError, match="expected rows that fit schema"):
        near_template(environment.meta, start, [(table, key, {**row, "name": None})], "near")
