"""Declared facts in a text: found, taken out, each remembered with what denies it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from registry.score.columns import Facts
from registry.score.lexing import Token, is_filler, lex

ElementKind = Literal["word", "number", "date", "time", "sign", "negation", "break", "fact"]


@dataclass(frozen=True, slots=True)
class Element:
    """A token that says something, or a whole fact (`value` is the number of its group, `words` how many words state it)."""

    kind: ElementKind
    value: str
    name: bool = False
    words: int = 1


@lru_cache(maxsize=4096)
def _telling(text: str) -> tuple[Token, ...]:
    return tuple(token for token in lex(text) if not is_filler(token))


Wordings = Mapping[tuple[str, str], Sequence[tuple[tuple[tuple[str, str], ...], int]]]
"""Kinds and values of the tokens of each synonym, and the number of its group, longer ones first, by their first token."""


@lru_cache(maxsize=256)
def _wordings(groups: Facts) -> Wordings:
    """The synonyms of some groups; those of the last 256 columns asked for are kept."""
    wordings = [(tuple((token.kind, token.value) for token in _telling(word)), index) for index, group in enumerate(groups) for word in group]
    found: dict[tuple[str, str], list[tuple[tuple[tuple[str, str], ...], int]]] = {}
    for one in sorted((one for one in wordings if one[0]), key=lambda one: -len(one[0])):
        found.setdefault(one[0][0], []).append(one)
    return found


def elements(text: str, groups: Facts) -> tuple[Element, ...]:
    """The text without filler words, every synonym of a group replaced by its fact; longer synonyms first, none across a break."""
    tokens = _telling(text)
    wordings = _wordings(groups)
    result: list[Element] = []
    position = 0
    while position < len(tokens):
        length, index = _fact_at(tokens, position, wordings)
        if length:
            result.append(Element("fact", str(index), words=length))
        else:
            token = tokens[position]
            result.append(Element(token.kind, token.value, token.name))
        position += length or 1
    return tuple(result)


def _fact_at(tokens: Sequence[Token], position: int, wordings: Wordings) -> tuple[int, int]:
    for wording, index in wordings.get((tokens[position].kind, tokens[position].value), ()):
        here = tuple((token.kind, token.value) for token in tokens[position : position + len(wording)])
        if here == wording:
            return len(wording), index
    return 0, 0


def facts_in(text: Sequence[Element]) -> frozenset[str]:
    """Numbers of the groups that the text states."""
    return frozenset(one.value for one in text if one.kind == "fact")


def clauses(text: Sequence[Element]) -> tuple[tuple[Element, ...], ...]:
    """The text cut at its breaks; empty parts left out."""
    parts: list[list[Element]] = [[]]
    for one in text:
        if one.kind == "break":
            parts.append([])
        else:
            parts[-1].append(one)
    return tuple(tuple(part) for part in parts if part)
