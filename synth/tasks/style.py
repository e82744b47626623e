"""The manner in which a request is put: terse, polite, rambling, as an email or dictated, with every fact of the plain words."""

import re
from collections.abc import Callable, Mapping
from typing import Literal, NamedTuple

from synth.tasks.chance import Chance
from synth.tasks.phrase import Part, Phrase, as_phrase

Style = Literal["plain", "terse", "polite", "rambling", "email", "dictated"]
CLOSING = " If the rules do not allow this, do not do it: decline, and say which rule and which records."

UP = "\0"
"""Stands before a letter that is to be a capital."""
_TURN = re.compile(r"(?<=[.!?\"]) (?:Also, |Then |And |Besides that, )(?=\S)")


class Body(NamedTuple):
    """The plain request without the closing sentence, who asks, and what the message is about."""

    words: Phrase
    sender: str
    subject: str


def plain(body: Body, rng: Chance) -> Phrase:
    """As it is, with or without a greeting."""
    return as_phrase(rng.choice(("", "", "Hello. ", "Hi! ", "Good morning. "))) + body.words + CLOSING


def terse(body: Body, rng: Chance) -> Phrase:
    """No greeting, no `please`, no joining words."""
    closing = rng.choice(
        (" If the rules forbid it, decline and name the rule and the records.", " Against the rules? Then decline, naming rule and records.")
    )
    return _restarted(body.words, " ", please=False) + closing


def polite(body: Body, rng: Chance) -> Phrase:
    """With a greeting, a request for help and thanks."""
    opening = rng.choice(("Good morning! I would be grateful for your help with this. ", "Hello, may I ask you for a favour? "))
    thanks = rng.choice((" Thank you very much in advance.", " Many thanks for your help."))
    closing = " Should the rules not allow this, please do not do it: decline, and kindly tell me which rule and which records stand in the way."
    return as_phrase(opening) + body.words + thanks + closing


def rambling(body: Body, rng: Chance) -> Phrase:
    """With talk that has nothing to do with the matter."""
    opening, end = rng.choice(CHATTER)
    closing = " Oh, and if the rules do not allow this, then do not do it: decline, and say which rule and which records."
    return as_phrase(opening + " ") + body.words + " " + end + closing


def email(body: Body, rng: Chance) -> Phrase:
    """With a subject, a greeting and a name below."""
    regards = rng.choice(("Best regards", "Kind regards", "Thanks"))
    closing = "\n\nIf the rules do not allow this, please do not do it: decline, and say which rule and which records."
    return as_phrase(f"Subject: {body.subject}\n\nHello,\n\n") + body.words + closing + f"\n\n{regards},\n{body.sender}"


def dictated(body: Body, rng: Chance) -> Phrase:
    """As somebody says it into a recorder."""
    opening = rng.choice(("Okay, a note for the desk. ", "Right, please take this down. "))
    closing = " Last thing: if the rules do not allow this, do not do it, decline, and say which rule and which records. End of note."
    return as_phrase(opening) + _restarted(body.words, rng.choice((" New point. ", " Next item. ")), please=True) + closing


CHATTER = (
    ("Sorry, it has been a mad morning and the phone will not stop ringing. Anyway, here is what I need.", "Right, now I need some fresh air."),
    ("I had this all written out, and then my screen went black, so let me try again.", "I do hope it gets through this time."),
    ("It is raining sideways here and my feet are still wet, but never mind that.", "That is all. Keep dry!"),
    ("I slept so badly that I can hardly see straight, so bear with me.", "So much for that, I am going to sit in the sun for a bit."),
)
"""Openings and endings without a name, number, date or thing that the request could be about."""
STYLES: Mapping[Style, Callable[[Body, Chance], Phrase]] = {
    "plain": plain,
    "terse": terse,
    "polite": polite,
    "rambling": rambling,
    "email": email,
    "dictated": dictated,
}


def _restarted(words: Phrase, turn: str, *, please: bool) -> Phrase:
    """Every request of the message as a sentence of its own after `turn`; without `please`, if so wished."""
    parts: list[Part] = []
    pending = False
    for part in words.parts:
        text = part.text if part.tag else _TURN.sub(turn + UP, part.text)
        if not part.tag and not please:
            text = re.sub(r",? please(?=[.;!?])", "", text).replace("Please ", UP).replace("please ", "")
        text, pending = _raised(UP + text if pending and not (part.tag and "_" in text) else text)
        parts.append(Part(text, part.tag, part.row))
    return Phrase(tuple(parts)).capitalized()


def _raised(text: str) -> tuple[str, bool]:
    """The letter after each mark as a capital; whether one is still due at the start of the next part."""
    text = re.sub(f"{UP}+([^{UP}])", lambda found: found.group(1).upper(), text)
    return text.rstrip(UP), text.endswith(UP)
