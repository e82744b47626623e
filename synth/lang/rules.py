"""How types relate: what fits where, what two branches have in common, how a type is called in a message."""

from dataclasses import replace
from itertools import zip_longest

from synth.lang.types import NONE, Type

UNKNOWN = Type(kind="none", name="?")
"""The type of an expression that is wrong: it fits everywhere, so that one mistake is reported once."""

NUMBERS = ("integer", "decimal", "money")
MOMENTS = ("date", "datetime")
ORDERED = (*NUMBERS, "date", "time", "datetime", "duration", "enum", "text")
SCALARS = ("text", "integer", "decimal", "money", "bool", "date", "time", "datetime", "duration", "enum")
QUOTIENT_PLACES = 4

_WIDER = {"integer": ("integer", "decimal", "money"), "decimal": ("decimal", "money"), "money": ("money", "decimal"), "enum": ("enum", "text")}


def is_unknown(one: Type) -> bool:
    """Whether this is the type of something that was reported already."""
    return one.kind == "none" and one.name == "?"


def fits(got: Type, want: Type) -> bool:
    """Whether a value of type `got` may stand where `want` is wanted."""
    if is_unknown(got) or is_unknown(want):
        return True
    if got.kind == "none":
        return want.optional
    if got.optional and not want.optional:
        return False
    return _fits_inside(got, want)


def _fits_inside(got: Type, want: Type) -> bool:
    """The same without regard to None."""
    if got.kind != want.kind:
        if got.kind == "record" and want.kind == "list":
            return is_tuple(got) and want.item is not None and all(fits(one, want.item) for _, one in got.fields)
        return want.kind in _WIDER.get(got.kind, ())
    if got.kind in ("enum", "struct"):
        return got.name == want.name
    if got.kind == "row":
        return set(got.entities) <= set(want.entities)
    if got.kind in ("list", "map"):
        return got.item is None or want.item is None or fits(got.item, want.item)
    if got.kind == "record":
        return all(a and b and a[0] == b[0] and fits(a[1], b[1]) for a, b in zip_longest(got.fields, want.fields))
    return True


def join(one: Type, other: Type) -> Type | None:
    """The type of a value that is one or the other; None when they have nothing in common."""
    if is_unknown(one) or is_unknown(other):
        return UNKNOWN
    optional = one.optional or other.optional
    if one.kind == "none":
        return other.or_none()
    if other.kind == "none":
        return one.or_none()
    for a, b in ((one, other), (other, one)):
        if fits(a.required(), b.required()):
            return _wider(a, b, optional=optional)
    if one.kind == "row" and other.kind == "row":
        return Type(kind="row", entities=tuple(dict.fromkeys((*one.entities, *other.entities))), optional=optional)
    return None


def _wider(narrow: Type, wide: Type, *, optional: bool) -> Type:
    """`wide`, with the greater number of decimal places and an element type where one of them has none."""
    if narrow.kind == wide.kind and wide.kind in ("list", "map") and wide.item is None:
        wide = narrow
    places = max(narrow.places, wide.places) if wide.kind == "decimal" else wide.places
    return replace(wide, places=places, optional=optional)


def is_tuple(one: Type) -> bool:
    """Whether a record is what zip or a display of unlike values gives: keys `0`, `1`, …."""
    return one.kind == "record" and all(key.isdigit() for key, _ in one.fields)


def tuple_of(*items: Type) -> Type:
    """The type of a tuple of unlike values."""
    return Type(kind="record", fields=tuple((str(number), item) for number, item in enumerate(items)))


def decimal(places: int) -> Type:
    """A decimal with so many places."""
    return Type(kind="decimal", places=places)


def spoken(one: Type) -> str:
    """The type as messages call it."""
    if is_unknown(one):
        return "something"
    if one.kind == "none":
        return "None"
    return _spoken_inside(one) + (" or None" if one.optional else "")


def _spoken_inside(one: Type) -> str:
    if one.kind == "row":
        return "a row of " + " or ".join(one.entities)
    if one.kind in ("enum", "struct"):
        return f"{one.kind} {one.name}"
    if one.kind == "list":
        return "list" if one.item is None or is_unknown(one.item) else f"list of {spoken(one.item).removeprefix('a row of ')}"
    if one.kind == "map":
        return "map" if one.item is None else f"map of {spoken(one.item)}"
    if is_tuple(one):
        return "tuple of " + ", ".join(spoken(item) for _, item in one.fields)
    return one.kind


def sum_type(item: Type) -> Type | None:
    """The type of a total, None when such elements cannot be added."""
    return item if item.kind in (*NUMBERS, "duration") and not item.optional else None


def mean_type(item: Type) -> Type | None:
    """The type of a mean, or None."""
    if item.optional or item.kind not in NUMBERS:
        return None
    return (item if item.kind == "money" else decimal(max(QUOTIENT_PLACES, item.places))).or_none()


def arithmetic(op: str, left: Type, right: Type) -> Type | None:
    """The type of `left op right`, both not None; None when that cannot be."""
    if op in ("+", "-"):
        return _added(op, left, right)
    if op == "*":
        return _multiplied(left, right)
    if op == "/":
        return _divided(left, right)
    return _whole(op, left, right)


def _added(op: str, left: Type, right: Type) -> Type | None:
    if left.kind in NUMBERS and right.kind in NUMBERS:
        return join(left, right)
    if right.kind == "duration" and left.kind in ("date", "datetime", "duration"):
        return left
    if op == "-" and left.kind == right.kind and left.kind in MOMENTS:
        return Type(kind="duration")
    if op == "+" and left.kind == "duration" and right.kind in MOMENTS:
        return right
    if op == "+" and left.kind in ("text", "enum") and right.kind in ("text", "enum"):
        return Type(kind="text")
    return join(left, right) if op == "+" and left.kind == right.kind == "list" else None


def _multiplied(left: Type, right: Type) -> Type | None:
    kinds = {left.kind, right.kind}
    if kinds == {"duration", "integer"}:
        return Type(kind="duration")
    if left.kind not in NUMBERS or right.kind not in NUMBERS or (left.kind == right.kind == "money"):
        return None
    if "money" in kinds:
        return left if left.kind == "money" else right
    return Type(kind="integer") if kinds == {"integer"} else decimal(min(left.places + right.places, 8))


def _divided(left: Type, right: Type) -> Type | None:
    if left.kind == right.kind == "duration":
        return decimal(QUOTIENT_PLACES)
    if left.kind not in NUMBERS or right.kind not in NUMBERS:
        return None
    if left.kind == "money" and right.kind != "money":
        return left
    return None if right.kind == "money" and left.kind != "money" else decimal(QUOTIENT_PLACES)


def _whole(op: str, left: Type, right: Type) -> Type | None:
    numbers = left.kind in NUMBERS and right.kind in NUMBERS and (left.kind == "money") == (right.kind == "money")
    if not numbers and not left.kind == right.kind == "duration":
        return None
    return Type(kind="integer") if op == "//" else join(left, right)


NOTHING = NONE
"""Result of a tool or function without return."""
