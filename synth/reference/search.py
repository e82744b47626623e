"""Derived searches: filters, order, pages."""

import datetime as dt
from collections.abc import Callable, Mapping
from typing import Any

from synth.lang.domain import Filter, Search
from synth.reference.evaluate import Expressions
from synth.reference.result import Results
from synth.reference.run import Run
from synth.reference.state import Ref
from synth.reference.values import UNSET

LIMIT = 20
MOST = 50


PAGING = {"limit": (1, MOST), "offset": (0, 1_000_000)}
"""Parameters that every search has beside its filters, with the least and the greatest value."""

Matches = Callable[[Any, Any], bool]

_MODES: dict[str, Matches] = {
    "equal": lambda held, wanted: held == wanted,
    "contains": lambda held, wanted: wanted.lower() in held.lower(),
    "from": lambda held, wanted: held >= wanted,
    "to": lambda held, wanted: held <= wanted,
    "has": lambda held, wanted: wanted in held,
}


class Searches:
    """Makes the functions that answer derived searches."""

    def __init__(self, expressions: Expressions, results: Results) -> None:
        self._expressions = expressions
        self._results = results

    def make(self, search: Search) -> Callable[[Run, Mapping[str, Any]], dict[str, Any]]:
        """The function that answers one search, from values of parameters."""
        entity = self._expressions.tables.entities[search.entity]
        filters = [(one.param, one.field, self._filter(search.entity, one)) for one in search.filters]
        order = [self._sort(search.entity, name) for name in reversed(search.sort)]

        def find(run: Run, values: Mapping[str, Any]) -> dict[str, Any]:
            asked = [(field, prepare(values[name])) for name, field, prepare in filters if values.get(name) not in (UNSET, None)]
            hides = entity.archive and all(field != "archived" for field, _ in asked)
            found = run.state.refs(entity.name, "", None, archive=hides)
            for _, matches in asked:
                found = [ref for ref in found if matches(run, ref)]
            for key, backwards in order:
                found.sort(key=lambda ref, key=key: key(run, ref), reverse=backwards)  # type: ignore[misc]
            return self._page(run, found, values)

        return find

    def _filter(self, entity: str, one: Filter) -> Callable[[Any], Callable[[Run, Ref], bool]]:
        """Makes, for a value asked for, the test of a row."""
        mode, field = _MODES[one.mode], self._expressions.tables.fields[entity].get(one.field)
        simple = field is not None and field.role == "value" and field.type.kind in ("text", "enum", "integer", "date", "datetime", "bool")
        if field is not None and field.role == "reference":
            return _column_equals(field.columns[0].name)
        if field is not None and simple and one.mode == "equal":
            return _column_equals(field.columns[0].name)
        read = self._read(entity, one.field)

        def prepare(wanted: Any) -> Callable[[Run, Ref], bool]:
            def matches(run: Run, ref: Ref) -> bool:
                held = read(run, ref)
                return held is not None and mode(held, wanted)

            return matches

        return prepare

    def _read(self, entity: str, field: str) -> Callable[[Run, Ref], Any]:
        return self._expressions.fields.field(entity, field) if field != "id" else lambda _, ref: ref.key

    def _sort(self, entity: str, name: str) -> tuple[Callable[[Run, Ref], Any], bool]:
        field = name.lstrip("-")
        read = self._read(entity, field)
        rank = self._expressions.rank(self._expressions.tables.fields[entity][field].type, None) if field != "id" else None

        def key(run: Run, ref: Ref) -> tuple[bool, Any]:
            value = read(run, ref)
            return (False, 0) if value is None else (True, rank(value) if rank else value)

        return key, name.startswith("-")

    def _page(self, run: Run, found: list[Ref], values: Mapping[str, Any]) -> dict[str, Any]:
        offset, limit = _number(values.get("offset"), 0), _number(values.get("limit"), LIMIT)
        after = offset + limit
        return {
            "items": [self._results.row(run, ref) for ref in found[offset:after]],
            "total": len(found),
            "next_offset": after if after < len(found) else None,
        }


def _column_equals(column: str) -> Callable[[Any], Callable[[Run, Ref], bool]]:
    """The test of a column whose stored form tells equality, without decoding."""

    def prepare(wanted: Any) -> Callable[[Run, Ref], bool]:
        stored = wanted.key if isinstance(wanted, Ref) else int(wanted) if isinstance(wanted, bool) else wanted
        if isinstance(stored, dt.datetime):
            stored = stored.isoformat(timespec="seconds")
        elif isinstance(stored, dt.date):
            stored = stored.isoformat()
        return lambda run, ref: run.row(ref)[column] == stored

    return prepare


def _number(value: Any, otherwise: int) -> int:
    return value if isinstance(value, int) else otherwise
