"""The interpreter with sharper eyes: which part of an expression decides, and whether its values could hide a fault."""

import datetime as dt
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any

from synth.gate.parts import FIGURES, JUST, RANKED, REFUSED, SIDED, SIDES, TURNS, bounded, bounded_ones, link_of, ordered, rules_inside, sided, words
from synth.gate.watch import Trace, Watched, WatchedExpressions, in_units, is_boundary, is_measured, unit
from synth.lang import nodes as n
from synth.lang.domain import Domain
from synth.reference.arithmetic import binary, comparison
from synth.reference.evaluate import literal, quantified
from synth.reference.exact import half_even
from synth.reference.loops import binder, sole
from synth.reference.run import Code, Fault, Run, Scope
from synth.reference.statements import NO_VALUE
from synth.reference.values import MINUTE, span_of_minutes

MANY = 48
"""Distances of one comparison that are kept: in a long list they do not all matter."""
NEAR = dt.timedelta(minutes=30)


class SharpExpressions(WatchedExpressions):
    """Notes parts, beside what is watched anyway."""

    def __init__(self, domain: Domain) -> None:
        self._places: dict[int, tuple[int, int]] = {}
        super().__init__(domain)
        self.forms[n.Logic] = self._parted_logic
        self.forms[n.Compare] = self._parted_compare
        self.forms[n.Binary] = self._parted_binary
        self.forms[n.Call] = self._parted_call
        self.forms[n.Record] = self._parted_record
        self.forms[n.Choice] = self._parted_sides
        self.forms[n.Apply] = self._parted_apply

    def _parted_logic(self, node: n.Logic) -> Code:
        """Evaluates operands until two are against it, to see which one decides alone; what has no value cannot decide otherwise."""
        operands, neutral, mark = [self.code(one) for one in node.operands], node.op == "and", id(node)
        sides = [(at, id(one)) for at, one in enumerate(node.operands) if bounded(one)]
        count = len(operands)

        def logic(run: Any, scope: Scope) -> bool:
            decided: bool | Exception | None = None
            first = second = -1
            for at, one in enumerate(operands):
                try:
                    value = bool(one(run, scope))
                except NO_VALUE as error:
                    decided = error if decided is None else decided
                    continue
                if value is not neutral:
                    if first >= 0:
                        second = at
                        break
                    first = at
                    decided = value if decided is None else decided
            if (sides and second < 0) or (mark, first, second) not in run.trace.deciding:
                _note_deciding(run.trace, mark, count, (first, second), sides)
            if isinstance(decided, Exception):
                raise decided
            return neutral if decided is None else decided

        return logic

    def _parted_compare(self, node: n.Compare) -> Code:
        if len(node.rest) > 1:
            return self._chain(node)
        op, other = node.rest[0]
        left, right, apply = self._side(node.left), self._side(other), comparison(op, node.left.type, other.type, self.ranks)
        mark, held, one = id(node), words(node), unit(node) if is_measured(node) else None
        ranks = self.ranks[node.left.type.name] if ordered(node) else None
        seen = ((mark, 0), (mark, 1))

        def plain(run: Any, scope: Scope) -> bool:
            holds = bool(apply(left(run, scope), right(run, scope)))
            run.trace.parts.add(seen[holds])
            return holds

        if one is None and held is None and ranks is None:
            constant = literal(other)
            return plain if constant is None else _with_constant(left, apply, constant[0], seen)
        sides = _measuring(left, right, mark, one) if one is not None else lambda run, scope: (left(run, scope), right(run, scope))

        def compare(run: Any, scope: Scope) -> bool:
            this, other = sides(run, scope)
            holds, trace = bool(apply(this, other)), run.trace
            if held is not None:
                trace.parts.add((mark, held.index(this) if this in held else len(held)))
                return holds
            trace.parts.add(seen[holds])
            if ranks is not None:
                off = ranks[this] - ranks[other]
                side = (off > 0) - (off < 0)
                trace.last[mark] = Fraction(side)
                trace.parts.add((mark, RANKED + side))
            return holds

        return compare

    def _chain(self, node: n.Compare) -> Code:
        nodes, mark = [node.left, *(right for _, right in node.rest)], id(node)
        codes = [self._side(one) for one in nodes]
        pairs = [
            (comparison(op, left.type, right.type, self.ranks), _boundary_unit(node, left, op, right))
            for left, (op, right) in zip(nodes, node.rest, strict=False)
        ]

        def compare(run: Any, scope: Scope) -> bool:
            values = [one(run, scope) for one in codes]
            for at, (_, one) in enumerate(pairs):
                if one is not None:
                    _note_side(run, mark, at, values[at], values[at + 1], one)
            return all(apply(values[at], values[at + 1]) for at, (apply, _) in enumerate(pairs))

        return compare

    def _parted_binary(self, node: n.Binary) -> Code:
        left, right, apply, mark = self.code(node.left), self.code(node.right), binary(node.op, node.left.type, node.right.type), id(node)
        apart = node.op == "-"
        idle = 1 if node.op in ("*", "/", "//") and node.right.type.kind != "duration" else 0

        def compute(run: Any, scope: Scope) -> Any:
            one, other = left(run, scope), right(run, scope)
            if _tells(one, 0) and _tells(other, idle):
                run.trace.parts.add((mark, 0))
                if apart and one != other:
                    run.trace.parts.add((mark, 1))
            return apply(one, other)

        return compute

    def _parted_sides(self, node: n.Choice) -> Code:
        """Notes which side of a choice is taken where the other one would have come to something else."""
        plain, condition, sides, mark = (
            self._watched_choice(node),
            self.code(node.condition),
            (self.code(node.then), self.code(node.otherwise)),
            id(node),
        )
        compared = id(node.condition) if bounded(node.condition) else 0

        def choose(run: Any, scope: Scope) -> Any:
            value = plain(run, scope)
            taken = 0 if condition(run, scope) else 1
            distance = run.trace.last.get(compared)
            try:
                tells = sides[1 - taken](run, scope) != value
            except NO_VALUE:
                tells = True
            if tells:
                run.trace.parts.add((mark, taken))
                if distance is not None and abs(distance) <= 1:
                    run.trace.parts.add((mark, SIDED + int(distance) + 1))
            return value

        return choose

    def _parted_apply(self, node: n.Apply) -> Code:
        """Notes whether a rule inside a function is broken in this call of it."""
        plain, mark = self._apply(node), id(node)
        if not rules_inside(self.domain, node):
            return plain

        def apply(run: Any, scope: Scope) -> Any:
            before = len(run.broken)
            try:
                return plain(run, scope)
            finally:
                if any(one.enforced for one in run.broken[before:]):
                    run.trace.parts.add((mark, REFUSED))

        return apply

    def _parted_record(self, node: n.Record) -> Code:
        """Notes figures whose last place is in use."""
        entries, mark = [(self.code(key), self.code(value)) for key, value in node.entries], id(node)
        figures = [(at, value.type.places or 2) for at, (_, value) in enumerate(node.entries) if value.type.kind in FIGURES]

        def record(run: Any, scope: Scope) -> dict[str, Any]:
            made = {key(run, scope): value(run, scope) for key, value in entries}
            held = list(made.values())
            if len(held) == len(entries):
                used = [at for at, places in figures if held[at] is not None and half_even(held[at], places) % 10]
                run.trace.parts.update((mark, at) for at in used)
            return made

        return record

    def _parted_call(self, node: n.Call) -> Code:
        if node.name in ("max", "min"):
            return self._parted_choice(node)
        if node.name == "within":
            return self._within(node)
        return self._overlaps(node) if node.name == "overlaps" else self._call(node)

    def _within(self, node: n.Call) -> Code:
        """Notes on which side of both ends of the day a stretch is."""
        args, mark = [self.code(one) for one in node.args], id(node)

        def within(run: Any, scope: Scope) -> Any:
            start, minutes, opening, closing = [one(run, scope) for one in args]
            date, end = start.date(), start + span_of_minutes(minutes)
            first, last = start.combine(date, opening), start.combine(date, closing)
            begins, ends = first <= start, end <= last
            if ends and abs(first - start) <= NEAR:
                _note_end(run.trace, mark, 0, first, start)
            if begins and abs(end - last) <= NEAR:
                _note_end(run.trace, mark, 1, end, last)
            return begins and ends

        return within

    def _overlaps(self, node: n.Call) -> Code:
        """Notes how each of two stretches lies to the end of the other; called for every pair of them."""
        (start, minutes, other, its), mark = [self.code(one) for one in node.args], id(node)

        def overlaps(run: Any, scope: Scope) -> Any:
            one, two = start(run, scope), other(run, scope)
            end, ended = two + span_of_minutes(its(run, scope)), one + span_of_minutes(minutes(run, scope))
            before, after = one < end, two < ended
            if after and abs(one - end) <= NEAR:
                _note_end(run.trace, mark, 0, one, end)
                _note_overlap(run.trace, mark, 0, one, end)
            if before and abs(two - ended) <= NEAR:
                _note_end(run.trace, mark, 1, two, ended)
                _note_overlap(run.trace, mark, 1, two, ended)
            return before and after

        return overlaps

    def _parted_choice(self, node: n.Call) -> Code:
        """Notes which of two figures is the greater."""
        plain, link, mark = self._call(node), link_of(node), id(node)
        if link is None:
            return plain
        left, right, one = self.code(node.args[0]), self.code(node.args[1]), unit(link)

        def choose(run: Any, scope: Scope) -> Any:
            values = left(run, scope), right(run, scope)
            if None not in values:
                distance = in_units(*values, one)
                run.trace.distances.setdefault(mark, set()).add(distance)
                run.trace.units[mark] = one
                run.trace.parts.add((mark, (distance > 0) - (distance < 0) + 1))
            return plain(run, scope)

        return choose

    def _clause(self, clause: n.Clause, element: Code, *, nested: bool) -> Callable[[Run, Scope], Iterator[Any]]:
        """Notes which elements pass, and whether there are two or more."""
        source, conditions = self.iterable(clause.source), [self.code(one) for one in clause.conditions]
        name, bind, (mark, at) = sole(clause.targets), binder(clause.targets), self._places.get(id(clause), (0, 0))
        sides = bounded_ones(clause)

        def each(run: Any, scope: Scope) -> Iterator[Any]:
            inner, left_out, passed = dict(scope), False, 0
            try:
                for value in source(run, scope):
                    run.steps -= 1
                    if run.steps < 0:
                        raise Fault("too many steps")
                    if name:
                        inner[name] = value
                    else:
                        bind(inner, value)
                    for condition in conditions:
                        if not condition(run, inner):
                            left_out = True
                            break
                    else:
                        passed += 1
                        if nested:
                            yield from element(run, inner)
                        else:
                            yield element(run, inner)
                    if sides:
                        run.trace.parts.update(_near_sides(run, mark, at, sides))
            finally:
                _note_turns(run.trace.parts, mark, at, passed, left_out=left_out)

        return each

    def generator(self, node: n.Comprehension) -> Callable[[Run, Scope], Iterator[Any]]:
        """The elements of a comprehension, with its clauses known by their place in it."""
        self._places.update({id(clause): (id(node), at) for at, clause in enumerate(node.clauses)})
        return super().generator(node)

    def quantifier(self, node: n.Node, *, wanted: bool) -> Code:
        """`any` or `all`, of elements that are noted as they are made."""
        return quantified(self.iterable(node), wanted=wanted)


def _with_constant(left: Code, apply: Callable[[Any, Any], Any], constant: Any, seen: tuple[tuple[int, int], tuple[int, int]]) -> Code:
    """A comparison with a literal, by far the commonest."""

    def compare(run: Any, scope: Scope) -> bool:
        holds = bool(apply(left(run, scope), constant))
        run.trace.parts.add(seen[holds])
        return holds

    return compare


def _measuring(left: Code, right: Code, mark: int, one: Fraction) -> Callable[[Any, Scope], tuple[Any, Any]]:
    """Both sides of a comparison; how far they are apart is noted, and what was read for them."""

    def sides(run: Any, scope: Scope) -> tuple[Any, Any]:
        trace = run.trace
        outer = trace.cells
        inner = trace.cells = {}
        try:
            this, other = left(run, scope), right(run, scope)
        finally:
            outer.update(inner)
            trace.cells = outer
            trace.note_focus(mark, inner)
        known = trace.distances.get(mark)
        if known is None:
            known = trace.distances[mark] = set()
        if len(known) < MANY and this is not None and other is not None:
            distance = trace.last[mark] = in_units(this, other, one)
            known.add(distance)
            trace.units[mark] = one
            if distance in SIDES:
                trace.parts.add((mark, RANKED + int(distance)))
        return this, other

    return sides


def _note_turns(parts: set[tuple[int, int]], mark: int, at: int, passed: int, *, left_out: bool) -> None:
    """Which elements there were: some that passed, two or more, some that did not."""
    if left_out:
        parts.add((mark, 10 * at))
    if passed:
        parts.add((mark, 10 * at + 1))
    if passed > 1:
        parts.add((mark, TURNS))


def _near_sides(run: Watched, mark: int, at: int, bounded: list[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    for number, compared in bounded:
        distance = run.trace.last.get(compared)
        if distance is not None and abs(distance) <= 1:
            yield mark, sided(at, number, int(distance))


def _note_deciding(trace: Trace, mark: int, count: int, against: tuple[int, int], bounded: list[tuple[int, int]]) -> None:
    """Which operand decides alone, on which side of its boundary; and how many must change until one does.

    Args:
        against: Places of the first two operands that are against it; -1 for none.
    """
    first, second = against
    place = (mark, first, second)
    if place not in trace.deciding:
        trace.deciding.add(place)
        held = [one for one in against if one >= 0]
        for at in range(count):
            off = sum(one != at for one in held) + (at not in held)
            trace.off[mark, at] = min(off, trace.off.get((mark, at), off))
        trace.off[mark, count] = min(len(held), trace.off.get((mark, count), 2))
        if second < 0:
            trace.parts.add((mark, first if first >= 0 else count))
    if second >= 0:
        return
    for at, compared in bounded:
        distance = trace.last.get(compared)
        if distance is not None and abs(distance) <= 1 and first in (-1, at):
            trace.parts.add((mark, SIDED + 10 * at + int(distance) + 1))


def _boundary_unit(node: n.Compare, left: n.Node, op: Any, right: n.Node) -> Fraction | None:
    """The unit of one link of a chain, if it has a boundary."""
    link = n.Compare(where=node.where, type=node.type, left=left, rest=((op, right),))
    return unit(link) if is_boundary(link) else None


def _note_side(run: Watched, mark: int, at: int, left: Any, right: Any, one: Fraction) -> None:
    """Just below, at or just above a boundary."""
    if left is None or right is None:
        return
    distance = in_units(left, right, one)
    if abs(distance) <= 1:
        run.trace.parts.add((mark, 10 * at + int(distance) + 1))


def _note_end(trace: Trace, mark: int, at: int, left: Any, right: Any) -> None:
    """On which side of one end of a span a moment is."""
    trace.parts.add((mark, 10 * at + (0 if left < right else 2 if left > right else 1)))


def _note_overlap(trace: Trace, mark: int, at: int, left: Any, right: Any) -> None:
    """How long two things overlap, or how far apart they are, in minutes."""
    known = trace.distances.setdefault(mark, set())
    if len(known) < MANY:
        known.add(Fraction((left - right) // MINUTE))
        trace.units[mark] = Fraction(60)
    if right - left == MINUTE:
        trace.parts.add((mark, 10 * at + JUST))


def _tells(value: Any, idle: int) -> bool:
    """Whether a value is not one that leaves the other as it is."""
    if value is None:
        raise Fault("no value")
    if isinstance(value, int) or type(value) is Fraction:
        return value.denominator > 1 or value.numerator not in (0, idle)
    return bool(value)
