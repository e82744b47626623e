"""What a maker of tasks works with: a state, chance, and which tools were used so far."""

from dataclasses import dataclass, field

from registry.package.pack import HeldBack
from synth.lang.domain import Domain, Tool
from synth.reference.state import State
from synth.tasks.chance import Chance
from synth.tasks.draft import Script
from synth.tasks.references.ask import wordings
from synth.tasks.rows.guard import Guard
from synth.tasks.rows.kinship import Kinship
from synth.tasks.rows.propose import Proposer
from synth.tasks.rows.view import View
from synth.tasks.wording.phrase import Phrase


@dataclass(slots=True)
class Workshop:
    """What one maker of tasks works with.

    Attributes:
        used: How many tasks use each tool so far; rarely used ones come first.
        missed: How many times nothing came of a tool, by purpose; such tools come later, else they would keep all others from their turn.
    """

    domain: Domain
    state: State
    sibling: State
    rng: Chance
    used: dict[str, int] = field(default_factory=dict)
    missed: dict[tuple[str, str], int] = field(default_factory=dict)
    kinship: Kinship = field(init=False)
    guard: Guard = field(init=False)

    def __post_init__(self) -> None:
        self.kinship = Kinship(self.domain, self.state)
        self.guard = Guard(self.domain, self.state)

    @property
    def view(self) -> View:
        """The state in which tasks start."""
        return View(self.domain, self.state)

    def proposer(self, state: State) -> Proposer:
        """A proposer of arguments for calls in `state`."""
        return Proposer(View(self.domain, state), self.kinship, View(self.domain, self.sibling), self.rng)

    def writes(self, purpose: str = "") -> list[Tool]:
        """Tools that can be asked for and write, the least used first, in random order among equals."""
        return self.in_turn([tool for tool in self.domain.tools if not tool.read_only and wordings(tool)], purpose)

    def in_turn(self, tools: list[Tool], purpose: str = "") -> list[Tool]:
        """The tools, the least used first, in random order among equals."""
        self.rng.shuffle(tools)
        return sorted(tools, key=lambda tool: self.used.get(tool.name, 0) + self.missed.get((purpose, tool.name), 0))

    def script(self, state: State, words: Phrase, held_back: tuple[HeldBack, ...] = ()) -> Script:
        """Gold for these words; it looks at rows with tools that no task uses yet."""
        unused = frozenset(tool.name for tool in self.domain.tools if tool.kind == "get" and not self.used.get(tool.name))
        return Script(self.domain, state, words, held_back, unused)

    def miss(self, tool: Tool, purpose: str = "") -> None:
        """Notes that nothing came of a tool."""
        self.missed[purpose, tool.name] = self.missed.get((purpose, tool.name), 0) + 1

    def grow(self, state: State) -> None:
        """Goes on in a state with more rows."""
        self.state = state
        self.kinship = Kinship(self.domain, state)

    def note_use(self, tools: tuple[str, ...]) -> None:
        """Counts the tools of a task that is kept."""
        for name in tools:
            self.used[name] = self.used.get(name, 0) + 1
