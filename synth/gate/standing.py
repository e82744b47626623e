"""Whether invariants still hold after small changes: only the rows that could tell are looked at again."""

import datetime as dt
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, cast

from synth.gate.added import Added, only_added, reached
from synth.gate.likeness import MANY, Change, Known, Likeness, Member, carried
from synth.gate.reading import Read, Reading
from synth.gate.watch import Cell, Watched, WatchedExpressions, WatchedFields
from synth.lang import nodes as n
from synth.lang.domain import Domain, Invariant
from synth.lang.types import BOOL
from synth.lang.visit import through
from synth.reference.fields import Fields
from synth.reference.interpret import Reference
from synth.reference.run import Code, Run
from synth.reference.state import Ref, Row, State
from synth.reference.statements import NO_VALUE, Statements

_NONE: frozenset[Member] = frozenset()

READS = 8
"""So many results of the check of one row are remembered, in states in which it reads different things."""

REMEMBERED = 200_000
"""So many changes of rows are remembered with the checks that they concern."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RowCheck:
    """An invariant, or one that it is made of by `and`, of the form `all(… for row in Entity if …)`, as a check of one row.

    Attributes:
        name: Of the invariant.
        additive: See `only_added`; `reached` says where it goes, if it is.
        fix: Where it says that a field equals something: the field, and what it should be.
    """

    name: str
    entity: str
    target: str
    check: Code
    additive: bool = False
    reached: frozenset[str] = frozenset()
    fix: tuple[str, Code] | None = None


class Standing:
    """Invariants of one start state, and which rows each of them reads.

    Args:
        start: A state in which all invariants hold.
    """

    def __init__(self, reference: Reference, start: State, now: dt.datetime) -> None:
        self._reference = reference
        self._start = start
        self._now = now
        self._checks: list[RowCheck] = []
        self._of: dict[str, list[int]] = {}
        self._whole: list[str] = []
        self._cells: dict[Cell, set[Member]] = {}
        self._sets: dict[Cell, set[Member]] = {}
        self._read: dict[Member, list[Cell]] = {}
        self._watched: list[Code] = []
        self._seen: dict[Member, list[Read]] = {}
        self._likeness = Likeness()
        self._last: tuple[State, State | None, int, list[Member]] | None = None
        self._concerned: dict[tuple[str, str, int, int], tuple[Change, frozenset[Member]]] = {}
        self._watching = _Learning(reference.domain)
        Statements(reference.domain, expressions=self._watching)  # so that functions of the seed are called, and noted what they read
        for one in reference.domain.invariants:
            conditions = _row_conditions(reference.domain, one)
            if not conditions:
                self._whole.append(one.name)
            for part, entity, target, condition in conditions:
                self._add(one.name, part, entity, target, condition)
        self._field_of = {(table, column.name): column.field for table in reference.tables.names for column in reference.tables.columns[table]}
        self._links = {link.table: (owner, field, link.own) for (owner, field), link in reference.tables.links.items()}

    def _add(self, name: str, part: n.Node, entity: str, target: str, condition: n.Node) -> None:
        """One more check, and what it reads.

        Args:
            part: What it was made of.
        """
        fix = _settled_field(part, target)
        code = self._reference.expressions.code
        repair = (fix[0], code(fix[1])) if fix is not None else None
        self._of.setdefault(entity, []).append(len(self._checks))
        self._watched.append(self._watching.code(condition))
        additive = only_added(self._reference.domain, condition)
        around = reached(self._reference.domain, condition) if additive else frozenset[str]()
        self._checks.append(RowCheck(name=name, entity=entity, target=target, check=code(condition), additive=additive, reached=around, fix=repair))
        self._learn((len(self._checks) - 1, key) for key in self._start.keys(entity))

    def _learn(self, members: Iterable[Member], added: Added | None = None) -> None:
        """Notes what is read for each of these rows of the start state, or what more is where rows were `added`."""
        me = self._reference.actor(self._start)
        for number, key in members:
            one = self._checks[number]
            run = Watched(self._start if added is None else cast("State", added), self._now, me)
            run.begin()
            _holds(self._watched[number], run, one.target, Ref(one.entity, key))
            for cell in run.trace.cells:
                self._cells.setdefault(cell, set()).add((number, key))
            for cell in run.trace.sets:
                self._sets.setdefault(cell, set()).add((number, key))

    def move(self, state: State) -> bool:
        """Takes another state for the start, in which all invariants hold too; False where that cannot be, since a row was archived.

        What was read before is not forgotten: it may be that more rows are looked at than need be.
        """
        changes = list(changed_rows(self._start, state))
        if _archives(changes):
            return False
        affected = [one for one in sorted(self._affected(changes)) if one[1] in state.tables[self._checks[one[0]].entity]]
        added = self._added(self._start, state, changes)
        known = {one for one in affected if added is not None and self._known_before(added, one)}
        self._start, self._read, self._concerned, self._last, self._likeness = state, {}, {}, None, Likeness()
        self._learn(one for one in affected if one not in known)
        self._learn((one for one in affected if one in known), added)
        return True

    def _added(self, since: State, state: State, changes: Iterable[Change], *, changed: bool = False) -> Added | None:
        """The rows added to the start state, or `changed` where these do too, if nothing else was done, not even to who acts or to links of a row."""
        if since is not self._start or self._reference.actor(since) != self._reference.actor(state):
            return None
        others: set[str] = set()
        for table, _, before, after in changes:
            if after is None or (before is not None and (not changed or table in self._links)):
                return None
            if before is not None:
                others.add(table)
            elif table in self._links:
                owner, _, own = self._links[table]
                if after[own] in since.tables[owner]:
                    return None
        return Added(since, state, frozenset(others))

    def _known_before(self, added: Added, member: Member) -> bool:
        """Whether a check of a row that was there, and is the same, can be told from the rows that were added or changed."""
        one = self._checks[member[0]]
        return one.additive and added.is_as_before(one.entity, member[1]) and added.changed.isdisjoint(one.reached)

    def beside(self, cells: Iterable[Cell]) -> list[Cell]:
        """Fields that share an invariant with one of these, in the start state: they can only change together."""
        if not self._read:
            for cell, members in self._cells.items():
                for one in members:
                    self._read.setdefault(one, []).append(cell)
        beside = sorted({one for cell in cells for one in self._cells.get(cell, ())})
        return list(dict.fromkeys(cell for one in beside for cell in self._read[one]))

    def broken(self, state: State, since: State | None = None, near: State | None = None) -> list[str]:
        """Names of invariants that do not hold in a state that came from the start.

        Args:
            since: A state on the way in which all hold; then only what changed after it is looked at, which may miss what depends on
                references that were changed before it.
            near: A state that differs little from it, if it was made from one.
        """
        known = self._carried(state, near) if since is None else None
        changes = list(changed_rows(since or self._start, state) if known is None else known.changes.values())
        if not changes:
            return []
        if _archives(changes):
            return self._reference.invariants(state, self._now)
        affected = self._affected(changes) if known is None else known.affected
        reads: dict[Member, Read] = {} if known is None else known.reads
        failing = self._failing(since or self._start, state, changes, affected, reads)
        if since is None and len(affected) >= MANY:
            self._likeness.keep(Known(state=state, changes={one[:2]: one for one in changes}, affected=frozenset(affected), reads=reads))
        self._last = (state, since, len(state.writes), failing)
        found = {self._checks[number].name for number, _ in failing}
        if self._whole:
            found.update(self._reference.invariants(state, self._now, self._whole))
        return [one.name for one in self._reference.domain.invariants if one.name in found] if found else []

    def _carried(self, state: State, near: State | None) -> Known | None:
        """What is known of a state that was made from another one, if much is known of that and the same user acts."""
        known = self._likeness.of(near)
        if known is None or self._reference.actor(state) != self._reference.actor(known.state):
            return None
        return carried(known, self._start, state, self._affected)

    def _stands(self, state: State, changes: list[Change]) -> bool:
        """Whether all invariants hold in a state of which no row fails by itself."""
        if _archives(changes):
            return not self._reference.invariants(state, self._now)
        return not (changes and self._whole) or not self._reference.invariants(state, self._now, self._whole)

    def _failing(self, since: State, state: State, changes: list[Change], affected: Collection[Member], reads: dict[Member, Read]) -> list[Member]:
        """Rows for which an invariant does not hold any more after the changes since a state in which all hold.

        Args:
            affected: What the changes concern.
            reads: What is known of these checks in the state; those that are made are added.
        """
        me, tables = self._reference.actor(state), state.tables
        failing = []
        added = self._added(since, state, changes, changed=True)
        beside = None if added is None else Run(cast("State", added), self._now, me)
        for member in affected:
            one = self._checks[member[0]]
            there = member[1] in tables[one.entity]
            if there and member in reads:
                holds = reads[member].holds
            elif beside is not None and added is not None and self._known_before(added, member):
                holds = _holds(one.check, beside, one.target, Ref(one.entity, member[1]))
            else:
                read = self._read_of(state, me, member, there=there)
                if read is None:
                    continue
                reads[member], holds = read, read.holds
            if not holds:
                failing.append(member)
        return sorted(failing)

    def repaired(self, state: State, since: State | None = None, rounds: int = 4) -> State | None:
        """A fork in which fields that an invariant settles have the value that it says, if then all invariants hold."""
        known = self._last[3] if self._last is not None and self._last[:3] == (state, since, len(state.writes)) else None
        if known is not None and any(self._checks[number].fix is None for number, _ in known):
            return None
        state = state.fork()
        for _ in range(rounds):
            changes = list(changed_rows(since or self._start, state))
            failing, known = self._failing(since or self._start, state, changes, self._affected(changes), {}) if known is None else known, None
            if not failing:
                return state if self._stands(state, changes) else None
            for number, key in failing:
                one = self._checks[number]
                if one.fix is None or not self._settle(state, Ref(one.entity, key), one):
                    return None
        return None

    def _settle(self, state: State, ref: Ref, one: RowCheck) -> bool:
        name, code = one.fix or ("", _nothing)
        run = Run(state, self._now, self._reference.actor(state))
        try:
            value = code(run, {one.target: ref})
        except NO_VALUE:
            return False
        entity = self._reference.tables.entities[ref.entity]
        writes = self._reference.statements.writes
        state.update(ref.entity, ref.key, writes.stored(entity, entity.field(name), value))
        return writes.sound(run, ref)

    def _read_of(self, state: State, me: Ref | None, member: Member, *, there: bool) -> Read | None:
        """What a check of a row reads, and whether it holds; remembered, since most states differ little from one that was looked at before.

        Args:
            there: Whether the row is; if it is not, only what is known of it counts.
        """
        seen = self._seen.get(member)
        if seen is None:
            seen = self._seen[member] = []
        if seen and seen[0].fits(state, me):
            return seen[0]
        if not there:
            return None
        for at in range(1, len(seen)):
            if seen[at].fits(state, me):
                seen.insert(0, seen.pop(at))
                return seen[0]
        one, reading = self._checks[member[0]], Reading(state)
        holds = _holds(one.check, Run(cast("State", reading), self._now, me), one.target, Ref(one.entity, member[1]))
        seen.insert(0, reading.read(me, holds=holds))
        del seen[READS:]
        return seen[0]

    def _affected(self, changes: Iterable[Change]) -> set[Member]:
        found: set[Member] = set()
        for change in changes:
            place = (*change[:2], id(change[2]), id(change[3]))
            held = self._concerned.get(place)
            if held is None:
                if len(self._concerned) >= REMEMBERED:
                    self._concerned = {}
                held = self._concerned[place] = (change, frozenset(self._concerned_by(*change)))
            found |= held[1]
        return found

    def _concerned_by(self, table: str, key: str, before: Row | None, after: Row | None) -> set[Member]:
        """The checks that one change concerns, by what they read in the start state."""
        if table in self._links:
            owner, field, own = self._links[table]
            return set(self._cells.get((owner, str((after or before or {})[own]), field), _NONE))
        found = {(number, key) for number in self._of.get(table, ())}
        for column in self._reference.tables.columns[table]:
            values = [None if row is None else row[column.name] for row in (before, after)]
            if values[0] != values[1] or before is None or after is None:
                found |= self._cells.get((table, key, column.field), _NONE)
                for value in values if column.references else ():
                    found |= self._sets.get((table, str(value), column.field), _NONE)
        return found


def changed_rows(before: State, after: State) -> Iterator[Change]:
    """Rows that differ between a state and one that came from it."""
    tables, old = after.tables, before.tables
    for table, key in after.differing(before):
        yield table, key, old[table].get(key), tables[table].get(key)


def _archives(changes: Iterable[Change]) -> bool:
    """Whether a row was archived, or is not archived any more."""
    return any(before is not None and after is not None and before.get("archived") != after.get("archived") for _, _, before, after in changes)


def _holds(check: Callable[[Run, dict[str, Any]], Any], run: Run, target: str, ref: Ref) -> bool:
    try:
        return bool(check(run, {target: ref}))
    except NO_VALUE:
        return False


class _Learning(WatchedExpressions):
    """Notes the steps through trees too, so that a check of a row that looks at a tree is made again when the tree changes."""

    def make_fields(self) -> Fields:
        """The reader of attributes, which notes what is read."""
        return _LearningFields(self.tables, self.code)


class _LearningFields(WatchedFields):
    """Notes each step up or down a tree."""

    def ancestors(self, run: Run, ref: Ref) -> list[Ref]:
        """The rows above, by references that are noted."""
        found = super().ancestors(run, ref)
        if isinstance(run, Watched):
            name = self._parent(ref.entity)
            run.trace.cells.update({(one.entity, one.key, name): None for one in (ref, *found)})
        return found

    def descendants(self, run: Run, ref: Ref) -> list[Ref]:
        """The rows below, by reverse sets that are noted."""
        if isinstance(run, Watched):
            run.trace.sets[ref.entity, ref.key, self._parent(ref.entity)] = None
        return super().descendants(run, ref)

    def _parent(self, entity: str) -> str:
        return next(one.name for one in self._tables.fields[entity].values() if one.tree)


def _row_conditions(domain: Domain, one: Invariant) -> list[tuple[n.Node, str, str, n.Node]]:
    """What an invariant is made of by `and`, each about each row of an entity: the part, entity, loop variable, condition; empty if one is not."""
    whole = one.condition
    parts = whole.operands if isinstance(whole, n.Logic) and whole.op == "and" else (whole,)
    found = [] if one.bindings else [(part, _row_condition(domain, part)) for part in parts]
    settled = [(part, *condition) for part, condition in found if condition is not None]
    return settled if len(settled) == len(found) else []


def _row_condition(domain: Domain, node: n.Node) -> tuple[str, str, n.Node] | None:
    """Entity, loop variable and condition of something that holds for each row of an entity; None if it has another form."""
    if not (isinstance(node, n.Call) and node.name == "all" and isinstance(node.args[0], n.Comprehension)):
        return None
    comprehension = node.args[0]
    first, rest = comprehension.clauses[0], comprehension.clauses[1:]
    if not isinstance(first.source, n.Rows) or domain.entity(first.source.entity).archive or len(first.targets) != 1:
        return None
    inner: n.Node = comprehension.element
    if rest:
        inner = n.Call(where=node.where, type=BOOL, name="all", args=(_with_clauses(comprehension, rest),))
    inside = (inner, *first.conditions)
    if any(_reads_tables(domain, one) for one in inside):
        return None
    unless = [n.Unary(where=node.where, type=BOOL, op="not", operand=one) for one in first.conditions]
    whole = n.Logic(where=node.where, type=BOOL, op="or", operands=(*unless, inner)) if unless else inner
    return first.source.entity, first.targets[0], whole


def _settled_field(condition: n.Node, target: str) -> tuple[str, n.Node] | None:
    """The stored field of the row that an invariant `row.field == …` settles, and the expression that settles it."""
    element = condition.args[0].element if isinstance(condition, n.Call) and isinstance(condition.args[0], n.Comprehension) else condition
    if not isinstance(element, n.Compare) or len(element.rest) != 1 or element.rest[0][0] != "==":
        return None
    for one, other in ((element.left, element.rest[0][1]), (element.rest[0][1], element.left)):
        if isinstance(one, n.Attr) and one.access == "field" and isinstance(one.base, n.Local) and one.base.name == target:
            return one.name, other
    return None


def _nothing(run: Run, scope: dict[str, Any]) -> None:
    """No value."""


def _with_clauses(node: n.Comprehension, clauses: tuple[n.Clause, ...]) -> n.Comprehension:
    return n.Comprehension(where=node.where, type=node.type, element=node.element, key=None, clauses=clauses)


def _reads_tables(domain: Domain, node: n.Node) -> bool:
    """Whether an expression looks at whole tables, of which no trace is kept."""
    return any(isinstance(one, n.Rows) for one in through(domain, node))
