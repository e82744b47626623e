"""The manner in which a request is put: terse, polite, rambling, as an email or dictated, with every fact of the plain words."""

import re
from collections.abc import Callable, Mapping
from typing import Literal, NamedTuple

from synth.tasks.chance import Chance
from synth.tasks.wording.phrase import Part, Phrase, as_phrase

Style = Literal["plain", "terse", "polite", "rambling", "email", "dictated"]
CLOSING = " If the rules do not allow this, do not do it: decline, and say which rule and which records."

UP = "\0"
"""Stands before a letter that is to be a capital."""
_TURN = re.compile(r"(?<=[.!?\"]) (?:Also, |Then |And |Besides that, )(?=\S)")


class Body(NamedTuple):
    """The plain request without the closing sentence, who asks, and what the message is about.

    Attributes:
        question: Whether it only asks for an answer, so that nothing can be declined.
    """

    words: Phrase
    sender: str
    subject: str
    question: bool = False

    def closed(self, closing: str) -> str:
        """What is said about declining; nothing after a question."""
        return "" if self.question else closing


def plain(body: Body, rng: Chance) -> Phrase:
    """As it is, with or without a greeting."""
    return as_phrase(rng.choice(("", "", "", "Hello. ", "Hi! ", "Good morning. ", "Good afternoon. "))) + body.words + body.closed(CLOSING)


def terse(body: Body, rng: Chance) -> Phrase:
    """No greeting, no `please`, no joining words."""
    closing = rng.choice(
        (
            " If the rules forbid it, decline and name the rule and the records.",
            " Against the rules? Then decline, naming rule and records.",
            " Not allowed? Decline, with rule and records.",
        )
    )
    return _restarted(body.words, " ", please=False) + body.closed(closing)


def polite(body: Body, rng: Chance) -> Phrase:
    """With a greeting, a request for help and thanks."""
    opening, thanks = rng.choice(COURTESY)
    closing = rng.choice(
        (
            " Should the rules not allow this, please do not do it: decline, and kindly tell me which rule and which records stand in the way.",
            " If the rules are against it, please leave it: decline, and tell me which rule and which records stand in the way.",
        )
    )
    return as_phrase(opening) + body.words + " " + thanks + body.closed(closing)


def rambling(body: Body, rng: Chance) -> Phrase:
    """With talk that has nothing to do with the matter."""
    opening, end = rng.choice(CHATTER)
    closing = " Oh, and if the rules do not allow this, then do not do it: decline, and say which rule and which records."
    return as_phrase(opening + " ") + body.words + " " + end + body.closed(closing)


def email(body: Body, rng: Chance) -> Phrase:
    """With a subject, a greeting and a name below."""
    greeting = rng.choice(("Hello", "Hello", "Good morning", "Hi there"))
    regards = rng.choice(("Best regards", "Kind regards", "Thanks", "Many thanks", "Best wishes"))
    closing = "\n\nIf the rules do not allow this, please do not do it: decline, and say which rule and which records."
    return as_phrase(f"Subject: {body.subject}\n\n{greeting},\n\n") + body.words + body.closed(closing) + f"\n\n{regards},\n{body.sender}"


def dictated(body: Body, rng: Chance) -> Phrase:
    """As somebody says it into a recorder."""
    opening, end = rng.choice(DICTATION)
    closing = " Last thing: if the rules do not allow this, do not do it, decline, and say which rule and which records."
    words = _restarted(body.words, rng.choice((" New point. ", " Next item. ", " Next. ")), please=False)
    return as_phrase(opening) + words + body.closed(closing) + (f" {end}" if end else "")


COURTESY = (
    ("Good morning! I would be grateful for your help with this. ", "Thank you very much in advance."),
    ("Hello, may I ask you for a favour? ", "Many thanks."),
    ("Good afternoon! I hope that you can help me. ", "Thank you for your trouble."),
    ("Hello, I hope that all is well with you. ", "Thanks a lot."),
    ("Sorry to bother you. ", "That would be very kind of you."),
    ("Hello! Could you look after something for me? ", "I would really appreciate it."),
)
"""Openings, and thanks behind the request."""
DICTATION = (
    ("Okay, a note for the desk. ", "End of note."),
    ("Right, please take this down. ", ""),
    ("Note to the office. ", "That is it."),
    ("Hello, this is a voice message for the desk. ", "Over."),
    ("Recording this while I am on the move. ", ""),
)
"""Openings and endings of what is spoken into a recorder."""
CHATTER = (
    ("Sorry, it has been a mad morning and the phone will not stop ringing. Anyway, here is what I need.", "Right, now I need some fresh air."),
    ("I had this all written out, and then my screen went black, so let me try again.", "I do hope it gets through this time."),
    ("It is raining sideways here and my feet are still wet, but never mind that.", "That is all. Keep dry!"),
    ("I slept so badly that I can hardly see straight, so bear with me.", "So much for that, I am going to sit in the sun for a bit."),
    ("You would not believe the traffic, I have only just sat down.", "Now I really must eat something."),
    ("The coffee machine has given up on us again, so I am not at my best.", "Wish me luck with the coffee."),
    ("My neighbours are drilling again and I cannot hear myself think.", "There they go again. Bye for now!"),
    ("I meant to write to you much sooner, but you know how it is.", "Better late than never, I suppose."),
    ("Such a lovely day, and here I am behind a desk.", "Do get outside if you can."),
    ("I have been putting this off, so let us get it over with.", "There, that feels better already."),
    ("Typing this with cold fingers, the heating here is a joke.", "Off to find a blanket."),
    ("My train is late, so I may as well do something useful.", "Ah, here it comes."),
    ("Everybody else is at lunch, so it falls to me to write.", "I can smell the soup from here."),
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


def subject_of(words: Phrase, *, question: bool, rng: Chance) -> str:
    """What an email says that it is about, by how many requests it makes."""
    if question:
        return rng.choice(("a question", "quick question", "something I need to know"))
    turns = len(_TURN.findall(str(words)))
    if not turns:
        return rng.choice(("a request", "something to be done", "please look after this"))
    return rng.choice(("a couple of things", "this and that")) if turns == 1 else rng.choice(("a few things", "my list"))


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
