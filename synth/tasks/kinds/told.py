"""Gold of requests that leave values out: the user is asked for each of them before anything is entered."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from registry.dispatch.harness import ASK
from registry.package.pack import HeldBack, Source
from synth.lang.domain import Domain, Param
from synth.tasks.draft import Draft, Script, done_draft
from synth.tasks.kinds.chain import all_last, described_rows, request
from synth.tasks.play import Stuck
from synth.tasks.references.ask import Asked
from synth.tasks.wording.english import be, is_plural
from synth.tasks.wording.phrase import Part, Phrase
from synth.tasks.wording.style import CLOSING
from synth.tasks.workshop import Workshop

MOMENTS = {"date": "date", "datetime": "date and time"}
AGAIN = "asked again"
"""Tag of the sentence that asks to be asked again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Withheld:
    """One value that the words leave out.

    Attributes:
        tag: Of the words that stand in its place.
        topic: What the value is called.
        said: The value as the user says it; of a value that they take back, what they say then.
    """

    tag: str
    param: Param
    topic: str
    said: str
    fact: HeldBack


def answer_of(domain: Domain, param: Param, topic: str, said: str) -> str:
    """How the user tells a value: a moment by itself, a word of an enum as something to be put down, everything else under its name."""
    kind = param.type.kind
    if kind in MOMENTS:
        return f"{said}."
    shown = in_quotes(domain, param, said)
    if kind == "enum" and "reason" not in topic:
        return f"Enter {shown} as the {topic}."
    if is_plural(topic) and kind == "integer":
        return f"The number of {topic} is {shown}."
    return ended(f"The {topic} {be(topic)} {shown}.")


def in_quotes(domain: Domain, param: Param, said: str) -> str:
    """The value as it stands in a sentence of the user's: their own words, and a word of an enum, are quoted."""
    bare = said.strip('"')
    return f'"{bare}"' if param.type.kind == "enum" or _is_free(domain, param) else said


def ended(answer: str) -> str:
    """The answer with one stop at its end, be it within the quotation marks."""
    return re.sub(r'([.!?]")\.$', r"\1", answer)


def _is_free(domain: Domain, param: Param) -> bool:
    """Whether the value is text in the user's own words, and no number or name."""
    return param.type.kind == "text" and (param.of is None or domain.entity(param.of[0]).field(param.of[1]).match == "text")


def finish(shop: Workshop, steps: Sequence[Asked], withheld: tuple[Withheld, ...], check: str = "") -> Draft | None:
    """The draft of the steps, as the user tells what was withheld; None when gold cannot be played or a step undoes another.

    Args:
        check: A sentence that asks to be asked again before anything is done; then it is.
    """
    words = request(shop, list(steps))
    if check:
        words = _checked(words, check)
    facts = tuple(one.fact for one in withheld)
    script = shop.script(shop.state, words, facts)
    try:
        for asked in steps:
            script.find_all(asked)
        told = _told(script, withheld, again=bool(check))
        states = [shop.state]
        for asked in steps:
            arguments, sources = script.arguments(asked)
            for param in asked.proposal.tool.params:
                source = told.get(asked.tag(param.name))
                sources |= {param.argument: source} if source is not None else {}
            script.play.call(asked.proposal.tool.name, arguments, sources)
            states.append(script.play.state)
    except Stuck:
        return None
    if not all_last(shop.domain, states):
        return None
    draft = done_draft(script, "multi-turn", described_rows(list(steps)), tuple(asked.proposal for asked in steps))
    return replace(draft, held_back=facts)


def _checked(words: Phrase, check: str) -> Phrase:
    """The message with that sentence behind the request."""
    return Phrase((*words.stripped(CLOSING).parts, Part(" "), Part(check, AGAIN), Part(CLOSING)))


def _told(script: Script, withheld: tuple[Withheld, ...], *, again: bool) -> dict[str, Source]:
    """Asks the user for every value, and once more if so wished; where each comes from, by tag.

    Raises:
        Stuck: The user does not tell one of them, or tells another with it.
    """
    calls = [_asked(script, f"What is the {one.topic}?", one.tag) for one in withheld]
    for one, call in zip(withheld, calls, strict=True):
        said = script.play.results[call]["answer"]
        if not said.startswith(one.fact.answer) or any(other.fact.answer in said for other in withheld if other is not one):
            raise Stuck(f"the user does not tell {one.topic}")
    if again:
        changed = next((one for one in withheld if one.fact.then), withheld[0])
        calls.append(_asked(script, f"What is the {changed.topic} now?", AGAIN))
    found = {}
    for one, call in zip(withheld, calls, strict=False):
        if one.fact.then:
            call = next((place for place in calls if one.fact.then in script.play.results[place]["answer"]), -1)
            if call < 0:
                raise Stuck(f"the user does not take back {one.topic}")
        found[one.tag] = Source(kind="answer", call=call, text=one.said)
    return found


def _asked(script: Script, question: str, tag: str) -> int:
    return script.play.call(ASK, {"question": question}, {"question": script.span(tag)})
