"""A closer look at one tool: calls near those that show something, for faults that no call of the gate has shown."""

from collections.abc import Iterator, Sequence
from itertools import islice
from random import Random
from typing import Any

from synth.gate.calls import Calls
from synth.gate.dropped import Drops
from synth.gate.instance import Lens
from synth.gate.likened import Likened
from synth.gate.mutate import Mutations
from synth.gate.parts import JUST
from synth.gate.seek import Seeker, Sought, steps
from synth.gate.standing import Standing
from synth.reference.interpret import Reference
from synth.reference.state import State

TRIES = 1200
PER_GOAL = 1000
GOAL_WORK = 200_000
"""Steps of the calls that are looked at for one goal that the gate did not show: some tools look at many rows in each call."""
PER_OTHER = 80
PER_FILTER = 4000
FILTER_WORK = 600_000
"""Steps of the calls that are looked at for one condition of a filter."""
OTHERS = 4
MINUTE_WORK = 2_000_000
"""Steps of the calls that are looked at for one overlap of a minute."""
UNREAD = 400
BESIDE = 2500
LIKENED = 3000


class Closer:
    """Makes such calls, each once, and keeps them.

    Args:
        start: The state to search from.
        sought: What the gate has found for each tool.
    """

    def __init__(self, reference: Reference, start: State, standing: Standing, sought: Sequence[Sought], seed: str) -> None:
        self._reference = reference
        self._start = start
        self._standing = standing
        self._sought = {one.tool.name: one for one in sought}
        self._seed = seed
        self._lens = Lens(reference)

    def _missed(self, sought: Sought, seed: str, *, keen: bool) -> Iterator[tuple[State, Any]]:
        """Calls that show goals which need not be shown, looked for longer than the gate does."""
        seeker = Seeker(self._reference, self._start, self._standing, f"{seed}/missed", aimed=True)
        known = {id(one) for one in sought.instances()}
        missing = sought.missing()
        sought.aim(missing)
        for goal in missing:
            if goal not in sought.found:
                seeker.seek_more(sought, goal, PER_GOAL, GOAL_WORK, keen=keen)
                yield from ((one.state, one.arguments) for one in sought.instances() if id(one) not in known)
                known.update(id(one) for one in sought.instances())
        sought.rest()
        for again in range(OTHERS):
            yield from self._others(sought, seeker.reseeded(f"{seed}/{again}"))

    def _others(self, sought: Sought, seeker: Seeker) -> Iterator[tuple[State, Any]]:
        """Other calls that show what one call shows already: rules alone, boundaries."""
        for goal in sought.goals:
            if goal.kind in ("rule", "boundary"):
                fresh = Sought(tool=sought.tool, goals=(goal,), open=[(goal, [])])
                seeker.seek_more(fresh, goal, PER_OTHER)
                yield from ((one.state, one.arguments) for one in fresh.instances())

    def look(self, tool: str, again: int = 0) -> Iterator[tuple[State, Any]]:
        """States that keep the invariants, with arguments: what the gate did not find, or in another way, then small changes of what it found.

        Args:
            again: How many looks went before: each draws otherwise, and begins with what those before have found.
        """
        sought, seed = self._sought[tool], f"{self._seed}/{tool}/{again}" if again else f"{self._seed}/{tool}"
        yield from self._missed(sought, seed, keen=again % 2 == 1)
        random = Random(f"{seed}/closer")
        mutations = Mutations(self._reference, Calls(self._reference, random), random)
        parents = sought.instances()
        for _ in range(TRIES if parents else 0):
            goal, parent = random.choice(sought.goals), random.choice(parents)
            child = mutations.child(parent, sought.tool, self._reference.now, steps(goal, parent), goal)
            if child is None or self._standing.broken(child[0]):
                continue
            seen = self._lens.look(child[0], tool, child[1], self._reference.now)
            if seen is None:
                continue
            if seen.refused < 2:
                parents.append(seen)
            yield child
        yield from self._unread(sought, mutations, random)
        yield from self._filters(sought, seed)
        yield from self._beside(sought, mutations, random)
        yield from self._minutes(sought, seed)
        yield from self._likened(sought, random)

    def _minutes(self, sought: Sought, seed: str) -> Iterator[tuple[State, Any]]:
        """Calls in which two spans overlap by one minute, in several ways: few of the moments that such a call reads are near one another."""
        for again in range(OTHERS):
            seeker = Seeker(self._reference, self._start, self._standing, f"{seed}/minutes/{again}")
            for goal in sought.goals:
                if goal.kind == "part" and goal.number in (JUST, 10 + JUST):
                    fresh = Sought(tool=sought.tool, goals=(goal,), open=[(goal, [])])
                    seeker.seek_more(fresh, goal, PER_FILTER, MINUTE_WORK)
                    yield from ((one.state, one.arguments) for one in fresh.instances())

    def _likened(self, sought: Sought, random: Random) -> Iterator[tuple[State, Any]]:
        """What the gate found, with a row that is more like another one."""
        likened = Likened(self._reference, self._standing, random)
        made = ((state, parent.arguments) for parent in sought.instances() for state in likened.of(parent))
        yield from islice(made, LIKENED)

    def _unread(self, sought: Sought, mutations: Mutations, random: Random) -> Iterator[tuple[State, Any]]:
        """What the gate found, with other values in fields that the call does not read."""
        parents = sought.instances()
        for _ in range(UNREAD if parents else 0):
            child = mutations.unread(random.choice(parents))
            if child is not None and not self._standing.broken(child[0]):
                yield child

    def _beside(self, sought: Sought, mutations: Mutations, random: Random) -> Iterator[tuple[State, Any]]:
        """What the gate found, with other values where an invariant reads them together with what the call reads; what the invariant says follows."""
        parents = [(one, self._standing.beside(one.trace.cells)) for one in sought.instances()]
        parents = [(one, cells) for one, cells in parents if cells]
        for _ in range(BESIDE if parents else 0):
            parent, cells = random.choice(parents)
            child = mutations.changed(parent, random.choice(cells))
            state = self._standing.repaired(child[0]) if child is not None else None
            if state is not None:
                yield state, parent.arguments

    def _filters(self, sought: Sought, seed: str) -> Iterator[tuple[State, Any]]:
        """For each condition of a filter a call that comes to something else without it."""
        drops = Drops(self._reference, sought.tool)
        seeker = Seeker(self._reference, self._start, self._standing, f"{seed}/filters", aimed=True, tells=drops.tells)
        for goal in sought.goals:
            if drops.about(goal):
                fresh = Sought(tool=sought.tool, goals=(goal,), open=[(goal, [])])
                seeker.seek_more(fresh, goal, PER_FILTER, FILTER_WORK)
                yield from ((one.state, one.arguments) for one in fresh.instances())
