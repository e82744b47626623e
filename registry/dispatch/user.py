"""The simulated user of a multi-turn task: tells a fact when it is asked for, and later what has become of it."""

import re
from collections.abc import Callable, Sequence

from registry.dispatch.personas import forgets, forgotten, worded
from registry.package.pack import HeldBack
from registry.package.user import UserWanted

_WORD = re.compile(r"[^\W_]+")
_WHETHER_STILL = re.compile(r"\b(changed?|changes|still|stands?|same|go ahead|going ahead|proceed|confirm|sure|correct|again)\b")
"""Words of a question whether what was told still holds."""
_UNCHANGED = "Nothing has changed since."
_NOTHING_KNOWN = "I cannot tell you more about that."
PLAIN = UserWanted(persona="plain", seed=0)


class UserFailed(Exception):
    """The simulator of the user gives no answer: nobody's fault who is judged. The text is one sentence."""


def nobody(*given: object) -> str:
    """A user that gives no answer.

    Raises:
        UserFailed: Always.
    """
    raise UserFailed("nobody is there to answer")


class Conversation:
    """What was said so far.

    Attributes:
        questions: How many were answered.
        asked: How often each fact was asked for, by its place.
        changed: Facts of which the user has said what became of them.
    """

    __slots__ = ("asked", "changed", "questions")

    def __init__(self) -> None:
        self.questions = 0
        self.asked: dict[int, int] = {}
        self.changed: set[int] = set()

    def copy(self) -> "Conversation":
        """Another one in which the same was said."""
        made = Conversation()
        made.questions, made.asked, made.changed = self.questions, dict(self.asked), set(self.changed)
        return made


User = Callable[[str, Sequence[HeldBack], UserWanted, Conversation], str]
"""Who answers `ask_user`: from the question, the facts that the task holds back, the persona, and what was said before, to what is said now. Notes in
the conversation what was told. Equal questions after equal conversations get equal answers: a replay asks again. Raises UserFailed."""


def asked_for(question: str, held_back: Sequence[HeldBack]) -> list[int]:
    """Places of the facts that a question asks for."""
    words = _words(question)
    return [place for place, fact in enumerate(held_back) if any(f" {_words(asks).strip()} " in words for asks in fact.asks)]


def rule_based_user(question: str, held_back: Sequence[HeldBack], user: UserWanted = PLAIN, talk: Conversation | None = None) -> str:
    """Every held-back fact that the question asks for, in their order; else what can be asked for, without telling it.

    A question whether all is still so asks for what was told, once more; if it is, the user says so first.
    A change of mind is told with the next answer after the fact, or at once when nothing else is left to be asked; one that waits to be asked again
    never at once.
    """
    talk = Conversation() if talk is None else talk
    number, wanted = talk.questions, asked_for(question, held_back)
    whether_still = _WHETHER_STILL.search(question.casefold()) is not None
    if not wanted and whether_still:
        wanted = sorted(_told(talk, held_back, user))
    slipped = [place for place in wanted if forgets(user, held_back[place].topic, talk.asked.get(place, 0))]
    told = [place for place in wanted if place not in slipped]
    earlier = set(_told(talk, held_back, user))
    talk.questions += 1
    for place in wanted:
        talk.asked[place] = talk.asked.get(place, 0) + 1
    changes = _changes(talk, held_back, earlier, set(told))
    said = [
        held_back[place].then if place in talk.changed else held_back[place].answer for place in told if not (place in changes and place in earlier)
    ]
    said += [held_back[place].then for place in changes]
    if said and whether_still and not changes and earlier.issuperset(told):
        said.insert(0, _UNCHANGED)
    talk.changed.update(changes)
    if slipped:
        said.append(forgotten(user, number))
    if said:
        return worded(user, number, " ".join(said), [held_back[place] for place in told]) if told else " ".join(said)
    topics = [fact.topic for fact in held_back if fact.topic]
    return f"I cannot tell you more about that. You can ask me about: {', '.join(topics)}." if topics else _NOTHING_KNOWN


def _told(talk: Conversation, held_back: Sequence[HeldBack], user: UserWanted) -> list[int]:
    """Facts that were told already: asked for once, or twice where the user did not think of them at first."""
    return [place for place, times in talk.asked.items() if times > forgets(user, held_back[place].topic, 0)]


def _changes(talk: Conversation, held_back: Sequence[HeldBack], earlier: set[int], now: set[int]) -> list[int]:
    """Facts of which is said now what has become of them.

    Args:
        earlier: Those that were told before.
        now: Those that this answer tells.
    """
    known = earlier | now
    ripe = {place for place in known if place in earlier or (len(known) == len(held_back) and not held_back[place].asked_again)}
    return [place for place in sorted(ripe) if held_back[place].then and place not in talk.changed]


def _words(text: str) -> str:
    return f" {' '.join(_WORD.findall(text.casefold()))} "
