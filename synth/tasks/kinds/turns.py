"""Tasks of kind `multi-turn`: a request that leaves values out, which the user gives when asked."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from registry.package.pack import GoldCall, HeldBack
from synth.lang.domain import Domain, Param, Tool
from synth.tasks.draft import Draft
from synth.tasks.kinds.chain import Story, next_step, refs
from synth.tasks.kinds.mind import changing
from synth.tasks.kinds.told import MOMENTS, Withheld, answer_of, ended, finish
from synth.tasks.play import Play
from synth.tasks.references.ask import Asked
from synth.tasks.rows.propose import Proposal
from synth.tasks.solving.recheck import outcome_in
from synth.tasks.wording.english import article, is_plural, quoted, say, words_of
from synth.tasks.wording.nouns import NO_NOUNS, field_words, noun
from synth.tasks.wording.phrase import Part, Phrase
from synth.tasks.wording.textfacts import facts_of_changes
from synth.tasks.workshop import Workshop

THINK_AGAIN = 0.5
"""How often the user is to think again; their twin does not, which makes it one task in four."""
HARD = 5
"""The level that few requests of one or two operations have."""
OTHER_VALUES = 12
NEAR = 30
"""Within so many characters a word is not said twice."""
AS_REASON = " as the reason"
ASK_FOR = ". Ask me for the "
UNSAYABLE = ("bool", "list", "map", "struct")
ENDS = {
    **dict.fromkeys(("start", "starts", "begin", "begins", "from", "starts at", "starts on", "first day"), "start"),
    **dict.fromkeys(("end", "ends", "until", "to", "ends at", "ends on", "last day"), "end"),
    **dict.fromkeys(("due", "due on"), "due"),
}
"""What tells two moments of one request from each other."""
_DATES = re.compile(r"\b(?:dates|days|times)\b")
_JOINS = frozenset("for of against from to on in at as with and is was has came until by because instead".split())
"""Words that may follow the words for a value that is left out: a noun there would belong to it."""
_LEADS = frozenset("to is by on of for until from at with be take put down say says note charge born weigh weighs weighing costs this as".split())
"""Words that may stand before them."""
PAYMENT_OF = " a payment of "
"""What can do without an amount: `Book a payment on the invoice`."""
_LEAD = re.compile(
    r"(?:,? born on|,? ready from|, turning at"
    r"| with| and (?:note|put down|enter|give)|; enter|,? because:?|,? because of this:|,? because of|,? reason:?|,? the reason is"
    r"| at a cost of| against a deposit of|; the customer has left a deposit of|; the bill (?:was|is)| and cost|, and they bill"
    r"|(?:[,;]| and| with) (?:[a-z]+ ){1,5}?[a-z]+:|:| on| at| from| until| to| by|,) $"
)
"""What can be left out with the value behind it."""
_FOR = re.compile(r" for $")
"""The same before a moment, an amount or a word."""
_ENDS = re.compile(r"$|[.,;]| (?:and (?!this|that|with|[a-z]+ing\b)|for |instead\b)")
"""What may follow then."""
_NEEDING = frozenset(
    "is are be was were should and or with to of for on at from until by that down it them put in as born runs ends goes comes turns turning ready "
    "born writes wrote says".split()
)
"""Words after which something must follow."""
_OFTEN: dict[str, tuple[str, ...]] = {
    "date": ("when", "date", "day"),
    "datetime": ("when", "time", "date", "day"),
    "time": ("when", "time"),
    "money": ("how much", "amount", "price", "money", "cost", "sum"),
    "integer": ("how many", "number"),
    "decimal": ("how much",),
}
"""Words that ask for a value of a type, besides its own name."""


def make_multi_turn(shop: Workshop) -> Draft | None:
    """A request of one or two operations with one or two values left out; None when this try fails."""
    story = Story(state=shop.state, steps=[], known={})
    for number in range(shop.aim.way("steps", _lengths(shop), shop.rng)):
        step = next_step(shop, story, f"s{number}", fits=_any if number else _tells)
        if step is None:
            return None
        story.steps.append(step[0])
        story.state = step[1]
        for one in refs(step[0].proposal):
            story.near = story.near | shop.kinship.of(one.entity, one.key)
    withheld, steps = _withhold(shop, story.steps)
    if not withheld:
        return None
    thinks_again = shop.aim.way("think again", (True, False), shop.rng) if shop.aim.chooses else shop.rng.random() < THINK_AGAIN
    return (changing(shop, steps, withheld) if thinks_again else None) or finish(shop, steps, withheld)


def _lengths(shop: Workshop) -> Sequence[int]:
    """How many operations there may be; more only for the sake of a level that one or two hardly have."""
    least = min(shop.aim.levels)
    return (1, 1, 2) if least < HARD else (2, 3, 3)


def _any(tool: Tool) -> bool:
    return True


def _tells(tool: Tool) -> bool:
    """Whether a call of the tool takes a value that can be left out."""
    return any(param.required and param.type.kind not in ("row", *UNSAYABLE) for param in tool.params) or tool.kind == "update"


def _withhold(shop: Workshop, steps: list[Asked]) -> tuple[tuple[Withheld, ...], list[Asked]]:
    """One or two values of the steps that can be left out, and the steps in words without them."""
    most = shop.aim.way("values", (1, 1, 2), shop.rng)
    done: list[Withheld] = []
    changed: list[Asked] = []
    for asked in steps:
        for param in shop.rng.sample(asked.proposal.tool.params, len(asked.proposal.tool.params)):
            if len(done) < most and param.name in asked.proposal.values and param.name not in dict(asked.rows):
                left_out = _left_out(shop.domain, asked, param)
                if left_out is not None and not any(_alike(left_out[0], one) for one in done):
                    done.append(left_out[0])
                    asked = left_out[1]
        changed.append(asked)
    return tuple(done), changed


def _alike(one: Withheld, other: Withheld) -> bool:
    """Whether a question for one might be taken for a question for the other."""
    return any(f" {word} " in f" {another} " for word in one.fact.asks for another in other.fact.asks) or one.topic == other.topic


def _left_out(domain: Domain, asked: Asked, param: Param) -> tuple[Withheld, Asked] | None:
    """The value and the step without it; None where English does not allow it, or where a guess would be half right."""
    tag = asked.tag(param.name)
    parts = list(asked.phrase.parts)
    place = next((number for number, part in enumerate(parts) if part.tag == tag), None)
    if place is None or param.type.kind in UNSAYABLE:
        return None
    said = parts[place].text
    before = "".join(part.text for part in parts[:place])
    after = "".join(part.text for part in parts[place + 1 :])
    if before.endswith('"') and after.startswith('"'):
        parts[place - 1] = replace(parts[place - 1], text=parts[place - 1].text[:-1])
        parts[place + 1] = replace(parts[place + 1], text=parts[place + 1].text[1:])
        before, after = before[:-1], after[1:]
        if not parts[place - 1].text and place > 1:
            del parts[place - 1]
            place -= 1
    topic = topic_of(domain, param)
    if topic.rsplit(" ", 1)[-1] in NO_NOUNS or topic.endswith("ed"):
        if param.type.kind != "money":
            return None
        topic = topic if topic.startswith("amount") else f"amount {topic}"
    if topic == "reason" or topic.startswith("reason "):
        after = after.removeprefix(AS_REASON)
        parts[place + 1 : place + 2] = [replace(one, text=one.text.removeprefix(AS_REASON)) for one in parts[place + 1 : place + 2]]
    called = MOMENTS.get(param.type.kind, topic)
    lead = "" if topic == "name" else lead_of(before, after, more=param.type.kind in (*MOMENTS, "money", "enum"))
    if lead and not parts[place - 1].text.endswith(lead):
        lead = ": " if parts[place - 1].text.endswith(": ") else ""
    if lead:
        parts[place - 1] = replace(parts[place - 1], text=parts[place - 1].text.removesuffix(lead).rstrip(",;"))
        parts[place : place + 1] = []
        further = any(part.text == ASK_FOR for part in parts)
        asked_for = what_for(domain, param, topic, called)
        if param.type.kind in MOMENTS and _has_moment(asked, but=param):
            asked_for = named_moment(topic)
            if not asked_for or _DATES.search(before + after):
                return None
        parts += [Part(" and the " if further else ASK_FOR), Part(asked_for, tag)]
    else:
        instead = _stand_in(called, before, after)
        if instead is None or topic == "name" or param.type.kind in MOMENTS:
            return None
        parts[place] = Part(instead, tag)
        parts[:place] = without_colon(parts[:place])
    held = HeldBack(topic=topic, asks=asks_for(param, topic), answer=answer_of(domain, param, topic, said))
    withheld = Withheld(tag=tag, param=param, topic=topic, said=said, fact=held)
    return withheld, replace(asked, phrase=Phrase(tuple(part for part in parts if part.text)))


def without_colon(parts: list[Part]) -> list[Part]:
    """The words before a value that is left out, without a colon that only goes before what is quoted: `replace the note with: …`."""
    words = "".join(part.text for part in parts).split()
    if not words or not words[-1].endswith(":") or words[-1].strip(":").lower() not in _NEEDING or not parts[-1].text.endswith(": "):
        return parts
    return [*parts[:-1], replace(parts[-1], text=parts[-1].text.removesuffix(": ") + " ")]


def _has_moment(asked: Asked, *, but: Param) -> bool:
    """Whether the step takes another date or time, so that `the date` might be either."""
    return any(one.type.kind in MOMENTS and one.name in asked.proposal.values for one in asked.proposal.tool.params if one.name != but.name)


def what_for(domain: Domain, param: Param, topic: str, called: str) -> str:
    """What stands behind `Ask me for the`: `reason`, `date of birth`, `kind of vet appointment`."""
    if topic == "kind" and param.of is not None:
        return f"kind of {noun(domain, domain.entity(param.of[0]))}"
    return topic if topic.startswith("date of ") else "reason" if called.startswith("reason ") else called


def named_moment(topic: str) -> str:
    """`end date` for what is called `end`; empty where its name does not tell it from another moment."""
    if topic.rsplit(" ", 1)[-1] in ("date", "day", "time"):
        return topic if " " in topic else ""
    return f"{ENDS[topic]} date" if topic in ENDS else ""


def topic_of(domain: Domain, param: Param) -> str:
    """What the value of a parameter is called."""
    if param.of is None:
        return words_of(param.name)
    named = field_words(domain, param.of[0], domain.entity(param.of[0]).field(param.of[1]))
    return "text" if named == "body" else named


def lead_of(before: str, after: str, *, more: bool) -> str:
    """What goes together with a value before which it stands; empty where the sentence needs both."""
    if before.endswith(PAYMENT_OF):
        return " of "
    found = _LEAD.search(before) or (_FOR.search(before) if more else None)
    if found is None or not _ENDS.match(after) or after.count('"') % 2:
        return ""
    kept = before[: found.start()].split()
    last = kept[-1].lower().strip(",") if kept else ""
    if (
        not last
        or (last in _NEEDING and not (last in ("it", "them") and found.group().startswith((" and ", "; "))))
        or (last in ("up", "goes", "stands") and "because" not in found.group())
    ):
        return ""
    return found.group()


def _stand_in(topic: str, before: str, after: str) -> str | None:
    """What stands in place of the value; None where nothing fits."""
    lead = before.split()[-1:]
    if lead and lead[0][-1] not in ",:" and lead[0].lower() not in _LEADS:
        return None
    several = is_plural(topic)
    topic = "reason" if topic.startswith("reason ") else topic
    named = f"{topic} that" if several else f"{article(topic)} {topic} that"
    if lead and lead[0] in ("is", "be") and topic.rsplit(maxsplit=1)[-1] in before[-NEAR:]:
        named = "what" if several else "the one that"
    if not before.strip() or (before.endswith(("payment of ", " is ")) and named.startswith("a price")) or topic in ("kind", "choice", "body"):
        return None
    if after.startswith(" ") and after.split(maxsplit=1)[0].strip(".,;:") not in _JOINS:
        return None
    if (after and after[0] not in " ,.;:") or after.startswith(" as the "):
        return None
    return f"{named} I will give you when you ask"


def asks_for(param: Param, topic: str) -> tuple[str, ...]:
    """Words of which one must stand in a question for the value."""
    own = [topic, words_of(param.name), topic.rsplit(maxsplit=1)[-1]]
    own += [words_of(param.of[1])] if param.of is not None else []
    return tuple(dict.fromkeys([*own, *(["why"] if "reason" in topic else []), *_OFTEN.get(param.type.kind, ())]))


def other_answers(shop: Workshop, draft: Draft) -> Iterator[Draft]:
    """The same words with a user who answers one question otherwise, as right as before."""
    places = [(number, name) for number, call in enumerate(draft.calls) for name, source in call.sources.items() if source.kind == "answer"]
    for number, argument in shop.rng.sample(places, len(places)):
        call = draft.calls[number]
        param = next(one for one in shop.domain.tool(call.tool).params if one.argument == argument)
        for _ in range(OTHER_VALUES):
            value = shop.proposer(shop.state).scalar(param)
            if value is None:
                continue
            if param.of is not None:
                value = shop.proposer(shop.state).fitted(param.of, call.arguments[argument], value)
            changed = _answered(shop, draft, number, param, value)
            there = None if changed is None else outcome_in(shop.domain, shop.state, changed)
            if there is not None and there.accepted != draft.accepted:
                yield replace(there, facts=facts_of_changes(shop.domain, there.accepted[0]))


def _answered(shop: Workshop, draft: Draft, number: int, param: Param, value: object) -> Draft | None:
    """The draft with another value for one parameter of one call, told by the user."""
    call = draft.calls[number]
    source = call.sources[param.argument]
    said = say(value, param.type, shop.view.today)
    literal = Proposal(tool=shop.domain.tool(call.tool), values={param.name: value}).arguments()[param.argument]
    said = quoted(said) if source.text.startswith('"') else said
    if said == source.text or literal == call.arguments[param.argument]:
        return None
    told = Play(shop.domain, shop.state, draft.held_back)
    for one in draft.calls[: source.call + 1]:
        told.repeat(one)
    spoken = told.results[source.call]["answer"]
    facts = tuple(
        one.model_copy(update={"answer": ended(one.answer.replace(source.text, said))}) if one.answer == spoken else one for one in draft.held_back
    )
    answered = GoldCall(
        tool=call.tool,
        arguments={**call.arguments, param.argument: literal},
        sources={**call.sources, param.argument: source.model_copy(update={"text": said})},
    )
    operations = tuple(replace(one, values={**one.values, param.name: value}) if one.tool.name == call.tool else one for one in draft.operations)
    return replace(draft, calls=(*draft.calls[:number], answered, *draft.calls[number + 1 :]), held_back=facts, operations=operations)
