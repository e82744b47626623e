"""Changes of mind: the user of a multi-turn task tells a value and takes it back before it is entered; their twin stays with it."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from registry.dispatch.harness import ASK
from registry.package.pack import HeldBack
from registry.package.symbols import SymbolError, resolve
from synth.tasks.draft import Draft, TakenBack, accepted_change
from synth.tasks.kinds.told import Withheld, answer_of, ended, finish, in_quotes
from synth.tasks.play import Play, Stuck, reads_only
from synth.tasks.references.ask import Asked
from synth.tasks.rows.propose import Proposal
from synth.tasks.solving.recheck import outcome_in
from synth.tasks.wording.english import say
from synth.tasks.wording.textfacts import facts_of_changes
from synth.tasks.workshop import Workshop

TRIES = 6
CHECKS = (
    "Before you do anything, ask me once more whether that still stands.",
    "Check with me again before you go ahead, I may see it differently by then.",
    "Ask me again before you start, in case something has changed.",
)
"""What a request says whose user changes their mind, or may, without a further question that would bring it out."""
_CHANGES = (
    "Sorry, I was wrong about the {topic}: {said} is right.",
    "Wait, I have changed my mind about the {topic}: make it {said}.",
    "On second thoughts, about the {topic}: take {said} instead.",
)


def changing(shop: Workshop, steps: Sequence[Asked], withheld: tuple[Withheld, ...]) -> Draft | None:
    """The request of a user who tells one value and later takes it back for the one of the steps; None when no such story is found.

    What they say first could be done as well, and would lead to something else. They take it back with a further answer that the request needs
    anyway, if nothing can go wrong before; else only when they are asked again, as the request says.
    """
    for place in shop.rng.sample(range(len(withheld)), len(withheld)):
        for _ in range(TRIES):
            value = _other(shop, steps, withheld[place])
            draft = None if value is None else _taking_back(shop, steps, withheld, place, value)
            if draft is not None:
                return draft
    return None


def _other(shop: Workshop, steps: Sequence[Asked], one: Withheld) -> Any:
    """Another value for what was withheld; None when there is none."""
    proposer = shop.proposer(shop.state)
    value = proposer.scalar(one.param)
    if value is None or one.param.of is None:
        return value
    return proposer.fitted(one.param.of, _step(steps, one).proposal.values[one.param.name], value)


def _step(steps: Sequence[Asked], one: Withheld) -> Asked:
    """The step that takes the value."""
    return next(step for step in steps if step.tag(one.param.name) == one.tag)


def _taking_back(shop: Workshop, steps: Sequence[Asked], withheld: tuple[Withheld, ...], place: int, value: Any) -> Draft | None:
    """The draft in which `value` is what the user says first."""
    one = withheld[place]
    asked = _step(steps, one)
    first = say(value, one.param.type, shop.view.today)
    literal = Proposal(tool=asked.proposal.tool, values={one.param.name: value}).arguments()[one.param.argument]
    if one.said.strip('"').casefold() in first.casefold() or first.casefold() in one.said.casefold():
        return None
    then = ended(shop.rng.choice(_CHANGES).format(topic=one.topic, said=in_quotes(shop.domain, one.param, one.said)))
    check = shop.rng.choice(CHECKS)
    for asked_again in (False, True) if len(withheld) > 1 else (True,):
        fact = HeldBack(
            topic=one.topic, asks=one.fact.asks, answer=answer_of(shop.domain, one.param, one.topic, first), then=then, asked_again=asked_again
        )
        told = (*withheld[:place], replace(one, fact=fact), *withheld[place + 1 :])
        draft = finish(shop, steps, told, check if asked_again else "")
        if draft is None:
            continue
        draft = replace(draft, taken_back=_place(draft, asked, one, fact, first, value, literal))
        if stays(shop, draft) is not None and (asked_again or _safe(shop, draft)):
            return draft
    return None


def _place(draft: Draft, asked: Asked, one: Withheld, fact: HeldBack, first: str, value: Any, literal: Any) -> TakenBack:
    argument = one.param.argument
    number = next(number for number, call in enumerate(draft.calls) if call.tool == asked.proposal.tool.name)
    told = next(place for place, call in enumerate(draft.calls) if call.arguments.get("question") == f"What is the {fact.topic}?")
    return TakenBack(call=number, argument=argument, param=one.param.name, told=told, said=first, value=value, literal=literal)


def stays(shop: Workshop, draft: Draft) -> Draft | None:
    """The same words with a user who stays with what they said first; None where that could not be done, or came to the same."""
    back = draft.taken_back
    if back is None:
        return None
    call = draft.calls[back.call]
    source = call.sources[back.argument].model_copy(update={"call": back.told, "text": back.said})
    kept = call.model_copy(update={"arguments": {**call.arguments, back.argument: back.literal}, "sources": {**call.sources, back.argument: source}})
    told = replace(
        draft,
        calls=(*draft.calls[: back.call], kept, *draft.calls[back.call + 1 :]),
        held_back=tuple(one.model_copy(update={"then": "", "asked_again": False}) for one in draft.held_back),
        operations=tuple(
            replace(one, values={**one.values, back.param: back.value}) if one.tool.name == call.tool else one for one in draft.operations
        ),
        taken_back=None,
    )
    there = outcome_in(shop.domain, shop.state, told)
    if there is None or there.accepted == draft.accepted:
        return None
    return replace(there, facts=facts_of_changes(shop.domain, there.accepted[0]))


def _safe(shop: Workshop, draft: Draft) -> bool:
    """Whether nothing is lost when the first value is entered before the other facts are asked for.

    The call needs one of them too; or is refused as yet; or the right call sets it right.
    """
    back = draft.taken_back
    assert back is not None
    call = draft.calls[back.call]
    others = {name for name, source in call.sources.items() if source.kind == "answer" and name != back.argument}
    if any(param.required and param.argument in others for param in shop.domain.tool(call.tool).params):
        return True
    early = {name: value for name, value in call.arguments.items() if name not in others} | {back.argument: back.literal}
    play = Play(shop.domain, shop.state, draft.held_back)
    try:
        waiting = True
        for one in draft.calls:
            if waiting and one.tool != ASK and not reads_only(shop.domain, one.tool):
                waiting = False
                there = play.try_call(call.tool, resolve(early, play.results))
                if there.kind != "ok":
                    return True
                play.state = there.state
            play.repeat(one)
    except (Stuck, SymbolError):
        return False
    return accepted_change(shop.domain, shop.state, play.state).changes == draft.accepted[0].changes
