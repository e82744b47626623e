"""The interpreter with eyes: which branches a call takes, how near it comes to the boundaries of comparisons, what it reads."""

import datetime as dt
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any

from synth.lang import nodes as n
from synth.lang.domain import Domain, Field
from synth.reference.evaluate import Expressions
from synth.reference.exact import quotient, times
from synth.reference.fields import Fields, Read
from synth.reference.run import Code, Scope
from synth.reference.state import Ref, State
from synth.reference.statements import Statements, Step, Survey

Cell = tuple[str, str, str]
"""Entity, id, field."""


class Trace:
    """What was seen in one call.

    Attributes:
        branches: (id of the If or Choice node, number of the branch); the number after the last stands for no branch at all.
        distances: For each comparison, by the id of its node, left side minus right side in units (`unit`), each time it was made.
        units: The unit of each comparison, in seconds for moments.
        cells: Fields that were read.
        focus: Fields that were read for one comparison, rule or choice (by the id of its node) or for one binding (by its name).
        sets: Reverse sets that were read: entity and field of the members, id of the row they refer to.
        log: The same as often as they were read; `spans` says where in it lies what was read for one thing, by the same marks as `focus`.
        last: The distance of each comparison when it was made last.
        off: How many operands of an `and` or `or` stand in the way of a part of it, at least.
        deciding: Which operands of which `and` or `or` were against it: id of the node, places of the first two.
        parts: What was seen of single nodes (`parts`): id of the node, number.
    """

    __slots__ = (
        "_apart",
        "_near",
        "_steps",
        "branches",
        "cells",
        "deciding",
        "distances",
        "focus",
        "last",
        "log",
        "off",
        "parts",
        "sets",
        "spans",
        "units",
    )

    def __init__(self) -> None:
        self.branches: set[tuple[int, int]] = set()
        self.parts: set[tuple[int, int]] = set()
        self.last: dict[int, Fraction] = {}
        self.off: dict[tuple[int, int], int] = {}
        self.deciding: set[tuple[int, int, int]] = set()
        self.distances: dict[int, set[Fraction]] = {}
        self.units: dict[int, Fraction] = {}
        self.cells: dict[Cell, None] = {}
        self.sets: dict[Cell, None] = {}
        self.log: list[Cell] = []
        self.spans: dict[int | str, list[tuple[int, int]]] = {}
        self.focus: dict[int | str, dict[Cell, None]] = {}
        self._near: dict[tuple[int, int], float] = {}
        self._apart: dict[tuple[int, ...], float] = {}
        self._steps: dict[tuple[int, tuple[int, ...]], list[Fraction]] = {}

    def note_focus(self, mark: int | str, cells: dict[Cell, None]) -> None:
        """Keeps what was read for one thing."""
        known = self.focus.get(mark)
        if known is None:
            self.focus[mark] = cells
        else:
            known.update(cells)

    def sets_for(self, mark: int | str) -> Iterator[Cell]:
        """Reverse sets that were read for one thing."""
        for first, last in self.spans.get(mark, ()):
            yield from self.log[first:last]

    def nearness(self, mark: int, side: int) -> float:
        """How near a comparison came to a value beside its boundary: 0 for on it, towards 1 for far away, 2 if it was not made."""
        found = self._near.get((mark, side))
        if found is None:
            off = min((abs(float(one) - side) for one in self.distances.get(mark, ())), default=None)
            found = self._near[mark, side] = 2.0 if off is None else off / (off + 50)
        return found

    def apart(self, marks: tuple[int, ...]) -> float:
        """How far some comparisons are from their boundaries: 0.5 to 1."""
        found = self._apart.get(marks)
        if found is None:
            found = self._apart[marks] = 0.5 + 0.5 * min((1.0, *[self.nearness(mark, 0) for mark in marks]))
        return found

    def steps(self, mark: int, sides: tuple[int, ...]) -> list[Fraction]:
        """By how much a comparison must move to come to these sides of its boundary, from where it came nearest."""
        found = self._steps.get((mark, sides))
        if found is None:
            near, one = sorted(self.distances[mark], key=abs)[:4], self.units[mark]
            found = self._steps[mark, sides] = [times(side - off, one) for off in near for side in sides]
        return found


MATTERS = 900
"""Number of the part of an `if` that it changes something, or would if its condition held."""


class Watched(Survey):
    """A survey that keeps a trace.

    Attributes:
        computed: Fields that were computed in `computed_in`, with what was read for them and the steps that it took.
        computed_in: A state, and how many writes it had seen.
    """

    __slots__ = ("computed", "computed_in", "trace")

    trace: Trace
    computed: dict[Cell, tuple[Any, dict[Cell, None], int]]
    computed_in: tuple[State | None, int]

    def begin(self) -> None:
        """Nothing is seen or broken yet."""
        self.broken, self.beyond, self.most, self.trace = [], False, 0, Trace()
        self.computed, self.computed_in = {}, (None, 0)

    def compute(self, cell: Cell, read: Read, ref: Ref) -> Any:
        """A field that is computed at each read; read again in the same state, it is remembered together with what was read for it."""
        now = (self.state, len(self.state.writes))
        if self.computed_in[0] is not now[0] or self.computed_in[1] != now[1]:
            self.computed, self.computed_in = {}, now
        held = self.computed.get(cell)
        if held is not None:
            self.trace.cells.update(held[1])
            self.step(held[2])
            return held[0]
        outer, before = self.trace.cells, self.steps
        inner = self.trace.cells = {}
        try:
            value = read(self, ref)
        finally:
            outer.update(inner)
            self.trace.cells = outer
        self.computed[cell] = (value, inner, before - self.steps)
        return value

    def focused(self, mark: int | str, step: Callable[[], None]) -> None:
        """Takes a step and keeps apart what it reads."""
        outer = self.trace.cells
        inner = self.trace.cells = {}
        first = len(self.trace.log)
        try:
            step()
        finally:
            outer.update(inner)
            self.trace.cells = outer
            self.trace.note_focus(mark, inner)
            if len(self.trace.log) > first:
                self.trace.spans.setdefault(mark, []).append((first, len(self.trace.log)))


class WatchedFields(Fields):
    """Notes which fields are read. All that watches is made for runs that are `Watched`."""

    def stored(self, base: Code, local: str, field: Field, decode: Callable[[Any], Any] | None, *, needed: bool) -> Code:
        """A stored value, noted before it is looked for."""
        name = field.name

        def noted(run: Any, scope: Scope) -> Ref:
            ref: Ref = scope[local] if local else base(run, scope)
            run.trace.cells[ref[0], ref[1], name] = None
            return ref

        return super().stored(noted, "", field, decode, needed=needed)

    def field(self, entity: str, name: str) -> Read:
        """Reads a declared field, and notes that."""
        read, computed = super().field(entity, name), self._tables.fields[entity][name].always is not None

        def watched(run: Any, ref: Ref) -> Any:
            cell = (ref[0], ref[1], name)
            run.trace.cells[cell] = None
            return run.compute(cell, read, ref) if computed and not run.drafts else read(run, ref)

        return watched

    def many(self, entity: str, name: str) -> Read:
        """Reads a reverse set, and notes that."""
        read, referrer = super().many(entity, name), self._tables.reverse[entity, name]

        owner, field = referrer.owner, referrer.field

        def watched(run: Any, ref: Ref) -> Any:
            cell = (owner, ref.key, field)
            run.trace.sets[cell] = None
            run.trace.log.append(cell)
            return read(run, ref)

        return watched


class WatchedExpressions(Expressions):
    """Notes how near comparisons are to their boundary, and which side of a choice is taken."""

    noting = True

    def __init__(self, domain: Domain) -> None:
        super().__init__(domain)
        self.forms[n.Compare] = self._watched_compare
        self.forms[n.Choice] = self._watched_choice

    def make_fields(self) -> Fields:
        """The reader of attributes, which notes what is read."""
        return WatchedFields(self.tables, self.code)

    def _watched_compare(self, node: n.Compare) -> Code:
        plain = self._compare(node)
        if not is_measured(node):
            return plain
        left, right, mark, one = self.code(node.left), self.code(node.rest[0][1]), id(node), unit(node)

        def compare(run: Any, scope: Scope) -> bool:
            run.focused(mark, lambda: note(run, scope))
            return bool(plain(run, scope))

        def note(run: Watched, scope: Scope) -> None:
            values = left(run, scope), right(run, scope)
            if None in values:
                return
            distance = in_units(*values, one)
            run.trace.distances.setdefault(mark, set()).add(distance)
            run.trace.units[mark] = one

        return compare

    def _watched_choice(self, node: n.Choice) -> Code:
        condition, then, otherwise, mark = self.code(node.condition), self.code(node.then), self.code(node.otherwise), id(node)

        def choose(run: Any, scope: Scope) -> Any:
            holds = condition(run, scope)
            run.trace.branches.add((mark, 0 if holds else 1))
            return then(run, scope) if holds else otherwise(run, scope)

        return choose


class WatchedStatements(Statements):
    """Notes which branches of `if` are taken."""

    def __init__(self, domain: Domain, expressions: WatchedExpressions | None = None) -> None:
        super().__init__(domain, survey=True, expressions=expressions or WatchedExpressions(domain))
        self.forms[n.If] = self._watched_if
        self.forms[n.Rule] = self._watched_rule
        self.forms[n.Bind] = self._watched_bind

    def _watched_rule(self, node: n.Rule) -> Step:
        return _focused(id(node), self._rule(node))

    def _watched_bind(self, node: n.Bind) -> Step:
        return _focused(node.name, self._bind(node))

    def _watched_if(self, node: n.If) -> Step:
        branches: list[tuple[Code | None, Step]] = [
            (self.expressions.code(condition) if condition is not None else None, self.body(body)) for condition, body in node.branches
        ]
        mark = id(node)

        def choose(run: Any, scope: Scope) -> None:
            taken, before = len(branches), len(run.state.writes)
            for number, (condition, body) in enumerate(branches):
                if condition is None or decides(run, scope, condition):
                    taken = number
                    body(run, scope)
                    break
            if not run.stopped():
                run.trace.branches.add((mark, taken))
                wrote = len(run.state.writes) > before if taken < len(branches) else would_write(run, scope, branches[0][1])
                if wrote:
                    run.trace.parts.add((mark, MATTERS))

        def decides(run: Watched, scope: Scope, condition: Code) -> bool:
            found: list[bool] = []
            run.focused(mark, lambda: found.append(bool(condition(run, scope))))
            return found[0]

        return choose


def would_write(run: Watched, scope: Scope, body: Step) -> bool:
    """Whether a branch that was not taken would have changed anything, or been refused."""
    held = run.state, run.trace, list(run.broken)
    run.state, run.trace = run.state.fork(), Trace()
    try:
        body(run, dict(scope))
        return bool(run.state.writes) or len(run.broken) > len(held[2])
    finally:
        run.state, run.trace, run.broken = held


def _focused(mark: int | str, step: Step) -> Step:
    """A step whose reads are kept apart."""

    def watched(run: Any, scope: Scope) -> None:
        run.focused(mark, lambda: step(run, scope))

    return watched


MICROSECOND = dt.timedelta(microseconds=1)
ORDERS = ("<", "<=", ">", ">=")
NUMBERS = ("integer", "money", "decimal")
MOMENTS = ("date", "time", "datetime", "duration")


def is_measured(node: n.Compare) -> bool:
    """Whether a comparison has a distance: an order or equality of two numbers or moments."""
    kinds = {node.left.type.kind, node.rest[0][1].type.kind}
    return len(node.rest) == 1 and node.rest[0][0] in (*ORDERS, "==", "!=") and (kinds <= set(NUMBERS) or kinds <= set(MOMENTS))


def is_boundary(node: n.Compare) -> bool:
    """Whether a comparison has a boundary: one order of two numbers or moments."""
    return is_measured(node) and node.rest[0][0] in ORDERS


def unit(node: n.Compare) -> Fraction:
    """The least step of what is compared: 1, a cent, a decimal place, a day, a minute."""
    types = (node.left.type, node.rest[0][1].type)
    if types[0].kind in NUMBERS:
        return Fraction(1, 10 ** max(2 if one.kind == "money" else one.places if one.kind == "decimal" else 0 for one in types))
    return Fraction(min(_grains(node.left) + _grains(node.rest[0][1]), default=60))


def _grains(node: n.Node) -> list[int]:
    """Steps of the moments that an expression is made of, in seconds."""
    if node.type.kind == "date":
        return [86400]
    if node.type.kind == "duration" and isinstance(node, n.Binary):
        return _grains(node.left) + _grains(node.right)
    return [] if isinstance(node, n.Call | n.Const | n.Given) and node.type.kind == "duration" else [60]


def in_units(left: Any, right: Any, one: Fraction) -> Any:
    """Left minus right, in units: a fraction, or an integer where it is whole."""
    if isinstance(left, dt.date) and isinstance(right, dt.date):
        return quotient((left - right) // MICROSECOND, one.numerator * 1_000_000)
    if isinstance(left, int | Fraction) and isinstance(right, int | Fraction):
        above = left.numerator * right.denominator - right.numerator * left.denominator
        return quotient(above * one.denominator, left.denominator * right.denominator * one.numerator)
    return (measure(left) - measure(right)) / one


def measure(value: Any) -> Fraction:
    """A number as it is, a moment or duration in seconds."""
    if isinstance(value, dt.datetime):
        return Fraction((value - dt.datetime(2000, 1, 1)) // dt.timedelta(microseconds=1), 1_000_000)  # noqa: DTZ001 the language has no zones
    if isinstance(value, dt.date):
        return Fraction((value - dt.date(2000, 1, 1)).days * 86400)
    if isinstance(value, dt.time):
        return Fraction(value.hour * 3600 + value.minute * 60 + value.second)
    if isinstance(value, dt.timedelta):
        return Fraction(value // dt.timedelta(microseconds=1), 1_000_000)
    return Fraction(value)
