"""The manner in which a request is put: terse, polite, rambling, as an email or dictated, with every fact of the plain words."""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Literal, NamedTuple, TypeVar

from synth.tasks.chance import Chance
from synth.tasks.wording.phrase import Part, Phrase, as_phrase

T = TypeVar("T", str, tuple[str, str])
Style = Literal["plain", "terse", "polite", "rambling", "email", "dictated"]
CLOSING = " If the rules do not allow this, do not do it: decline, and say which rule and which records."

UP = "\0"
"""Stands before a letter that is to be a capital."""
_TURN = re.compile(r"(?<=[.!?\"]) (?:Also, |Then |And |Besides that, )(?=\S)")


class Body(NamedTuple):
    """The plain request without the closing sentence, who asks, and what the message is about.

    Attributes:
        question: Whether it only asks for an answer, so that nothing can be declined.
        told: Messages of the same pack, whose openings and closings are used again only once all others are.
    """

    words: Phrase
    sender: str
    subject: str
    question: bool = False
    told: tuple[str, ...] = ()

    def closed(self, rng: Chance, style: Style) -> str:
        """What is said about declining, in words of which the pack has not had enough; nothing after a question."""
        return "" if self.question else fresh(CLOSINGS[style], self.told, rng)


def fresh(options: Sequence[T], told: Sequence[str], rng: Chance) -> T:
    """One of those that stand in the fewest of the messages so far; of pairs the first part is looked for."""
    looked_for = [option.strip() if isinstance(option, str) else str(option[0]).strip() for option in options]
    counts = [sum(words in text for text in told) for words in looked_for]
    return rng.choice([option for option, count in zip(options, counts, strict=True) if count == min(counts)])


def plain(body: Body, rng: Chance) -> Phrase:
    """As it is, with or without a greeting."""
    greeting = fresh(GREETINGS, body.told, rng) if rng.random() < GREETED else ""
    return as_phrase(greeting) + body.words + body.closed(rng, "plain")


def terse(body: Body, rng: Chance) -> Phrase:
    """No greeting, no `please`, no joining words."""
    return _restarted(body.words, " ", please=False) + body.closed(rng, "terse")


def polite(body: Body, rng: Chance) -> Phrase:
    """With a greeting, a request for help and thanks."""
    opening, thanks = fresh(COURTESY, body.told, rng)
    return as_phrase(opening) + body.words + " " + thanks + body.closed(rng, "polite")


def rambling(body: Body, rng: Chance) -> Phrase:
    """With talk that has nothing to do with the matter."""
    opening, end = fresh(CHATTER, body.told, rng)
    return as_phrase(opening + " ") + body.words + " " + end + body.closed(rng, "rambling")


def email(body: Body, rng: Chance) -> Phrase:
    """With a subject, a greeting and a name below."""
    greeting = rng.choice(("Hello", "Hello", "Good morning", "Hi there", "Dear colleague", "Good afternoon"))
    regards = fresh(REGARDS, body.told, rng)
    return as_phrase(f"Subject: {body.subject}\n\n{greeting},\n\n") + body.words + body.closed(rng, "email") + f"\n\n{regards},\n{body.sender}"


def dictated(body: Body, rng: Chance) -> Phrase:
    """As somebody says it into a recorder."""
    opening, end = fresh(DICTATION, body.told, rng)
    words = _restarted(body.words, rng.choice((" New point. ", " Next item. ", " Next. ")), please=False)
    return as_phrase(opening) + words + body.closed(rng, "dictated") + (f" {end}" if end else "")


GREETED = 0.4
"""Share of plain messages with a greeting."""
GREETINGS = ("Hello. ", "Hi! ", "Good morning. ", "Good afternoon. ", "Hi there. ", "Hello there! ", "Hey. ", "Good evening. ")
REGARDS = (
    "Best regards",
    "Kind regards",
    "Thanks",
    "Many thanks",
    "Best wishes",
    "With thanks",
    "All the best",
    "Warm regards",
    "Thank you",
    "Regards",
)
CLOSINGS: Mapping[Style, tuple[str, ...]] = {
    "plain": (
        CLOSING,
        " If that is against the rules, leave everything as it is and decline, naming the rule and the records concerned.",
        " Should a rule forbid it, decline instead, and say which rule that is and which records show it.",
        " If a rule stands in the way, decline, and tell me the rule and the records concerned.",
        " If it turns out that the rules forbid this, change nothing: decline, and name the rule and the records.",
        " Do it only if the rules allow it; otherwise decline, and say which rule and which records are the reason.",
        " If it is not allowed, decline and let me know which rule and which records are involved.",
        " If the rules do not permit it, decline, and state the rule and the records that it concerns.",
    ),
    "terse": (
        " If the rules forbid it, decline and name the rule and the records.",
        " Against the rules? Then decline and name the rule and the records.",
        " Not allowed? Decline, giving the rule and the records.",
        " If a rule is in the way, decline and give me the rule and the records.",
        " If there is a rule against it, decline and say which rule and which records.",
        " Only if the rules allow it. Otherwise decline and state the rule and the records.",
        " Forbidden? Decline, and cite the rule and the records.",
    ),
    "polite": (
        " Should the rules not allow this, please do not do it: decline, and kindly tell me which rule and which records are the reason.",
        " If there is a rule against it, please leave it: decline, and tell me which rule and which records are affected.",
        " If it turns out that a rule forbids this, please decline, and be so kind as to name the rule and the records.",
        " I understand if the rules do not permit it; in that case please decline, and let me know the rule and the records concerned.",
        " Please decline if this would break a rule, and tell me which rule that is and which records show it.",
        " Of course, if the rules say otherwise, please leave everything as it is and decline, naming the rule and the records.",
    ),
    "rambling": (
        " Oh, and if the rules do not allow this, then do not do it: decline, and say which rule and which records.",
        " By the way, if there is a rule against it, just decline, and tell me which rule and which records are affected.",
        " And no bending the rules for me: if they forbid it, decline, and say which rule and which records.",
        " Ah, before I forget: if the rules will not allow it, decline, and tell me the rule and the records.",
        " And should some rule get in the way, well, then decline, and let me know the rule and the records so that I can explain it here.",
        " If it cannot be done because of the rules, no hard feelings: decline, and name the rule and the records.",
    ),
    "email": (
        "\n\nIf the rules do not allow this, please do not do it: decline, and say which rule and which records.",
        "\n\nIf there is a rule against it, please decline, and write back to say which rule and which records are concerned.",
        "\n\nShould this not be permitted, please decline, naming the rule and the records concerned.",
        "\n\nPlease keep to the rules: if they forbid it, decline, and give me the rule and the records.",
        "\n\nIn the event that this is against the rules, leave things as they are and decline, with the rule and the records in question.",
        "\n\nIf you have to decline because of the rules, that is fine; just state the rule and the records.",
    ),
    "dictated": (
        " One more thing: if the rules do not allow this, do not do it, decline, and say which rule and which records.",
        " And if it is against the rules, decline, and note which rule and which records.",
        " Reminder: if the rules forbid it, decline, and note the rule and the records.",
        " If that breaks a rule, decline, and read me back the rule and the records.",
        " Should the rules say no, then decline, with the rule and the records in the answer.",
    ),
}
"""What each manner says about requests that the rules do not allow."""
COURTESY = (
    ("Good morning! I would be grateful for your help with this. ", "Thank you very much in advance."),
    ("Hello, may I ask you for a favour? ", "Many thanks."),
    ("Good afternoon! I hope you can help me. ", "Thank you for your trouble."),
    ("Hello, I hope all is well with you. ", "Thanks a lot."),
    ("Sorry to bother you. ", "That would be very kind of you."),
    ("Hello! Could you take care of something for me? ", "I would really appreciate it."),
    ("Good day! It would be wonderful if you could take care of this. ", "Thank you so much."),
    ("Hello, this is for whenever you have a moment. ", "Thank you kindly."),
    ("I hope I am not disturbing you. ", "Much appreciated."),
    ("Good evening! Would you be so kind as to see to this? ", "With sincere thanks."),
    ("Hello, I have a small request. ", "It is very good of you."),
    ("Hi, I hope your day is going well. ", "Thanks ever so much."),
    ("Good morning, could I trouble you with something? ", "I am grateful for your time."),
    ("Hello! I hope this is not too much trouble. ", "Thank you, I do appreciate it."),
)
"""Openings, and thanks behind the request."""
DICTATION = (
    ("Okay, a note for the desk. ", "End of note."),
    ("Right, please take this down. ", ""),
    ("Note to the office. ", "That is it."),
    ("Hello, this is a voice message for the desk. ", "Over."),
    ("Recording this while I am on the move. ", ""),
    ("So, quick memo. ", "End of memo."),
    ("Testing, testing, good, it records. ", "Stop recording."),
    ("Message for whoever is on duty. ", ""),
    ("Recording this now so that I do not forget it. ", "Okay, done."),
    ("Voice note, please pass it on. ", "Thanks, bye."),
    ("Let me just dictate this. ", ""),
    ("Something for today's list. ", "Nothing else."),
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
    ("I am typing this with cold fingers, since the heating here is a joke.", "Off to find a blanket."),
    ("My train is late, so I may as well do something useful.", "Ah, here it comes."),
    ("Everybody else is at lunch, so it falls to me to write.", "I can smell the soup from here."),
    ("There was cake in the kitchen this morning and I missed it, which tells you how busy it is.", "Somebody owes me a slice."),
    ("My glasses are broken, so forgive me if I mistype.", "I had better go and get them mended."),
    ("What a week, I have lost all track of time.", "Roll on the weekend."),
    ("They are repainting the hallway and the smell is something else.", "I need to open a window."),
    ("I promised myself that I would clear my desk before going home, and here we are.", "The desk looks almost tidy now."),
    ("The radio has been playing the same song all day and I cannot get it out of my head.", "And now I am humming it again."),
    ("My hands are full of shopping, so this will be quick.", "Right, the ice cream is melting."),
    ("I keep getting interrupted, so let us see whether I can finish a sentence.", "I did it, imagine that."),
    ("The lift is stuck again, so I took the stairs and am still out of breath.", "Exercise, they say."),
    ("I was going to ring, but I have lost my voice with this cold.", "Back to my tea with honey."),
    ("The new chair squeaks whenever I move, which is driving everybody mad.", "I shall see about some oil."),
    ("I found this on a sticky note under my keyboard, goodness knows how long it has been there.", "The note goes in the bin now."),
    ("The sun is right in my eyes and the blinds are broken, of course.", "I am going to move to the other side of the room."),
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
        return rng.choice(("a request", "something to be done", "please take care of this"))
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
