"""Row handles: what generated tools hold instead of copies of rows."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self

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


class _Gone(tuple[Stored, ...]):
    """Stands for the values of a row that does not exist."""

    __slots__ = ()

    def __getitem__(self, at: Any) -> Any:
        raise LookupError("a row that is read does not exist")


GONE = _Gone()


class Row:
    """A handle on one row: there is one for each row in a context, frozen; reading an attribute gives the row's current state.

    It holds the row's stored values, and the context that made it sees to it that they are the current ones.

    Args:
        ctx: What reads.
        key: Id of the row, which may not exist.

    Attributes:
        id: Key of the row.
    """

    __slots__ = ("_ctx", "_held", "id")

    _about: ClassVar[About] = About()
    _ctx: "Reader"
    _held: tuple[Stored, ...]
    id: str

    def __new__(cls, ctx: "Reader", key: str) -> Self:
        """The handle on this row."""
        return ctx.handle(cls, key)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.id!r})"

    def __str__(self) -> str:
        return self._called()

    def _values(self) -> tuple[Stored, ...]:
        """Stored values in the current state; LookupError if the row is gone."""
        if self._held is GONE:
            raise LookupError(f"{self!r} does not exist")
        return self._held

    def _called(self) -> str:
        """How a person refers to this row; generated classes say it better."""
        return self.id


class Struct:
    """A group of scalar values that belong together; generated subclasses are frozen dataclasses."""

    __slots__ = ()

    KINDS: ClassVar[dict[str, Kind]] = {}
