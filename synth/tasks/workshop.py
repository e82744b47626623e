"""What a maker of tasks works with: a state, chance, and which tools were used so far."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from registry.package.pack import HeldBack
from synth.lang.domain import Domain, Tool
from synth.reference.state import State
from synth.tasks.aim import Aim
from synth.tasks.chance import Chance
from synth.tasks.draft import Draft, Script
from synth.tasks.level import level
from synth.tasks.neighbours import Neighbours
from synth.tasks.references.ask import wordings
from synth.tasks.rows.guard import Guard
from synth.tasks.rows.kinship import Kinship
from synth.tasks.rows.propose import Proposal, Proposer
from synth.tasks.rows.view import View
from synth.tasks.wording.phrase import Phrase


@dataclass(slots=True)
class Workshop:
    """What one maker of tasks works with.

    Attributes:
        used: How many tasks use each tool so far; rarely used ones come first.
        missed: How many times nothing came of a tool, by purpose; such tools come later, else they would keep all others from their turn.
        focus: The tool that the next task has to be about; empty for any. Only tries with it come of asking for tools in turn.
        aim: Which levels are asked for, and what came to others.
        looking: A reading tool with which gold looks at what belongs to a row that it has found.
        hints: A call that the rules allow, of tools for which few are; taken up when the tool is in focus.
    """

    domain: Domain
    state: State
    sibling: State
    rng: Chance
    used: dict[str, int] = field(default_factory=dict)
    missed: dict[tuple[str, str], int] = field(default_factory=dict)
    aim: Aim = field(default_factory=Aim)
    focus: str = ""
    looking: Tool | None = None
    hints: Mapping[str, Proposal] = field(default_factory=dict)
    kinship: Kinship = field(init=False)
    guard: Guard = field(init=False)
    neighbours: Neighbours = field(init=False)
    _earlier: Kinship = field(init=False)

    def __post_init__(self) -> None:
        self.kinship = self._earlier = Kinship(self.domain, self.state)
        self.guard = Guard(self.domain, self.state)
        self.neighbours = Neighbours(self.domain)

    @property
    def view(self) -> View:
        """The state in which tasks start."""
        return View(self.domain, self.state)

    def proposer(self, state: State) -> Proposer:
        """A proposer of arguments for calls in `state`."""
        return Proposer(View(self.domain, state), self.kinship, View(self.domain, self.sibling), self.rng)

    @property
    def unused(self) -> list[Tool]:
        """Tools that no task uses so far."""
        return [tool for tool in self.domain.tools if not self.used.get(tool.name)]

    def writes(self, purpose: str = "") -> list[Tool]:
        """Tools that can be asked for and write, the least used first, in random order among equals."""
        return self.in_turn([tool for tool in self.domain.tools if not tool.read_only and wordings(tool)], purpose)

    def in_turn(self, tools: list[Tool], purpose: str = "") -> list[Tool]:
        """The tools, the least used first, in random order among equals."""
        self.rng.shuffle(tools)
        return sorted(tools, key=lambda tool: self.used.get(tool.name, 0) + self.missed.get((purpose, tool.name), 0) + self.aim.behind(tool.name))

    def aimed(self, tools: list[Tool]) -> list[Tool]:
        """The tool in focus alone, where it is one of these."""
        return [tool for tool in tools if tool.name == self.focus] or tools

    def script(self, state: State, words: Phrase, held_back: tuple[HeldBack, ...] = ()) -> Script:
        """Gold for these words; it looks at rows with tools that no task uses yet."""
        unused = frozenset(tool.name for tool in self.domain.tools if tool.kind == "get" and not self.used.get(tool.name))
        return Script(self.domain, state, words, held_back, unused, self.looking)

    def miss(self, tool: Tool, purpose: str = "") -> None:
        """Notes that nothing came of a tool."""
        self.missed[purpose, tool.name] = self.missed.get((purpose, tool.name), 0) + 1

    def grow(self, state: State) -> None:
        """Goes on in a state with more rows, or in the one before it again."""
        earlier, self._earlier = self._earlier, self.kinship
        self.kinship = earlier if earlier.state is state else Kinship(self.domain, state, self.kinship)
        self.state = state

    def off(self, draft: Draft) -> int:
        """By how much the level of a draft misses those asked for; a miss is noted against its tools."""
        if not self.aim.chooses:
            return 0
        off = self.aim.off(level(self.domain, draft))
        if off:
            self.aim.missed(about(draft))
        return off

    def note_use(self, tools: tuple[str, ...]) -> None:
        """Counts the tools of a task that is kept."""
        for name in tools:
            self.used[name] = self.used.get(name, 0) + 1


def about(draft: Draft) -> tuple[str, ...]:
    """The tools, or for a question about a row its entity, on which the level depends most."""
    if draft.reading is not None:
        return tuple(dict.fromkeys(filter(None, [draft.reading.entity, draft.calls[draft.reading.call].tool])))
    return tuple(dict.fromkeys([*(one.tool.name for one in draft.operations), *filter(None, [draft.made_by])]))
