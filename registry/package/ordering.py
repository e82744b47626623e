"""The order of rows in a search, over their stored form."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from registry.package.change import Stored

StoredRow = tuple[Stored, ...]


@dataclass(frozen=True, slots=True)
class OrderKey:
    """One part of an order.

    Attributes:
        place: Of the column in the stored row.
        descending: Whether the greatest comes first; None then comes last instead of first.
        ranks: Of the words of an enum, if they have an order of their own.
    """

    place: int
    descending: bool
    ranks: Mapping[Stored, int] | None = None

    def of(self, row: StoredRow) -> Any:
        """What rows are compared by; None before everything."""
        value = row[self.place]
        held = value if self.ranks is None else self.ranks.get(value)
        return (held is not None, held)


class Order:
    """An order, the id last; equal to itself alone, so that rows in this order can be kept under it."""

    __slots__ = ("keys",)

    def __init__(self, keys: Iterable[OrderKey]) -> None:
        self.keys = tuple(keys)

    def arranged(self, rows: Iterable[StoredRow]) -> list[StoredRow]:
        """The rows, which come in order of id, in this order."""
        listed = list(rows)
        for key in reversed(self.keys):
            listed.sort(key=key.of, reverse=key.descending)
        return listed
