"""The same answer in the words of different people: nothing that they add is a fact."""

import hashlib
from collections.abc import Mapping, Sequence

from registry.package.pack import HeldBack
from registry.package.user import PersonaName, UserWanted

_BEFORE: Mapping[PersonaName, tuple[str, ...]] = {
    "chatty": (
        "Oh, good that you ask, I was just about to make a coffee.",
        "Ah yes, let me see, it has been one of those mornings here.",
        "Right, that. My colleague asked me the very same thing.",
        "Thanks for taking care of this, by the way, it is a great help.",
    ),
    "impatient": ("I thought that was clear.", "Must I really spell everything out?", "Fine.", "I am in a hurry, so listen."),
    "forgetful": ("Let me think.", "Wait, I wrote it down somewhere. Here it is.", "Hm, yes, now I remember."),
}
_AFTER: Mapping[PersonaName, tuple[str, ...]] = {
    "chatty": (
        "Anyway, I hope that helps, and do have a lovely day.",
        "But enough of me, you surely have plenty to do.",
        "Isn't it strange how these things pile up?",
        "Do say hello to everybody over there.",
    ),
    "impatient": ("Please get on with it.", "Is that all?", "And now do it, please.", ""),
    "forgetful": ("I think that was all.", "", "At least I believe so. No, I am sure."),
}
FORGOTTEN = (
    "Sorry, it has slipped my mind for the moment. Ask me again.",
    "I had it a minute ago. Could you ask me once more?",
    "Hm, now I have lost the thread. What was it you wanted to know? Just ask again.",
)


def worded(user: UserWanted, number: int, answer: str, told: Sequence[HeldBack]) -> str:
    """The answer as this user gives it.

    Args:
        user: Persona and seed.
        number: Of the question in the episode.
        answer: What is to be said.
        told: The facts in it.
    """
    if user.persona == "terse":
        return _short(answer, told)
    before, after = _BEFORE.get(user.persona), _AFTER.get(user.persona)
    if before is None or after is None:
        return answer
    return " ".join(part for part in (_one(user, before, "before", number), answer, _one(user, after, "after", number)) if part)


def forgets(user: UserWanted, topic: str, times: int) -> bool:
    """Whether this user cannot think of a fact; asked again, everybody can."""
    return user.persona == "forgetful" and times == 0 and _draw(user, "forgets", topic) % 2 == 0


def forgotten(user: UserWanted, number: int) -> str:
    """What is said instead."""
    return _one(user, FORGOTTEN, "forgotten", number)


def _short(answer: str, told: Sequence[HeldBack]) -> str:
    for fact in told:
        for lead in (f"The {fact.topic} is ", f"The {fact.topic} are ", f"The number of {fact.topic} is ", f"The {fact.topic}: "):
            answer = answer.replace(lead, "")
        answer = answer.replace("Enter ", "").replace(f" as the {fact.topic}.", ".") if f" as the {fact.topic}." in answer else answer
    return answer


def _one(user: UserWanted, words: Sequence[str], about: str, number: int) -> str:
    return words[_draw(user, about, str(number)) % len(words)]


def _draw(user: UserWanted, *about: str) -> int:
    text = "\x1f".join([user.persona, str(user.seed), *about])
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest())
