"""Stored values as tools show them."""

import pytest

from registry.package.meta import ColumnMeta, TableMeta
from registry.package.stored_form import columns_of, shown_text

PET = TableMeta(
    name="Pet",
    plural="pets",
    id_kind="counter",
    columns=(
        ColumnMeta(name="id", kind="text", match="exact"),
        ColumnMeta(name="weight", kind="decimal", match="exact", places=1),
        ColumnMeta(name="fee", kind="money", match="exact", places=2),
        ColumnMeta(name="tame", kind="bool", match="exact"),
        ColumnMeta(name="age", kind="integer", match="exact"),
    ),
)
NOTE = TableMeta(name="Note", plural="notes", id_kind="counter", columns=PET.columns[:1])


def test_only_columns_whose_stored_form_is_another_are_told():
    told = {"Pet": {"weight": {"kind": "decimal", "places": 1}, "fee": {"kind": "money", "places": 2}, "tame": {"kind": "bool", "places": 0}}}

    assert columns_of([PET, NOTE]) == told
    assert columns_of([PET, NOTE], only=["Note"]) == {}


@pytest.mark.parametrize(
    ("column", "value", "shown"),
    [
        ("weight", 59, "5.9"),
        ("fee", 150, "1.50"),
        ("fee", 0, "0.00"),
        ("fee", -5, "-0.05"),
        ("tame", 1, "true"),
        ("age", 3, None),
        ("fee", None, None),
    ],
)
def test_a_value_is_shown_as_tools_show_it(column, value, shown):
    assert shown_text(value, columns_of([PET]), "Pet", column) == shown
