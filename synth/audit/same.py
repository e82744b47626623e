"""Whether two runs came to literally the same: same rows after renaming generated ids, texts compared exactly."""

from collections.abc import Iterable, Mapping

from registry.package.change import RowChange, Stored
from registry.package.compound import renamed
from registry.package.meta import Meta
from registry.score.columns import Columns

ROUNDS = 4
Rows = tuple[tuple[str, str, str, tuple[tuple[str, str], ...]], ...]


def canonical_rows(meta: Meta, changes: Iterable[RowChange]) -> Rows:
    """The changes with each generated id replaced by what its row holds; columns that no score sees are left out."""
    columns = Columns.of(meta)
    counted = {table.name for table in meta.tables if table.id_kind == "counter"}
    visible = columns.visible(changes)
    new = {change.key: change for change in visible if change.op == "insert" and change.table in counted}
    content = {id(change): {name: after for name, (_, after) in columns.seen(change).items()} for change in visible}
    names = {key: change.table for key, change in new.items()}

    def held(change: RowChange) -> tuple[tuple[str, str], ...]:
        return tuple(sorted((name, _text(value, names)) for name, value in content[id(change)].items()))

    for _ in range(ROUNDS):
        names = {key: f"<{change.table} {held(change)}>" for key, change in new.items()}
    return tuple(sorted((change.table, change.op, _key(change.key, names), held(change)) for change in visible))


def _text(value: Stored, names: Mapping[str, str]) -> str:
    return names[value] if isinstance(value, str) and value in names else repr(value)


def _key(key: str, names: Mapping[str, str]) -> str:
    return renamed(key, names)
