"""Tasks of kind `do`: one to three operations in one request."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from synth.lang.domain import Domain, Tool
from synth.reference.state import Ref, State
from synth.tasks.draft import Draft, accepted_change, done_draft
from synth.tasks.level import level
from synth.tasks.play import Play, Stuck
from synth.tasks.references.ask import Asked, ask, imperative, slots, wordings
from synth.tasks.references.describe import Described
from synth.tasks.references.refer import is_query
from synth.tasks.rows.fitting import allowed, fitting
from synth.tasks.rows.propose import LOOSE, RELATED, Proposal
from synth.tasks.rows.view import View
from synth.tasks.wording.phrase import Phrase, as_phrase
from synth.tasks.wording.smooth import smooth
from synth.tasks.wording.style import CLOSING
from synth.tasks.workshop import Workshop

TRIES = 30
MENDED = (9, 19, 29)
"""Which of them are mended until the rules allow them."""
MOST_NOTHING = 6
"""A tool for which so often no arguments can be thought of is given up."""
GROWTHS, MOST_OPERATIONS = 8, 3
"""So many operations are tried for one request of a level that is asked for; so many it has at most."""
THEN = (". Also, ", ". Then ", ". And ", ". Besides that, ")


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
    hint = None if story.steps or shop.focus != tool.name else shop.hints.get(tool.name)
    wording = shop.rng.choice([one for one in offered if hint is not None and slots(one) == hint.values.keys()] or offered)
    proposer = shop.proposer(story.state)
    play = Play(shop.domain, story.state)
    nothing = 0
    for number in range(TRIES):
        hinted = hint if not number and hint is not None and slots(wording) == hint.values.keys() else None
        proposal = hinted or proposer.propose(tool, slots(wording), story.near, RELATED if number < TRIES // 2 else LOOSE)
        if proposal is None:
            nothing += 1
            if nothing == MOST_NOTHING:
                return None
            continue
        if any(one.key not in shop.state.tables[one.entity] for one in refs(proposal)):
            continue
        prediction = play.try_call(tool.name, proposal.arguments())
        if number in MENDED and not allowed(shop.domain, story.state, proposal):
            mended = fitting(proposer, proposal)
            if mended is None or any(one.key not in shop.state.tables[one.entity] for one in refs(mended)):
                continue
            proposal, prediction = mended, play.try_call(tool.name, mended.arguments())
        if not play.lawful(prediction, tool.name, proposal.arguments()):
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
    """A request of `length` operations that share rows or persons; None when this try fails.

    Where only some levels are asked for, an operation is added to one that is too easy, and one that makes it too hard gives way to another.
    """
    if shop.aim.chooses:
        return _grown(shop)
    story = Story(state=shop.state, steps=[], known={})
    for number in range(length):
        step = next_step(shop, story, f"s{number}")
        if step is None:
            return None
        _add(shop, story, step)
    return finish_do(shop, story)


def _add(shop: Workshop, story: Story, step: tuple[Asked, State]) -> None:
    asked, story.state = step
    story.steps.append(asked)
    for one in refs(asked.proposal):
        story.near = story.near | shop.kinship.of(one.entity, one.key)


def _grown(shop: Workshop) -> Draft | None:
    """A request that grows until it has one of the levels asked for; None when this try fails."""
    story, refused = Story(state=shop.state, steps=[], known={}), set[str]()
    for _ in range(GROWTHS):
        further = replace(story, steps=list(story.steps), known=dict(story.known))
        step = next_step(shop, further, f"s{len(story.steps)}", fits=lambda tool: tool.name not in refused)
        if step is None:
            return None
        _add(shop, further, step)
        draft = finish_do(shop, further)
        off = 1 if draft is None else shop.aim.off(level(shop.domain, draft))
        if off == 0:
            return draft
        if off < 0 and len(further.steps) < MOST_OPERATIONS:
            story = further
        else:
            refused.add(step[0].proposal.tool.name)
    return None


def next_step(
    shop: Workshop, story: Story, prefix: str, *, conditional: bool = False, fits: Callable[[Tool], bool] = lambda tool: True
) -> tuple[Asked, State] | None:
    """One more operation, of another tool than those before, which `fits`; `conditional` as for `feasible_step`."""
    taken = {asked.proposal.tool.name for asked in story.steps}
    candidates = shop.aimed([tool for tool in shop.writes() if tool.name not in taken and fits(tool)])[:5]
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
        states = [shop.state]
        for asked in story.steps:
            script.perform(asked)
            states.append(script.play.state)
    except Stuck:
        return None
    if not all_last(shop.domain, states):
        return None
    return done_draft(script, "do", described_rows(story.steps), tuple(asked.proposal for asked in story.steps))


def described_rows(steps: list[Asked]) -> tuple[Described, ...]:
    """Every row that the steps describe, once each."""
    found = {(one.entity, one.key): one for asked in steps for _, several in asked.rows for one in several}
    return tuple(found.values())


def all_last(domain: Domain, states: Sequence[State]) -> bool:
    """Whether what each step changed is so in the end too; `states` are the one before the first and those after each."""
    whole = _cells(domain, states[0], states[-1])
    return all(whole.get(cell) == value for before, after in pairwise(states) for cell, value in _cells(domain, before, after).items())


def _cells(domain: Domain, before: State, after: State) -> dict[tuple[str, str, str], object]:
    """Every changed cell and its value afterwards; for deleted rows, None."""
    return {
        (change.table, change.key, name): value.after
        for change in accepted_change(domain, before, after).changes
        if change.op != "insert"
        for name, value in change.values.items()
        if value.match != "exempt"
    }
