"""Row handles: what generated tools hold instead of copies of rows."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Literal

from registry.package.change import Stored
from registry.package.kinds import Kind

if TYPE_CHECKING:
    from registry.package.reading import Reader


@dataclass(frozen=True, slots=True, kw_only=True)
class About:
    """What a table needs to know beyond its columns.

    Attributes:
        plural: How several rows are called.
        id: Pattern of ids with a counter, such as `APT-{n:05}`; empty for other ways to make ids.
        per: Reference whose row has the counter.
        key: Fields whose stored values, joined as `compound.py` does, are the id.
        identity: How ids come about.
        archive: Rows are archived instead of deleted.
        unique: Groups of fields that no two rows share.
    """

    plural: str = ""
    id: str = ""
    per: str = ""
    key: tuple[str, ...] = ()
    identity: Literal["counter", "given", "key", "single"] = "counter"
    archive: bool = False
    unique: tuple[tuple[str, ...], ...] = ()


UNREAD = -1


class Row:
    """A handle on one row: equal to handles with the same id, frozen; reading an attribute gives the row's current state.

    It keeps the stored values that it read, with the version of the context at that moment: a write makes them old.

    Attributes:
        id: Key of the row.
    """

    __slots__ = ("_ctx", "_held", "_version", "id")

    _about: ClassVar[About] = About()
    _ctx: "Reader"
    _held: tuple[Stored, ...]
    _version: int
    id: str

    def __init__(self, ctx: "Reader", key: str) -> None:
        self._ctx = ctx
        self._version = UNREAD
        self.id = key

    def __eq__(self, other: object) -> bool:
        return other.__class__ is self.__class__ and other.id == self.id

    def __ne__(self, other: object) -> bool:
        return other.__class__ is not self.__class__ or other.id != self.id

    def __hash__(self) -> int:
        return hash(self.id)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.id!r})"

    def __str__(self) -> str:
        return self._called()

    def _values(self) -> tuple[Stored, ...]:
        """Stored values in the current state; LookupError if the row is gone."""
        ctx = self._ctx
        if self._version != ctx.version:
            self._held = ctx.load(self)
            self._version = ctx.version
        return self._held

    def _called(self) -> str:
        """How a person refers to this row; generated classes say it better."""
        return self.id


class Struct:
    """A group of scalar values that belong together; generated subclasses are frozen dataclasses."""

    __slots__ = ()

    KINDS: ClassVar[dict[str, Kind]] = {}
