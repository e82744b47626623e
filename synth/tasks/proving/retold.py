"""Gold for the same words where they mean other rows."""

import re
from collections.abc import Iterable, Mapping
from typing import Any

from registry.package.pack import GoldCall
from synth.lang.domain import Domain
from synth.reference.state import State
from synth.tasks.references.describe import Described
from synth.tasks.rows.view import Path, View, back, below

_NAMED = re.compile(r"\[id=([^\],]+)\]")


def retold(domain: Domain, before: State, after: State, rows: Iterable[Described], calls: tuple[GoldCall, ...]) -> tuple[GoldCall, ...] | None:
    """The calls with the rows that the words mean in `after` wherever one that they mean in `before` is told by its id alone.

    None where a row would stand for two others, or where the words mean none.
    """
    moved: dict[str, str] = {}
    for described in rows:
        old, new = _ways(View(domain, before), described), _ways(View(domain, after), described)
        if () not in old or () not in new:
            return None
        for path, key in old.items():
            if path in new and moved.setdefault(key, new[path]) != new[path]:
                return None
    if all(old == new for old, new in moved.items()):
        return calls
    return tuple(
        call.model_copy(
            update={
                "arguments": {name: _renamed(value, moved) for name, value in call.arguments.items()},
                "sources": {
                    name: source.model_copy(update={"path": _NAMED.sub(lambda found: f"[id={moved.get(found[1], found[1])}]", source.path)})
                    for name, source in call.sources.items()
                },
            }
        )
        for call in calls
    )


def _ways(view: View, described: Described) -> dict[Path, str]:
    """The row that the words mean, and those on the way to its facts, by the path that leads to each."""
    key = view.meant(described.entity, described.leaves)
    found: dict[Path, str] = {} if key is None else {(): key}
    for leaf in described.leaves if key is not None else ():
        at: tuple[str, str] | None = (described.entity, str(key))
        leaves = described.leaves
        for number, name in enumerate(leaf.path[:-1], start=1):
            leaves = below(leaves, name)
            child, _ = back(name)
            if child:
                keys = view.matching(child, leaves)
                at = (child, keys[0]) if len(keys) == 1 else None
            else:
                at = None if at is None else view.parent(*at, name)
            if at is None:
                break
            found[leaf.path[:number]] = at[1]
    return found


def _renamed(value: Any, moved: Mapping[str, str]) -> Any:
    if isinstance(value, list):
        return [_renamed(one, moved) for one in value]
    if not isinstance(value, str) or not value.startswith("$"):
        return value
    return _NAMED.sub(lambda found: f"[id={moved.get(found[1], found[1])}]", value)
