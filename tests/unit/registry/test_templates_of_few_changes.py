"""A template made from another one is the same as one for which a database is filled anew."""

import random

import apsw
import pytest

from registry.catalogue import open_folder
from registry.package.errors import PackageError
from registry.template import build_template
from tests.unit.registry.small_package import write_package

UNIQUE = 'CREATE UNIQUE INDEX "Owner_name" ON "Owner" ("name");'


def _owner(number, name="Ada", plan="basic"):
    return ("Owner", {"id": f"OWN-{number}", "name": name, "plan": plan, "credit": number, "moved": 0})


def _note(owner, number, text="Hello."):
    return ("Note", {"id": f"OWN-{owner}-N{number}", "owner_id": f"OWN-{owner}", "text": text, "due": None, "made_at": "2026-03-02T09:00:00"})


def _all_of(template, environment):
    database = apsw.Connection(":memory:")
    database.deserialize("main", template.database)
    rows = [database.execute(f'SELECT * FROM "{table.name}" ORDER BY "id"').fetchall() for table in environment.meta.tables]
    tables = {name: list(table.rows.items()) for name, table in template.tables.items()}
    return rows, tables, template.maxima, template.digest, template.lines.digest({("Owner", "OWN-0"): None})


@pytest.mark.parametrize("seed", range(8))
def test_whatever_few_rows_are_put_in_taken_out_or_changed(tmp_path, seed):
    environment = open_folder(write_package(tmp_path))
    draw = random.Random(seed)
    start = [_owner(number, f"Name {number}") for number in range(40)] + [_note(number % 7, number) for number in range(60)]
    near = build_template(environment.meta, environment.schema, start, "near")
    rows = [row for row in start if draw.random() < 0.9]
    rows = [(table, {**row, "credit": draw.randrange(9)}) if table == "Owner" and draw.random() < 0.1 else (table, row) for table, row in rows]
    rows += [_owner(100 + number) for number in range(draw.randrange(4))] + [
        _note(draw.randrange(3), 200 + number) for number in range(draw.randrange(4))
    ]
    draw.shuffle(rows)
    made = build_template(environment.meta, environment.schema, rows, "made", near)
    assert made.shared
    assert _all_of(made, environment) == _all_of(build_template(environment.meta, environment.schema, rows, "anew"), environment)


def test_rows_may_take_each_others_unique_values(tmp_path):
    environment = open_folder(write_package(tmp_path))
    schema = environment.schema + UNIQUE
    near = build_template(environment.meta, schema, [_owner(1, "Ada"), _owner(2, "Ben")], "near")
    rows = [_owner(1, "Ben"), _owner(2, "Ada")]
    made = build_template(environment.meta, schema, rows, "made", near)
    assert made.shared
    assert _all_of(made, environment) == _all_of(build_template(environment.meta, schema, rows, "anew"), environment)


@pytest.mark.parametrize(
    "wrong",
    [
        ("Cat", {"id": "CAT-1"}),
        ("Owner", {"id": "OWN-9"}),
        ("Owner", {**_owner(9)[1], "more": 1}),
        ("Owner", {**_owner(9)[1], "credit": "much"}),
        _owner(1),
        _owner(9, "Ben"),
    ],
)
def test_rows_that_do_not_fit_are_refused_in_the_same_words(tmp_path, wrong):
    environment = open_folder(write_package(tmp_path))
    rows = [_owner(1), _owner(2, "Ben"), wrong]
    near = build_template(environment.meta, environment.schema + UNIQUE, rows[:2], "here")
    said = []
    for other in (None, near):
        with pytest.raises(PackageError) as refused:
            build_template(environment.meta, environment.schema + UNIQUE, rows, "here", other)
        said.append(str(refused.value))
    assert said[0] == said[1]


def test_where_much_differs_the_database_is_filled_anew(tmp_path):
    environment = open_folder(write_package(tmp_path))
    near = build_template(environment.meta, environment.schema, [], "near")
    assert not build_template(environment.meta, environment.schema, [_owner(number) for number in range(200)], "made", near).shared
