"""How the answer to a question is read off the results of gold's reads."""

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from registry.package.pack import TypedAnswer
from synth.lang.domain import Column, Domain
from synth.reference.values import fixed
from synth.tasks.draft import Reading, ReadingKind

CENTS = 2


def computed(values: Sequence[Fraction], way: ReadingKind, places: int) -> str | None:
    """Sum, average, greatest or least as it is submitted; None of nothing."""
    if not values:
        return None
    if way == "average":
        return fixed(sum(values, Fraction(0)) / len(values), CENTS)
    found = sum(values, Fraction(0)) if way == "sum" else max(values) if way == "max" else min(values)
    return fixed(found, places)


def places_of(column: Column) -> int:
    """How many places a number of the column has."""
    return CENTS if column.type.kind == "money" else column.type.places


def greatest(groups: Sequence[object]) -> str | None:
    """What comes up most often; None where two do, or where it is nothing."""
    first = Counter(groups).most_common(2)
    return str(first[0][0]) if first and first[0][0] is not None and lead(groups) else None


def lead(groups: Sequence[object]) -> int:
    """By how much the most frequent is ahead of the second."""
    counts = [count for _, count in Counter(groups).most_common(2)]
    return counts[0] - (counts[1] if len(counts) > 1 else 0) if counts else 0


def read_answer(domain: Domain, results: Sequence[Any], reading: Reading, like: TypedAnswer) -> TypedAnswer | None:
    """The answer that the results show, in the form of `like`; None where they show none."""
    if reading.what in ("field", "length", "first"):
        found = consulted(results[reading.call], reading.what, reading.column)
        said = None if found is None else f"{found:.2f}" if like.kind == "money" else str(found)
        return None if said is None else _like(like, said)
    value = _value(domain, results, reading) if reading.what == "value" else _over_pages(domain, results, reading)
    return None if value is None else _like(like, value)


def _like(like: TypedAnswer, value: str) -> TypedAnswer:
    """The answer with another value, called as the one before was."""
    if like.kind == "text" and like.facts:
        called = tuple(word.replace(like.value, value) for word in like.facts[0])
        return like.model_copy(update={"value": value, "facts": (called,)})
    return like.model_copy(update={"value": value})


def consulted(result: Any, what: str, name: str) -> Any:
    """A figure of a record (of a list in it, how long it is), how long a list is, the first of it; None where there is none."""
    if what == "field":
        found = result.get(name)
        return len(found) if isinstance(found, list) else found
    items = result["items"]
    return len(items) if what == "length" else items[0] if items else None


def _column(domain: Domain, reading: Reading) -> Column:
    return next(one for field in domain.entity(reading.entity).fields for one in field.columns if one.name == reading.column)


def _value(domain: Domain, results: Sequence[Any], reading: Reading) -> str | None:
    column = _column(domain, reading)
    row = next((item for item in _rows(results[reading.call]) if item.get("id") == reading.key), None)
    if row is None or row.get(reading.column) is None:
        return None
    value = row[reading.column]
    return fixed(Fraction(str(value)), places_of(column)) if column.type.kind in ("money", "decimal", "integer") else str(value)


def _over_pages(domain: Domain, results: Sequence[Any], reading: Reading) -> str | None:
    pages = _pages(results, reading.call)
    if pages[-1]["next_offset"] is not None:
        return None
    items = [item for page in pages for item in page["items"]]
    if reading.what == "count":
        return str(len(items))
    column = _column(domain, reading)
    if reading.what != "most":
        return computed([Fraction(str(item[reading.column])) for item in items], reading.what, places_of(column))
    group = greatest([item[reading.column] for item in items])
    if group is None or not column.references:
        return group
    shown = (item for result in results[reading.call :] for item in _rows(result))
    return next((str(item[reading.key]) for item in shown if item.get("id") == group), None)


def _rows(result: Any) -> list[Any]:
    if "items" in result:
        return list(result["items"])
    return [result, *(one for value in result.values() if isinstance(value, list) for one in value if isinstance(one, dict))]


def _pages(results: Sequence[Any], first: int) -> list[Any]:
    pages = [results[first]]
    while pages[-1]["next_offset"] is not None and first + len(pages) < len(results) and "next_offset" in results[first + len(pages)]:
        pages.append(results[first + len(pages)])
    return pages
