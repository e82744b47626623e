"""Whether a text says the same as its reference."""

import itertools
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from rapidfuzz import fuzz

from registry.score.columns import Facts
from registry.score.facts import Element, clauses, elements, facts_in
from registry.score.lexicon import DIRECTION, OPPOSED, TITLES
from registry.score.lexing import stem

UNRELATED = 40.0
"""Below this token-set similarity (facts counted as one word each) a text is about something else."""
NEW_WORDS = 2
"""Words that a text with all facts may add in clauses that also say something of the reference."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """Whether a value is right, with a few words why not."""

    passed: bool
    why: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Pair:
    reference: tuple[Element, ...]
    actual: tuple[Element, ...]
    required: frozenset[str]
    covered: bool


def same_text(reference: str, actual: str, *, required: Facts = (), declared: Facts = ()) -> Judged:
    """Whether `actual` says what `reference` says: all its facts, with nothing denied, changed or added.

    Args:
        reference: The text that gold wrote.
        actual: The text that the run wrote.
        required: Fact groups (synonyms) that must be said; where they make up half of the reference, its other words are free. Empty: the facts
            that the reference says; then all its words count.
        declared: All groups that texts of this column may state; one that the reference does not state must not appear.
    """
    if reference.split() == actual.split():
        return Judged(passed=True)
    if len(actual) > 2 * len(reference) + 60:
        return Judged(passed=False, why="too long")
    groups = tuple(dict.fromkeys((*required, *declared)))
    ours = elements(reference, groups)
    needed = frozenset(str(groups.index(group)) for group in required) or facts_in(ours)
    pair = _Pair(reference=ours, actual=elements(actual, groups), required=needed, covered=bool(required) and _covered(ours))
    for rule in _RULES:
        why = rule(pair)
        if why:
            return Judged(passed=False, why=why)
    return Judged(passed=True)


def _covered(reference: Sequence[Element]) -> bool:
    """Whether facts make up at least half of the words, so that the other words may be chosen freely."""
    facts = sum(one.words for one in reference if one.kind == "fact")
    return facts >= sum(one.kind == "word" and one.value not in _DIRECTION for one in reference)


def _facts(pair: _Pair) -> str:
    stated = facts_in(pair.actual)
    if pair.required - stated:
        return "a required fact is missing"
    return "another declared fact" if stated - pair.required - facts_in(pair.reference) else ""


def _values(pair: _Pair) -> str:
    for kind in ("number", "time", "sign"):
        if Counter(_of(pair.reference, kind)) != Counter(_of(pair.actual, kind)):
            return f"a {kind} differs"
    return "" if _same_dates(sorted(_of(pair.reference, "date")), sorted(_of(pair.actual, "date"))) else "a date differs"


def _of(text: Iterable[Element], kind: str) -> list[str]:
    return [one.value for one in text if one.kind == kind]


def _same_dates(ours: Sequence[str], theirs: Sequence[str]) -> bool:
    """Equal in order; a year that one side leaves out is no difference."""
    pairs = zip(ours, theirs, strict=False)
    return len(ours) == len(theirs) and all(a == b or (a[:6] == b[:6] and (a.endswith("/") or b.endswith("/"))) for a, b in pairs)


def _negation(pair: _Pair) -> str:
    return "" if _denied(pair.reference) == _denied(pair.actual) else "a negation was added, lost or moved"


def _denied(text: Sequence[Element]) -> Counter[tuple[str, str]]:
    """What each negation stands before; where nothing follows in its clause, what it stands behind."""
    found: Counter[tuple[str, str]] = Counter()
    for clause in clauses(text):
        for position, one in enumerate(clause):
            if one.kind == "negation":
                around = [other for other in (*clause[position + 1 :], *reversed(clause[:position])) if other.kind != "negation"]
                found[(around[0].kind, around[0].value) if around else ("nothing", "")] += 1
    return found


def _names(pair: _Pair) -> str:
    ours, theirs = _stems(pair.reference), _stems(pair.actual)
    new = [one for one in pair.actual if one.kind == "word" and (one.name or one.value in TITLES) and one.value not in ours]
    lost = [one for one in pair.reference if one.kind == "word" and one.name and one.value not in theirs]
    if new or lost:
        return "another name"
    order_ours, order_theirs = _name_order(pair.reference), _name_order(pair.actual)
    return "" if order_ours == order_theirs or len(order_ours) != len(order_theirs) else "names change places"


def _name_order(text: Sequence[Element]) -> list[str]:
    """Names that no preposition gives their part, in order."""
    return [
        one.value
        for position, one in enumerate(text)
        if one.name and not (position and text[position - 1].kind == "word" and text[position - 1].value in _DIRECTION)
    ]


def _stems(text: Iterable[Element]) -> frozenset[str]:
    return frozenset(one.value for one in text if one.kind == "word")


_DIRECTION = frozenset(stem(word) for word in DIRECTION)
_OPPOSED = tuple((stem(one), stem(other)) for one, other in OPPOSED)


def _opposites(pair: _Pair) -> str:
    ours, theirs = _stems(pair.reference), _stems(pair.actual)
    for one, other in (*_OPPOSED, *((b, a) for a, b in _OPPOSED)):
        if one in ours and other not in ours and other in theirs:
            return f"{other} against {one}"
    return ""


def _bindings(pair: _Pair) -> str:
    """Numbers stand beside the same words, prepositions before the same."""
    ours, theirs = _beside_numbers(pair.reference), _beside_numbers(pair.actual)
    for number in ours.keys() & theirs.keys():
        if ours[number] and theirs[number] and not ours[number] & theirs[number]:
            return f"{number} belongs to something else"
    if not pair.covered and _directed(pair.reference) != _directed(pair.actual):
        return "from, to, before or after something else"
    return ""


def _beside_numbers(text: Sequence[Element]) -> dict[str, frozenset[str]]:
    found: dict[str, frozenset[str]] = {}
    for clause in clauses(text):
        for position, one in enumerate(clause):
            if one.kind == "number":
                near = (*clause[max(0, position - 1) : position], *clause[position + 1 : position + 2])
                found[one.value] = found.get(one.value, frozenset()) | {other.value for other in near if other.kind in ("word", "fact")}
    return found


def _directed(text: Sequence[Element]) -> Counter[tuple[str, str]]:
    return Counter((one.value, after.value.split("/")[0]) for one, after in _introduced(text))


def _introduced(text: Sequence[Element]) -> list[tuple[Element, Element]]:
    """Prepositions of direction with what follows them."""
    return [(one, after) for one, after in itertools.pairwise(text) if one.kind == "word" and one.value in _DIRECTION and after.kind != "break"]


def _additions(pair: _Pair) -> str:
    ours = _stems(pair.reference)
    added = 0
    for clause in clauses(pair.actual):
        new = [one for one in clause if one.kind == "word" and one.value not in ours and one.value not in _DIRECTION]
        anchored = any(one.kind not in ("word", "negation") or one.value in ours for one in clause)
        if new and not anchored:
            return "a clause about something else"
        if any(_foreign(one.value) for one in new):
            return "letters of another script"
        added += len(new)
    allowed = NEW_WORDS if pair.covered else 0
    return "new words" if added > allowed else ""


def _foreign(word: str) -> bool:
    """Whether a letter only looks like one that is meant."""
    return any(not unicodedata.name(letter, "").startswith("LATIN") for letter in word)


def _omissions(pair: _Pair) -> str:
    """Every word of the reference counts; where facts cover it, only what a preposition introduces does (`after exercise`)."""
    needed = _stems(pair.reference)
    if pair.covered:
        needed = frozenset(after.value for _, after in _introduced(pair.reference) if after.kind == "word")
    missing = needed - _stems(pair.actual)
    return f"{min(missing)} is missing" if missing else ""


def _stuffing(pair: _Pair) -> str:
    ours, theirs = (Counter((one.kind, one.value) for one in text if one.kind in ("word", "fact")) for text in (pair.reference, pair.actual))
    return "repeats itself" if any(count > ours[one] + 1 for one, count in theirs.items()) else ""


def _unrelated(pair: _Pair) -> str:
    ours, theirs = (
        " ".join(f"fact{one.value}" if one.kind == "fact" else one.value for one in text if one.kind != "break")
        for text in (pair.reference, pair.actual)
    )
    return "unrelated" if fuzz.token_set_ratio(ours, theirs) < UNRELATED else ""


_RULES: tuple[Callable[[_Pair], str], ...] = (
    _facts, _values, _negation, _names, _opposites, _bindings, _omissions, _additions, _stuffing, _unrelated,
)  # fmt: skip
