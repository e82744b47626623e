"""Text to tokens: stems, numbers, dates, times, names, negations, ends of clauses."""

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from registry.score.lexicon import CLAUSE, FILLER, MONTHS, NEGATION, NUMBERS, PHRASES, RELATIVE_DAYS, REWORDED, TIMES, WEEKDAYS

Kind = Literal["word", "number", "date", "time", "sign", "negation", "break"]


@dataclass(frozen=True, slots=True)
class Token:
    """`value` is a stem, or the normal form of a number, date or time; `name` marks a capital where a common word has none."""

    kind: Kind
    value: str
    name: bool = False


_PIECE = re.compile(
    "|".join(
        (
            r"[0-9]{4}-[0-9]{2}-[0-9]{2}",
            r"[0-9]{1,2}:[0-9]{2}(?::[0-9]{2})?",
            r"[0-9]+(?:[.,][0-9]+)*",
            r"[^\W\d_]+(?:'[^\W\d_]+)?",
            r"(?<![\w)-])-(?=[0-9])",  # a sign, not a hyphen
            r"[.;,:!?()\n]",
            "[%$\u20ac\u00a3\u00a5+=<>~^|\u00ac\u00b1\u2190-\u2bff\U0001f000-\U0001faff]",  # signs and pictures say something too
        )
    )
)
_INVISIBLE = re.compile("[\u00ad\u200b-\u200f\u2028-\u202e\u2060-\u2064\ufeff]")
_PLAIN_MARKS = str.maketrans({"\u2019": "'", "\u2018": "'", "\u2212": "-", "&": " and "})
_BEFORE_MONTH = frozenset(("in", "since", "until", "till", "by", "last", "next", "early", "late", "mid"))
_STOPS = frozenset(".!?;:\n")
_BREAKS = frozenset(".;,!?()\n")


def stem(word: str) -> str:
    """The word without its common endings; equal for the forms of one regular word."""
    word = word.removesuffix("'s")
    if len(word) <= 3:
        return word
    if word.endswith("ies"):
        word = word[:-3] + "y"
    elif word.endswith(("sses", "xes", "zes", "ches", "shes")):
        word = word[:-2]
    elif word.endswith("s") and not word.endswith(("ss", "is")):
        word = word[:-1]
    for ending, least in (("ing", 6), ("ied", 5), ("ed", 5)):
        if word.endswith(ending) and len(word) >= least and re.search("[aeiouy]", word[: -len(ending)]):
            word = word[: -len(ending)] + ("y" if ending == "ied" else "")
            word = word[:-1] if re.search(r"([^aeiouls])\1$", word) else word
            break
    return word[:-1] if word.endswith("e") and len(word) > 3 else word


_FILLER_STEMS = frozenset(stem(word) for word in FILLER)
_NEGATION_STEMS = frozenset(stem(word) for word in NEGATION)
_PHRASE_STEMS: dict[str, list[tuple[tuple[str, ...], tuple[str, ...]]]] = {}
"""Phrases, in order, with what is said instead, by their first word."""
for _phrase, _words in PHRASES:
    _PHRASE_STEMS.setdefault(stem(_phrase[0]), []).append((tuple(stem(word) for word in _phrase), _words))


def is_filler(token: Token) -> bool:
    """Whether the token says nothing by itself."""
    return token.kind == "word" and token.value in _FILLER_STEMS


@lru_cache(maxsize=4096)
def lex(text: str) -> tuple[Token, ...]:
    """The tokens of a text in order; equal for texts that differ in case, spacing, articles' apostrophes or the writing of dates."""
    text = _INVISIBLE.sub("", unicodedata.normalize("NFKC", text)).translate(_PLAIN_MARKS)
    pieces = _PIECE.findall(text)
    words = [piece for piece in pieces if piece[0].isalpha()]
    shouted = sum(word[0].isupper() for word in words) > 0.6 * len(words)
    tokens: list[Token] = []
    position = 0
    while position < len(pieces):
        used, made = _special(pieces, position)
        if not used:
            used, made = 1, _plain(pieces, position, shouted=shouted)
        tokens.extend(made)
        position += used
    return _rephrased(tokens)


def _plain(pieces: Sequence[str], position: int, *, shouted: bool) -> tuple[Token, ...]:
    piece = pieces[position]
    if not piece[0].isalpha():
        return () if piece == ":" else (Token("break" if piece in _BREAKS else "sign", piece),)
    low = piece.casefold()
    if low.endswith("n't"):
        return (Token("negation", "not"),)
    if low in NUMBERS:
        return (Token("number", str(NUMBERS[low])),)
    if low in TIMES:
        return (Token("number", str(TIMES[low])), Token("word", stem("times")))
    root = stem(REWORDED.get(low, low))
    if root in _NEGATION_STEMS:
        return (Token("negation", root),)
    marks = (Token("break", low),) if low in CLAUSE else ()
    starts = position == 0 or pieces[position - 1][0] in _STOPS
    named = piece[0].isupper() and not starts and not shouted and low != "i"
    return (*marks, Token("word", root, named))


def _special(pieces: Sequence[str], at: int) -> tuple[int, tuple[Token, ...]]:
    """Dates, times and numbers: how many pieces they take, what they are."""
    piece, low = pieces[at], pieces[at].casefold()
    after = [one.casefold() for one in pieces[at + 1 : at + 5]] + [""] * 4
    if re.fullmatch(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", piece):
        return 1, (Token("date", piece[5:] + "/" + piece[:4]),)
    if ":" in piece and piece[0].isdigit():
        return _time(piece, after[0])
    if piece[0].isdigit():
        return _from_digits(piece, after)
    if low in MONTHS and (after[0].isdigit() or _is_month(pieces, at)):
        return _from_month(low, after)
    day = low.removesuffix("s") if low.endswith("days") else low
    if day in WEEKDAYS and (len(day) > 4 or piece[0].isupper()):
        return 1, (Token("date", f"weekday {WEEKDAYS[day]}"),)
    if low == "no" and after[0] == "." and after[1].isdigit():
        return 2, (Token("word", stem("number")),)
    if low in RELATIVE_DAYS:
        return 1, (Token("date", low),)
    return 0, ()


def _is_month(pieces: Sequence[str], at: int) -> bool:
    """Whether a word that may be a month is one: by its capital letter, or by a word before it such as `in`."""
    if at and pieces[at - 1].casefold() in _BEFORE_MONTH:
        return True
    return pieces[at][0].isupper() and (pieces[at].casefold() != "may" or at > 0)


def _time(piece: str, half: str) -> tuple[int, tuple[Token, ...]]:
    hour, minute = int(piece.split(":")[0]), int(piece.split(":")[1])
    if half in ("am", "pm"):
        return 2, (Token("time", f"{hour % 12 + (12 if half == 'pm' else 0):02}:{minute:02}"),)
    return 1, (Token("time", f"{hour:02}:{minute:02}"),)


def _from_digits(piece: str, after: Sequence[str]) -> tuple[int, tuple[Token, ...]]:
    skip = 1 if after[0] in ("st", "nd", "rd", "th") else 0
    skip += 1 if after[skip] == "of" and after[skip + 1] in MONTHS else 0
    if piece.isdigit() and int(piece) <= 31 and after[skip] in MONTHS:
        year = after[skip + 1] if re.fullmatch(r"[12][0-9]{3}", after[skip + 1]) else ""
        return skip + 2 + bool(year), (Token("date", f"{MONTHS[after[skip]]:02}-{int(piece):02}/{year}"),)
    if after[0] in ("am", "pm") and piece.isdigit():
        return _time(f"{piece}:00", after[0])
    return 1 + (after[0] in ("st", "nd", "rd", "th")), (Token("number", _number(piece)),)


def _from_month(month: str, after: Sequence[str]) -> tuple[int, tuple[Token, ...]]:
    if not (after[0].isdigit() and int(after[0]) <= 31):
        return 1, (Token("date", f"month {MONTHS[month]}"),)
    used = 2 + (after[1] in ("st", "nd", "rd", "th"))
    comma = after[used - 1] == ","
    year = after[used - 1 + comma] if len(after) > used - 1 + comma else ""
    if re.fullmatch(r"[12][0-9]{3}", year):
        return used + comma + 1, (Token("date", f"{MONTHS[month]:02}-{int(after[0]):02}/{year}"),)
    return used, (Token("date", f"{MONTHS[month]:02}-{int(after[0]):02}/"),)


def _number(piece: str) -> str:
    plain = re.sub(r",(?=[0-9]{3}(?:\D|$))", "", piece)
    whole, _, part = plain.partition(".")
    return (whole.lstrip("0") or "0") + (f".{part.rstrip('0')}" if part.rstrip("0") else "")


def _instead(word: str) -> Token:
    return Token("negation", word) if word == "not" else Token("break" if word in CLAUSE else "word", stem(word))


def _rephrased(tokens: Sequence[Token]) -> tuple[Token, ...]:
    result: list[Token] = []
    position = 0
    while position < len(tokens):
        for phrase, instead in _PHRASE_STEMS.get(tokens[position].value, ()):
            if tuple(token.value for token in tokens[position : position + len(phrase)]) == phrase:
                result.extend(_instead(word) for word in instead)
                position += len(phrase)
                break
        else:
            result.append(tokens[position])
            position += 1
    return tuple(result)
