"""Gives a finished task its style and its user; what the instruction says stays the same to the letter."""

from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import cache

from registry.package.pack import GoldCall, Source, TaskUser
from registry.score.facts import elements
from synth.data.vocabulary import Sections, family_names, given_names
from synth.lang.domain import Domain
from synth.reference.state import State
from synth.tasks.chance import Chance
from synth.tasks.draft import Draft
from synth.tasks.wording.phrase import Part, Phrase
from synth.tasks.wording.style import CLOSING, STYLES, Body, Style, subject_of

Span = tuple[int, int]
Rewriter = Callable[[str], str]
"""Puts a message into other words, as a model might; `reworded` keeps the result only if no fact is lost."""

MANNERS: dict[Style, str] = {
    "plain": "says what is wanted, no more",
    "terse": "in a hurry, few words",
    "polite": "courteous",
    "rambling": "talks about other things too",
    "email": "writes emails",
    "dictated": "dictates notes",
}


def dress(domain: Domain, state: State, draft: Draft, rng: Chance, rewriter: Rewriter | None = None, told: tuple[str, ...] = ()) -> Draft:
    """The draft in a style drawn by chance, with the user behind it; plain where the style would lose a fact.

    Args:
        rewriter: Has the last word, as far as it keeps all facts.
        told: Messages of the pack so far; what they open and close with is not said again before all else was.
    """
    sender = _stranger(state, draft.instruction, rng)
    style = rng.choice(tuple(STYLES))
    words = _words(draft)
    asked, question = words.stripped(CLOSING), draft.kind == "answer"
    body = Body(words=asked, sender=sender, subject=subject_of(asked, question=question, rng=rng), question=question, told=told)
    styled = STYLES[style](body, rng)
    if not keeps(str(body.words), str(styled), body.sender) or styled.tags() != body.words.tags():
        style, styled = "plain", body.words + ("" if question else CLOSING)
    if rewriter is not None:
        styled = reworded(styled, rewriter)
    return replace(_with_words(draft, styled), style=style, user=_user(domain, draft, style, sender))


def keeps(before: str, after: str, sender: str = "") -> bool:
    """Whether the second text states every number, date, time and name of the first, and no other number, date or time."""
    old, new = _facts(before), _facts(after)
    extra = {one for one in new - old if one[0] != "name"}
    return old <= new | _facts(sender) and not extra


def _facts(text: str) -> set[tuple[str, str]]:
    found = elements(text, ())
    kinds = {(one.kind, one.value) for one in found if one.kind in ("number", "date", "time")}
    return kinds | {("name", one.value) for one in found if one.name}


def reworded(words: Phrase, rewriter: Rewriter) -> Phrase:
    """The message as the rewriter puts it, if each tagged fact stands in it once and to the letter and nothing is added; else as it was."""
    text = rewriter(str(words))
    parts: list[Part] = []
    places = sorted((text.find(part.text), part) for part in words.parts if part.tag and text.count(part.text) == 1)
    if len(places) != len(words.tags()) or not keeps(str(words), text):
        return words
    at = 0
    for place, part in places:
        if place < at:
            return words
        parts += [Part(text[at:place]), part]
        at = place + len(part.text)
    return Phrase((*parts, Part(text[at:])))


def _words(draft: Draft) -> Phrase:
    """The instruction, cut where its spans begin and end; each span is its own tag."""
    text = draft.instruction
    spans = sorted({(source.start, source.end) for source in _sources(draft) if source.kind == "span"}, key=lambda span: (span[0], -span[1]))
    parts: list[Part] = []
    at = 0
    for start, end in spans:
        if start < at:  # two sources share words: the longer span holds both
            continue
        parts += [Part(text[at:start]), Part(text[start:end], f"{start}:{end}")]
        at = end
    return Phrase(tuple(part for part in (*parts, Part(text[at:])) if part.text))


def _with_words(draft: Draft, words: Phrase) -> Draft:
    moved = {_span(tag): place for tag, place in words.spans().items()}
    text = str(words)
    gathered = draft.gathered
    if gathered is not None:
        gathered = replace(gathered, sources={name: _source(source, moved, text) for name, source in gathered.sources.items()})
    return replace(
        draft,
        instruction=text,
        calls=tuple(_moved(call, moved, text) for call in draft.calls),
        other_calls=tuple(_moved(call, moved, text) for call in draft.other_calls),
        gathered=gathered,
    )


def _span(tag: str) -> Span:
    start, _, end = tag.partition(":")
    return int(start), int(end)


def _moved(call: GoldCall, moved: dict[Span, Span], text: str) -> GoldCall:
    return call.model_copy(update={"sources": {name: _source(source, moved, text) for name, source in call.sources.items()}})


def _source(source: Source, moved: dict[Span, Span], text: str) -> Source:
    """The source at its new place; one that lies within a span moves with it."""
    if source.kind != "span":
        return source
    (old, _), (start, _) = next((was, now) for was, now in moved.items() if was[0] <= source.start and source.end <= was[1])
    begin = start + source.start - old
    end = begin + source.end - source.start
    return source.model_copy(update={"start": begin, "end": end, "text": text[begin:end]})


def _sources(draft: Draft) -> Iterable[Source]:
    shared = () if draft.gathered is None else tuple(draft.gathered.sources.values())
    return (*(source for call in (*draft.calls, *draft.other_calls) for source in call.sources.values()), *shared)


def _stranger(state: State, text: str, rng: Chance) -> str:
    """Name of somebody who plays no part: neither of its words stands in the request, nor the whole in any row."""
    given, family = _names()
    while True:
        first, last = rng.choice(given), rng.choice(family)
        name = f"{first} {last}"
        if first not in text and last not in text and not any(name in row.values() for table in state.tables.values() for row in table.values()):
            return name


@cache
def _names() -> tuple[list[str], list[str]]:
    return _all(given_names()), _all(family_names())


def _all(sections: Sections) -> list[str]:
    return sorted({name for names in sections.values() for name in names})


def _user(domain: Domain, draft: Draft, style: Style, sender: str) -> TaskUser:
    """Who asks, what for, and what they can tell: the words that gold's arguments come from."""
    asked = tuple(dict.fromkeys(one.tool.name for one in draft.operations))
    intent = tuple(domain.tool(name).doc.split("\n")[0].split(". ")[0].rstrip(".") for name in asked) or ("Find something out",)
    told = (source.text for source in _sources(draft) if source.kind == "span")
    knows = tuple(dict.fromkeys([*told, *(said for one in draft.held_back for said in (one.answer, one.then) if said)]))
    return TaskUser(name=sender, profile=MANNERS[style], intent=intent, knows=knows)
