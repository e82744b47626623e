"""What the scorer knows of tables: match classes, references, declared facts."""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from registry.package.change import MatchClass, RowChange, Stored
from registry.package.compound import parts
from registry.package.errors import PackageError
from registry.package.meta import ColumnMeta, Meta

Facts = tuple[tuple[str, ...], ...]
"""Groups of synonyms; each group is one fact."""

Seen = dict[str, tuple[Stored, Stored]]
"""Column to what it held before and holds after."""

_SYMBOL = re.compile(r"\$[0-9]+")


def is_symbol(key: object) -> bool:
    """Whether gold's key or reference stands for a row that the run creates: `$1`, or a compound key with such a part (`$1/TAG-01`)."""
    if not isinstance(key, str) or "$" not in key:
        return False
    found = parts(key)
    return any(is_symbol(part) for part in found) if len(found) > 1 else bool(_SYMBOL.fullmatch(key))


@dataclass(frozen=True, slots=True)
class Columns:
    """Look-ups over `meta.json` by table and column."""

    by_name: dict[tuple[str, str], ColumnMeta]
    facts: dict[str, Facts]

    @classmethod
    def of(cls, meta: Meta) -> "Columns":
        """The look-ups of one environment; those made last are kept, since most runs of a grader are of one environment."""
        held = _last.get("made")
        if held is None or held[0] is not meta:
            made = cls({(table.name, column.name): column for table in meta.tables for column in table.columns}, dict(meta.facts))
            held = _last["made"] = (meta, made)
        return held[1]

    def column(self, table: str, name: str) -> ColumnMeta:
        """The column; PackageError where meta does not know it, because changes and meta then belong to different packages."""
        try:
            return self.by_name[table, name]
        except KeyError:
            raise PackageError(f"{table}.{name}: expected a column that meta.json declares, got an unknown one. Rebuild the package.") from None

    def match(self, table: str, name: str) -> MatchClass:
        """The match class; it comes from meta, not from the change, so that gold and episode cannot disagree."""
        return self.column(table, name).match

    def declared(self, table: str, name: str) -> Facts:
        """All fact groups that values of this column may state."""
        return tuple(group for fact in self.column(table, name).facts for group in self.facts.get(fact, ()))

    def seen(self, change: RowChange) -> Seen:
        """Column to (before, after), exempt columns left out."""
        return {name: (value.before, value.after) for name, value in sorted(change.values.items()) if self.match(change.table, name) != "exempt"}

    def visible(self, changes: Iterable[RowChange]) -> tuple[RowChange, ...]:
        """The changes that count: a row updated only in exempt columns is unchanged."""
        kept = [change for change in changes if change.op != "update" or self.seen(change)]
        return tuple(sorted(kept, key=lambda change: (change.table, change.key)))


_last: dict[str, tuple[Meta, Columns]] = {}
