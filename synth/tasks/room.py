"""A world in which every tool can do something: what has to be there first is done by calls of other tools, as by people who worked in it before."""

from collections.abc import Iterator

from synth.graph.access import access
from synth.lang.domain import Domain, Tool
from synth.reference.interpret import reference
from synth.reference.state import Ref, State
from synth.tasks.chance import Chance
from synth.tasks.references.ask import slots, wordings
from synth.tasks.rows.fitting import allowed, fitting
from synth.tasks.rows.guard import Guard
from synth.tasks.rows.kinship import Kinship
from synth.tasks.rows.mending import mended
from synth.tasks.rows.propose import Proposal, Proposer
from synth.tasks.rows.view import View
from synth.tasks.solving.allow import rule_fields

REQUESTS, MENDED = 16, 2
"""So many calls are thought of to see whether a tool can do something; so many of them are mended until it can."""
FEW = 5
"""The same for a step of a chain, of which one is mended; whether the tool is possible then is asked with mending at the end of a chain alone."""
CHAINS, MORE, LENGTH = (6, 2), (18, 2), 3
"""So many chains of so many earlier calls are tried for a tool that cannot: to make it possible, and once more, so that tasks have more than one
row to speak of. MORE where a world is made for such tools alone."""
MENDINGS = 3
"""For so many calls it is tried whether the rows that they name can hold other values, with which they are allowed."""


class Room:
    """Makes room in one world after the other.

    Args:
        sibling: Another world, whose values are borrowed.

    Attributes:
        guard: Of the world as it was given.
        found: A call of each tool that was made possible.
    """

    def __init__(self, domain: Domain, state: State, sibling: State, rng: Chance) -> None:
        self.domain = domain
        self.state = state
        self.guard = Guard(domain, state)
        self.found: dict[str, Proposal] = {}
        self._kinship = self._kinship_there = Kinship(domain, state)
        self._sibling = View(domain, sibling)
        self._rng = rng

    def make(self, tools: list[Tool], *, patient: bool = False) -> State:
        """The world after some calls, each of which the rules allow, with which as many of the tools as possible can do something.

        Where one or two other values in a row are enough, as if its story had been another one, no calls are sought.

        Args:
            patient: Try three times as long, and mend at each step of a chain.
        """
        for tool in tools:
            if wordings(tool) and not tool.read_only and self.possible(self.state, tool) is None:
                found = self._mended(tool)
                for chains in (MORE if patient else CHAINS) if found is None else ():
                    found = self._with_room(tool, chains, patient=patient)
                    if found is None:
                        break
                    self.state = found
                self.state = found or self.state
        return self.state

    def possible(
        self, state: State, tool: Tool, near: frozenset[tuple[str, str]] = frozenset(), requests: int = REQUESTS, most: int = MENDED
    ) -> Proposal | None:
        """A call of the tool that is allowed and changes something, in words that it has; None where none is found."""
        proposer = self._proposer(state)
        mended = 0
        for _ in range(requests):
            proposal = proposer.propose(tool, slots(self._rng.choice(wordings(tool))), near)
            if proposal is None:
                continue
            if allowed(self.domain, state, proposal):
                return proposal
            if mended < most:
                mended += 1
                found = fitting(proposer, proposal)
                if found is not None:
                    return found
        return None

    def _mended(self, tool: Tool) -> State | None:
        """The world with other values in a row with which the tool can then do something."""
        proposer = self._proposer(self.state)
        for _ in range(MENDINGS):
            call = proposer.propose(tool, slots(self._rng.choice(wordings(tool))))
            found = None if call is None else mended(self.domain, self.state, self.guard, call, self._rng)
            if call is not None and found is not None:
                self.found[tool.name] = call
                return found
        return None

    def _with_room(self, tool: Tool, chains: int, *, patient: bool) -> State | None:
        """The world after one of the chains of earlier calls that make the tool possible."""
        before = self._helping(tool)
        for number in range(chains if before else 0):
            state, near = self.state, frozenset[tuple[str, str]]()
            for left, helper in enumerate((before[number % len(before)], *(self._rng.choice(before) for _ in range(LENGTH - 1))), start=1 - LENGTH):
                step = self._step(state, helper, near)
                if step is None:
                    continue
                state, near = step
                call = self.possible(state, tool, near, FEW, 0 if left and not patient else 1)
                if call is not None and self.guard.holds(state):
                    self.found[tool.name] = call
                    return state
        return None

    def _helping(self, tool: Tool) -> list[Tool]:
        """Tools that write what a rule of the tool reads, or make rows that it takes, those first; then those that write what it writes itself."""
        read = rule_fields(self.domain, tool)
        taken = {entity for param in tool.params for entity in (param.type.item or param.type).entities}
        found = [one for one in self.domain.tools if not one.read_only and one is not tool and wordings(one)]
        found = [one for one in found if access(self.domain, one).writes & read or access(self.domain, one).creates & taken]
        own = access(self.domain, tool).writes

        def late(one: Tool) -> tuple[bool, int]:
            return not access(self.domain, one).creates & taken, -len(access(self.domain, one).writes & own)

        return sorted(self._rng.sample(found, len(found)), key=late)

    def _step(self, state: State, tool: Tool, near: frozenset[tuple[str, str]]) -> tuple[State, frozenset[tuple[str, str]]] | None:
        """The state after one call of the tool, and the rows that it was about."""
        call = self.possible(state, tool, near, FEW, 1)
        if call is None:
            return None
        machine = reference(self.domain)
        done = machine.predict(state, tool.name, call.arguments(), machine.now)
        kinship = Kinship(self.domain, done.state)
        rows = [*_rows(call), *(Ref(one.table, one.key) for one in done.writes if one.op != "delete")]
        return done.state, near | frozenset(kin for one in rows for kin in kinship.of(one.entity, one.key))

    def _proposer(self, state: State) -> Proposer:
        return Proposer(View(self.domain, state), self._kin(state), self._sibling, self._rng)

    def _kin(self, state: State) -> Kinship:
        """Relations in a state; those in the world itself and in the other state asked about last are kept."""
        if state is self.state:
            if self._kinship.state is not state:
                self._kinship = Kinship(self.domain, state)
            return self._kinship
        if self._kinship_there.state is not state:
            self._kinship_there = Kinship(self.domain, state)
        return self._kinship_there


def _rows(call: Proposal) -> Iterator[Ref]:
    for value in call.values.values():
        yield from (one for one in (value if isinstance(value, list) else [value]) if isinstance(one, Ref))
