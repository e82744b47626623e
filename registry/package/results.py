"""Results of tools as JSON."""

import datetime as dt
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Generic, TypeVar

from registry.package.context import Json
from registry.package.kinds import whole_minutes
from registry.package.numbers import scaled
from registry.package.row import Row, Struct
from registry.package.searching import Page

R = TypeVar("R", bound=Row)


@dataclass(frozen=True, slots=True)
class Detail(Generic[R]):
    """A row that is given back with its parts."""

    row: R


@dataclass(frozen=True, slots=True)
class Done:
    """Result of a tool that gives nothing back."""


DONE = Done()


def dump(value: object) -> Json:
    """The JSON object of a tool's result: a row as an object, a list under `items`, a record as it is, other values under `result`."""
    if isinstance(value, Row):
        return row_object(value)
    if isinstance(value, list | tuple):
        return {"items": [json_of(one) for one in value]}
    if isinstance(value, Page):
        return {"items": [row_object(one) for one in value.items], "total": value.total, "next_offset": value.next_offset}
    if isinstance(value, Detail):
        return _detail(value.row)
    if isinstance(value, Done):
        return {"ok": True}
    if isinstance(value, Mapping | Struct):
        return json_of(value)
    return {"result": json_of(value)}


def json_of(value: object, places: int = 4) -> Json:
    """JSON of a value inside a result; `places` are those of a fraction."""
    if value is None or isinstance(value, bool | int | str | float):
        return value
    if isinstance(value, Row):
        return row_object(value)
    if isinstance(value, Decimal):
        return float(value)
    if isinstance(value, Fraction):
        return scaled(value, places) / 10**places
    if isinstance(value, list | tuple):
        return [json_of(one, places) for one in value]
    if isinstance(value, Mapping):
        return {str(key): json_of(one, places) for key, one in value.items()}
    return _json_of_rare(value)


def _json_of_rare(value: object) -> Json:
    if isinstance(value, dt.datetime | dt.time):
        return value.isoformat(timespec="seconds")
    if isinstance(value, dt.date):
        return value.isoformat()
    if isinstance(value, dt.timedelta):
        return whole_minutes(value)
    if isinstance(value, Struct):
        given = {name: (kind, getattr(value, name)) for name, kind in value.KINDS.items()}
        return {name: None if one is None else kind.json(kind.encode(one)) for name, (kind, one) in given.items()}
    raise TypeError(f"a result holds a {type(value).__name__}")


def row_object(row: Row) -> Json:
    """A row as a JSON object: id, stored columns, ids of links, computed fields."""
    table = row._ctx.schema.tables[type(row)]
    values = row._values()
    if table.wire is not None:
        made: dict[str, Json] = dict(zip(table.wire, values, strict=True))
        for name, index, change in table.changes:
            if values[index] is not None:
                made[name] = change(values[index])
    else:
        made = {"id": row.id, **{name: convert(values) for name, convert in table.json}}
    for name, links in table.links.items():
        made[f"{name}_ids"] = row._ctx.linked(links, row.id)
    for name, always in table.always.items():
        made[name] = json_of(always.compute(row), always.places)
    return made


def _detail(row: Row) -> Json:
    made = row_object(row)
    table = row._ctx.schema.tables[type(row)]
    for name, many in table.many.items():
        column = row._ctx.schema.tables[many.target].fields[many.field]
        if column.options.get("part"):
            made[name] = [row_object(one) for one in getattr(row, name)]
    return made
