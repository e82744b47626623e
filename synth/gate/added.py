"""Checks of a row that rows added or changed beside it can only break by themselves: the others need not be looked at again."""

from collections.abc import Iterator
from typing import NoReturn

from registry.package.change import Stored
from synth.gate.reading import Unnoted
from synth.lang import nodes as n
from synth.lang.domain import Domain
from synth.lang.visit import through
from synth.lang.walk import inlined
from synth.reference.state import Held, Ref, State


class Added:
    """Stands for a state, but shows of the rows that refer to another one only those that were added or changed since an earlier state.

    Args:
        since: All that was there is still there in `state`.
        changed: Tables in which a row is another one than it was.
    """

    writes: tuple[()] = ()

    def __init__(self, since: State, state: State, changed: frozenset[str] = frozenset()) -> None:
        self.since, self.changed, self._state = since, changed, state
        self.tables: dict[str, Held] = state.tables

    def is_as_before(self, table: str, key: str) -> bool:
        """Whether a row was there, and is the same."""
        before = self.since.tables[table].get(key)
        return before is not None and before is self.tables[table].get(key)

    def where(self, table: str, column: str, value: Stored) -> tuple[str, ...]:
        """As of the state; only links are asked for by it."""
        return self._state.where(table, column, value)

    def refs(self, table: str, column: str, value: Stored, *, archive: bool) -> list[Ref]:
        """Those that were added or changed."""
        before, now = self.since.tables[table], self.tables[table]
        return [one for one in self._state.refs(table, column, value, archive=archive) if before.get(one.key) is not now[one.key]]

    def __getattr__(self, name: str) -> NoReturn:
        """No other attribute: what a check of one row does not ask for."""
        raise Unnoted(name)


def only_added(domain: Domain, check: n.Node) -> bool:
    """Whether a check that holds of a row still holds when rows are added, if it does with `Added` in place of the state.

    So it is where each set of rows that refer to another one is gone through once, and every row in it has to fit by itself.
    """
    return not any(_is_wide(domain, one) for one in _deep(domain, check)) and _each_by_itself(domain, check)


def reached(domain: Domain, check: n.Node) -> frozenset[str]:
    """Entities of whose rows a check looks at others than its own row and those that refer to it: where one of these is changed, all has to be read.

    A row that is put into words may be called by what any other holds.
    """
    found: set[str] = set()
    for one in _deep(domain, check):
        if isinstance(one, n.Format):
            return frozenset(entity.name for entity in domain.entities)
        if not isinstance(one, n.Local | n.Comprehension | n.Apply) and not (isinstance(one, n.Attr) and one.access == "reverse"):
            found.update((one.type.item or one.type).entities)
    return frozenset(found)


def _deep(domain: Domain, node: n.Node) -> Iterator[n.Node]:
    """All expressions in a check, in functions that it calls and in what fields are computed from."""
    seen: set[tuple[str, str]] = set()
    pending = [node]
    while pending:
        for one in through(domain, pending.pop()):
            yield one
            if not isinstance(one, n.Attr) or one.access != "field":
                continue
            for entity in one.base.type.entities:
                field = domain.entity(entity).field(one.name)
                if field.always is not None and (entity, one.name) not in seen:
                    seen.add((entity, one.name))
                    pending.append(field.always)


def _is_wide(domain: Domain, node: n.Node) -> bool:
    """Whether an expression gives rows that may be added, in another way than by a reference to another row."""
    if isinstance(node, n.Rows | n.Single):
        return True
    if not isinstance(node, n.Attr) or node.access not in ("tree", "reverse"):
        return False
    name, owners = node.name, node.type.item.entities if node.type.item is not None else ()
    return node.access == "tree" or any(one.role == "links" and one.many == name for owner in owners for one in domain.entity(owner).fields)


def _has_sets(domain: Domain, *nodes: n.Node) -> bool:
    return any(isinstance(one, n.Attr) and one.access == "reverse" for node in nodes for one in _deep(domain, node))


def _each_by_itself(domain: Domain, node: n.Node) -> bool:
    if not _has_sets(domain, node):
        return True
    match node:
        case n.Logic(op="and"):
            return all(_each_by_itself(domain, one) for one in node.operands)
        case n.Logic():
            having = [one for one in node.operands if _has_sets(domain, one)]
            return len(having) == 1 and _each_by_itself(domain, having[0])
        case n.Call(name="all"):
            return _goes_through(domain, node.args[0])
        case n.Unary(op="not", operand=n.Call(name="any") as inner):
            return _goes_through(domain, inner.args[0])
        case n.Compare(left=n.Call(name="len") as length, rest=(("==", n.Const(value=0)),)):
            return _goes_through(domain, length.args[0])
        case n.Apply():
            found = inlined(node, domain.function(node.function))
            return found is not None and _each_by_itself(domain, found)
        case _:
            return False


def _goes_through(domain: Domain, node: n.Node) -> bool:
    """Whether it is a list with something, or nothing, for each row of one set, where no other set is looked at."""
    if isinstance(node, n.Apply):
        found = inlined(node, domain.function(node.function))
        return found is not None and _goes_through(domain, found)
    if not isinstance(node, n.Comprehension):
        return False
    first, rest = node.clauses[0], node.clauses[1:]
    inside = [node.element, *first.conditions, *(one.source for one in rest), *(condition for one in rest for condition in one.conditions)]
    source = first.source
    return isinstance(source, n.Attr) and source.access == "reverse" and not _has_sets(domain, source.base, *inside)
