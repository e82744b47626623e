"""A closer look at one tool: calls near those that show something, for faults that no call of the gate has shown."""

from collections.abc import Iterator, Sequence
from random import Random
from typing import Any

from synth.gate.calls import Calls
from synth.gate.instance import Lens
from synth.gate.mutate import Mutations
from synth.gate.seek import Sought, steps
from synth.gate.standing import Standing
from synth.reference.interpret import Reference
from synth.reference.state import State

TRIES = 600


class Closer:
    """Makes such calls, each once, and keeps them.

    Args:
        sought: What the gate has found for each tool.
    """

    def __init__(self, reference: Reference, standing: Standing, sought: Sequence[Sought], seed: str) -> None:
        self._reference = reference
        self._standing = standing
        self._sought = {one.tool.name: one for one in sought}
        self._seed = seed
        self._lens = Lens(reference)

    def look(self, tool: str) -> Iterator[tuple[State, Any]]:
        """States that keep the invariants, with arguments; each a small change of a call that showed something."""
        sought = self._sought[tool]
        random = Random(f"{self._seed}/{tool}/closer")
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
