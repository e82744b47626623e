"""Whether somebody else's words say what the user would say: the same values, and no others."""

import re
from collections.abc import Iterable

_VALUE = re.compile(r"\"[^\"]+\"|[\w.@:/-]*\d[\w.@:/-]*|(?<![.!?:] )(?<!^)\b[A-Z][\w'-]+")
"""What is quoted, has a digit, or is written with a capital inside a sentence."""
_WORD = re.compile(r"[^\W\d_]{3,}")
_COMMON = frozenset("the and for that this with from you your are was were will can not but its has have had i'm it's please yes".split())
_I = frozenset({"I", "I'm", "I'd", "I'll", "I've"})


def values(text: str) -> set[str]:
    """Values that a text names: quoted texts, numbers, dates, ids, names."""
    return {one.strip('".,;:').casefold() for one in _VALUE.findall(text) if one not in _I}


def says_the_same(said: str, answer: str, kept: Iterable[str]) -> bool:
    """Whether `said` tells all that `answer` tells and nothing that it does not.

    Args:
        said: Words of another.
        answer: What the rule-based user says.
        kept: Facts that stay untold.
    """
    if not said.strip() or len(said) > 4 * len(answer) + 400 or not values(said) <= values(answer):
        return False
    words, own = _words(said), _words(answer)
    return own <= words and not any((_words(fact) - own) & words for fact in kept)


def _words(text: str) -> set[str]:
    """Words that carry meaning, and all values."""
    return {one for one in (word.casefold() for word in _WORD.findall(text)) if one not in _COMMON} | values(text)
