"""Types of the seed language."""

from dataclasses import dataclass, replace
from typing import Literal

Kind = Literal[
    "text",
    "integer",
    "decimal",
    "money",
    "bool",
    "date",
    "time",
    "datetime",
    "duration",
    "enum",
    "row",
    "list",
    "map",
    "struct",
    "record",
    "none",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Type:
    """One type. `optional` means that None is allowed too.

    Attributes:
        kind: What it is. `none` is the type of the constant None alone; `record` is a dict display with fixed keys.
        name: Name of the enum or struct; empty for all others.
        entities: For `row`: the entities that a value may belong to, in order of declaration (two for `ref: [A, B]`).
        places: Decimal places of a decimal; money always has 2.
        item: Element type of a list (tuples are lists), value type of a map (keys are text).
        fields: Key and type of each entry of a record, in order.
    """

    kind: Kind
    optional: bool = False
    name: str = ""
    entities: tuple[str, ...] = ()
    places: int = 0
    item: "Type | None" = None
    fields: "tuple[tuple[str, Type], ...]" = ()

    def required(self) -> "Type":
        """The same type without None."""
        return replace(self, optional=False)

    def or_none(self) -> "Type":
        """The same type with None."""
        return replace(self, optional=True)


TEXT = Type(kind="text")
INTEGER = Type(kind="integer")
MONEY = Type(kind="money", places=2)
BOOL = Type(kind="bool")
DATE = Type(kind="date")
TIME = Type(kind="time")
DATETIME = Type(kind="datetime")
DURATION = Type(kind="duration")
NONE = Type(kind="none", optional=True)


def row(*entities: str) -> Type:
    """The type of a row of one of these entities."""
    return Type(kind="row", entities=entities)


def list_of(item: Type) -> Type:
    """The type of a list of `item`."""
    return Type(kind="list", item=item)
