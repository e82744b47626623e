"""Tasks of kind `do`: one to three operations in one request."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from registry.package.pack import HeldBack
from synth.lang.domain import Domain, Tool
from synth.reference.interpret import reference
from synth.reference.state import Ref, State
from synth.tasks.ask import Asked, ask, imperative, slots, wordings
from synth.tasks.chance import Chance
from synth.tasks.describe import Described
from synth.tasks.draft import Draft, Script, accepted_change, done_draft
from synth.tasks.guard import Guard
from synth.tasks.kinship import Kinship
from synth.tasks.phrase import Phrase, as_phrase
from synth.tasks.play import Play, Stuck
from synth.tasks.propose import Proposal, Proposer
from synth.tasks.refer import is_query
from synth.tasks.smooth import smooth
from synth.tasks.style import CLOSING
from synth.tasks.view import View

TRIES = 30
MOST_NOTHING = 6
"""A tool for which so often no arguments can be thought of is given up."""
THEN = (". Also, ", ". Then ", ". And ", ". Besides that, ")


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


@dataclass(slots=True)
class Story:
    """Operations asked for so far and the state that they lead to."""

    state: State
    steps: list[Asked]
    known: dict[Ref, Described]
    near: frozenset[tuple[str, str]] = frozenset()
    calls: int = 0


def feasible_step(shop: Workshop, story: Story, tool: Tool, prefix: str, *, conditional: bool = False) -> tuple[Asked, State] | None:
    """A call of `tool` that the rules allow in the story's state, in words that fit the start state.

    Args:
        conditional: The words must be able to stand after `if`.
    """
    offered = [one for one in wordings(tool) if not conditional or imperative(one)]
    if not offered:
        return None
    wording = shop.rng.choice(offered)
    proposer = shop.proposer(story.state)
    play = Play(shop.domain, story.state)
    nothing = 0
    for _ in range(TRIES):
        proposal = proposer.propose(tool, slots(wording), story.near)
        if proposal is None:
            nothing += 1
            if nothing == MOST_NOTHING:
                return None
            continue
        if any(one.key not in shop.state.tables[one.entity] for one in refs(proposal)):
            continue
        prediction = play.try_call(tool.name, proposal.arguments())
        if prediction.kind != "ok" or reference(shop.domain).broken(story.state, tool.name, proposal.arguments(), play.now()):
            continue
        if not accepted_change(shop.domain, story.state, prediction.state).changes:
            continue
        known = dict(story.known)
        asked = ask(shop.view, wording, proposal, prefix, shop.rng, known)
        if asked is not None and len(set(_row_keys(asked))) == len(_row_keys(asked)) and _still_meant(shop, story, asked):
            story.known = known
            return asked, prediction.state
    return None


def _still_meant(shop: Workshop, story: Story, asked: Asked) -> bool:
    """Whether words that depend on how rows stand mean the same rows after the steps before."""
    view = View(shop.domain, story.state)
    new = [one for _, several in asked.rows for one in several if is_query(one) and Ref(one.entity, one.key) not in story.known]
    return all(view.meant(one.entity, one.leaves) == one.key for one in new)


def _row_keys(asked: Asked) -> list[str]:
    return [one.key for _, several in asked.rows for one in several]


def make_do(shop: Workshop, length: int) -> Draft | None:
    """A request of `length` operations that share rows or persons; None when this try fails."""
    story = Story(state=shop.state, steps=[], known={})
    for number in range(length):
        step = next_step(shop, story, f"s{number}")
        if step is None:
            return None
        asked, state = step
        story.steps.append(asked)
        story.state = state
        for one in refs(asked.proposal):
            story.near = story.near | shop.kinship.of(one.entity, one.key)
    return finish_do(shop, story)


def next_step(
    shop: Workshop, story: Story, prefix: str, *, conditional: bool = False, fits: Callable[[Tool], bool] = lambda tool: True
) -> tuple[Asked, State] | None:
    """One more operation, of another tool than those before, which `fits`; `conditional` as for `feasible_step`."""
    taken = {asked.proposal.tool.name for asked in story.steps}
    candidates = [tool for tool in shop.writes() if tool.name not in taken and fits(tool)][:5]
    for tool in candidates:
        step = feasible_step(shop, story, tool, prefix, conditional=conditional)
        if step is not None:
            return step
        shop.miss(tool)
    return None


def refs(proposal: Proposal) -> list[Ref]:
    """The rows that a call names."""
    values = proposal.values.values()
    return [one for value in values for one in (value if isinstance(value, list) else [value]) if isinstance(one, Ref)]


def request(shop: Workshop, steps: list[Asked]) -> Phrase:
    """The operations as one message."""
    words = as_phrase("")
    turns = shop.rng.sample(THEN, len(THEN)) * len(steps)
    for number, asked in enumerate(steps):
        part = asked.phrase.stripped(".")
        if number == 0:
            words = words + part.capitalized()
        else:
            words = words + turns[number - 1] + part
    return smooth(words + "." + CLOSING)


def finish_do(shop: Workshop, story: Story) -> Draft | None:
    """The draft of a story: look-ups first, then the operations; None when gold cannot be played or a step undoes another."""
    words = request(shop, story.steps)
    script = shop.script(shop.state, words)
    try:
        for asked in story.steps:
            script.find_all(asked)
        partial: list[Mapping[tuple[str, str, str], object]] = []
        for asked in story.steps:
            before = script.play.state
            script.perform(asked)
            partial.append(_cells(shop.domain, before, script.play.state))
    except Stuck:
        return None
    whole = _cells(shop.domain, shop.state, script.play.state)
    if any(whole.get(cell) != value for cells in partial for cell, value in cells.items()):
        return None
    return done_draft(script, "do", described_rows(story.steps), tuple(asked.proposal for asked in story.steps))


def described_rows(steps: list[Asked]) -> tuple[Described, ...]:
    """Every row that the steps describe, once each."""
    found = {(one.entity, one.key): one for asked in steps for _, several in asked.rows for one in several}
    return tuple(found.values())


def _cells(domain: Domain, before: State, after: State) -> dict[tuple[str, str, str], object]:
    """Every changed cell and its value afterwards; for deleted rows, None."""
    return {
        (change.table, change.key, name): value.after
        for change in accepted_change(domain, before, after).changes
        if change.op != "insert"
        for name, value in change.values.items()
        if value.match != "exempt"
    }
