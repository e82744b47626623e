"""Words of requests: what is asked to be done, and to what."""

import re
from functools import cache

STATELESS = frozenset(
    """
    write compose draft translate explain summarise summarize solve calculate compute prove generate brainstorm convert describe
    define recommend paraphrase rewrite proofread classify imagine tell sing derive simplify factor integrate implement debug refactor
    code outline suggest compare analyse analyze discuss pronounce spell rhyme
    """.split()
)
"""What is asked of a model alone: no record changes, none is looked up."""
GROUPS: dict[str, frozenset[str]] = {
    "make": frozenset(
        """
        book reserve schedule make add create register enter open enrol enroll sign order place start issue log record file
        submit admit lend borrow  hire rent let give hand assign allocate put invite raise charge post apply grant
        """.split()
    ),
    "change": frozenset(
        """
        change update move reschedule set correct edit rename extend renew transfer switch shift postpone mark upgrade downgrade
        adjust replace swap  reassign promote note flag raise lower assign put approve confirm pay settle send ship dispatch
        pick deliver repair fix clean
        """.split()
    ),
    "end": frozenset(
        """
        cancel delete remove drop close finish complete end return withdraw discharge archive refund void revoke dismiss reject
        release free collect  bring take check resolve stop suspend unassign terminate write strike
        """.split()
    ),
    "read": frozenset("find list show look count see which what who when where how is are does do has have check get search".split()),
}
"""Verbs that come to the same kind of call; some stand in several."""
VERBS = frozenset().union(*GROUPS.values()) | STATELESS | frozenset("need want like please wants would needs let know ask asks asked".split())
_STOP = frozenset(
    """
    a an and any all at as about after again also am before because been being both but by can cannot could each else ever every few
    for from had her here hers him his i if in into it its just last least less may me might mine more most much must my myself new
    next no nobody none nor not now of off old on once one only or other our ours out over own per same she should since so some soon
    still such than that the their theirs them then there these they this those through to today together tomorrow too twice two three
    four five six under until up upon us very via was we were while will with within without yes yesterday yet you your yours monday
    tuesday wednesday thursday friday saturday sunday january february march april june july august september october november
    december am pm week weeks day days month months year years hour hours minute minutes time times morning afternoon evening noon
    tonight first second third back away late early earlier later free good bad big small long short whole right wrong ready available
    many people person someone somebody anyone everybody thing things way name number line kind list first current currently due total
    names already euro euros dollar dollars please thanks hello
    """.split()
)
_WORD = re.compile(r"[A-Za-z][A-Za-z'-]*")


@cache
def stem(word: str) -> str:
    """A word without the endings of plural and tense, so that `bookings`, `booked` and `booking` are one."""
    word = word.lower().removesuffix("'s").strip("'-")
    for ending, least in (("ies", 5), ("ing", 6), ("ed", 5), ("es", 6), ("s", 4)):
        if word.endswith(ending) and len(word) >= least and not word.endswith(("ss", "us")):
            bare = word[: -len(ending)]
            if ending == "ies":
                return bare + "y"
            if ending == "es" and not bare.endswith(("s", "x", "ch", "sh", "z")):
                return word[:-1]
            return bare[:-1] if ending in ("ing", "ed") and bare[-1:] == bare[-2:-1] and bare[-1:] not in "ls" else bare
    return word


def verbs(text: str) -> tuple[str, ...]:
    """The verbs of a request, in order, as far as they are known."""
    found = [_known(one.lower()) for one in _WORD.findall(text)]
    return tuple(one for one in found if one)


def _known(word: str) -> str:
    if word in VERBS:
        return word
    bare = stem(word)
    return next((one for one in (bare, bare + "e") if one in VERBS), "")


def nouns(text: str) -> tuple[str, ...]:
    """What a request is about, as stems in order: neither verbs, nor words that say nothing, nor names of people and places."""
    found = []
    for sentence in re.split(r"[.!?:]\s+", text):
        for place, word in enumerate(_WORD.findall(sentence)):
            named = place > 0 and word[0].isupper()
            low = word.lower()
            if not named and len(low) > 2 and low not in _STOP and not (place == 0 and _known(low)) and low not in _SURE:
                found.append(stem(low))
    return tuple(found)


def names(text: str) -> tuple[str, ...]:
    """Names in a request: words with a capital letter that do not begin a sentence."""
    found = []
    for sentence in re.split(r"[.!?:]\s+", text):
        found += [word.removesuffix("'s") for word in _WORD.findall(sentence)[1:] if word[0].isupper() and word.lower() not in _STOP]
    return tuple(found)


_SURE = frozenset(
    """
    cancel find lend borrow need want would like please are has have does make add move remove delete update change renew extend
    assign reserve reschedule give take bring show let know ask put pay send get set wants needs who what when where how which were
    been see
    """.split()
)
"""Verbs that are hardly ever the thing itself; `book`, `order` and `charge` may be."""


def groups(found: tuple[str, ...]) -> frozenset[str]:
    """The kinds of call that verbs ask for."""
    return frozenset(name for name, words in GROUPS.items() if words & set(found))
