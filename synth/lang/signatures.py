"""Matches types of arguments against the notation of the table of functions."""

from functools import cache

from synth.lang.rules import MOMENTS, NUMBERS, fits, is_unknown, join
from synth.lang.types import Type

Bound = dict[str, Type]
VARIABLES = ("T", "N", "M", "S")


def accepts(notation: str, kind: Type, bound: Bound | None = None) -> bool:
    """Whether a type is one that the notation allows; variables are bound, and widened, in `bound`."""
    if is_unknown(kind):
        return True
    return any(_accepts_one(one, kind, bound if bound is not None else {}) for one in _choices(notation))


@cache
def _choices(notation: str) -> tuple[str, ...]:
    return tuple(notation.split("|"))


def _accepts_one(notation: str, kind: Type, bound: Bound) -> bool:
    if kind.optional:
        return False
    outer, _, inner = notation.partition("[")
    if inner:
        if kind.kind != outer:
            return outer == "list" and kind.kind == "record" and _tuple(inner.removesuffix("]"), kind, bound)
        return kind.item is None or is_unknown(kind.item) or _accepts_item(inner.removesuffix("]"), kind.item, bound)
    return _accepts_plain(notation, kind, bound)


def _accepts_item(notation: str, item: Type, bound: Bound) -> bool:
    if notation in VARIABLES:
        return _bind(notation, item, bound)
    return _accepts_one(notation, item, bound)


def _tuple(notation: str, kind: Type, bound: Bound) -> bool:
    """A tuple of unlike values is no list of one type."""
    return all(_accepts_item(notation, item, bound) for _, item in kind.fields)


def _accepts_plain(notation: str, kind: Type, bound: Bound) -> bool:
    if notation in VARIABLES:
        return _bind(notation, kind, bound)
    if notation == "number":
        return kind.kind in NUMBERS
    if notation == "moment":
        return kind.kind in MOMENTS
    if notation == "text":
        return kind.kind in ("text", "enum")
    return kind.kind == notation


def _bind(variable: str, kind: Type, bound: Bound) -> bool:
    before = bound.get(variable)
    if before is None:
        bound[variable] = kind
        return True
    common = join(before, kind)
    if common is None:
        return fits(kind, before)
    bound[variable] = common
    return True


def result(notation: str, bound: Bound) -> Type | None:
    """The type that a notation stands for, with variables replaced; None where a variable was not bound (an empty list)."""
    if notation.endswith("?"):
        inner = result(notation[:-1], bound)
        return inner.or_none() if inner is not None else None
    _, _, inside = notation.partition("[")
    if inside:
        return Type(kind="list", item=result(inside.removesuffix("]"), bound))
    if notation in VARIABLES:
        return bound.get(notation)
    return _PLAIN[notation]


_PLAIN: dict[str, Type] = {
    "text": Type(kind="text"),
    "integer": Type(kind="integer"),
    "bool": Type(kind="bool"),
    "date": Type(kind="date"),
    "time": Type(kind="time"),
    "datetime": Type(kind="datetime"),
    "duration": Type(kind="duration"),
    "money": Type(kind="money", places=2),
    "decimal": Type(kind="decimal", places=4),
}
