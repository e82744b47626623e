"""How often the matcher of texts errs, on fixed sets of labelled pairs written apart from it."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import yaml

from registry.score.text import same_text

SETS = ("text_pairs.yaml", "text_pairs_held_out.yaml")
"""The set that the matcher is tested on, and one that no rule of it was made for."""


class Pair(NamedTuple):
    """A text that may stand for a reference; `kind` is `accept`, or what makes it wrong."""

    case: dict[str, Any]
    text: str
    kind: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Figures:
    """Counts over one set of pairs."""

    pairs: int
    false_accepts: int
    false_rejects: int


def labelled(name: str) -> Iterator[Pair]:
    """The pairs of one set."""
    cases = yaml.safe_load((Path(__file__).parent / name).read_text(encoding="utf-8"))
    for case in cases:
        yield from (Pair(case, text, "accept") for text in case["accept"])
        yield from (Pair(case, text, kind) for kind, texts in case["reject"].items() for text in texts)


def accepted(pair: Pair) -> bool:
    """Whether the matcher takes the text for the reference."""
    required, declared = (tuple(tuple(group) for group in pair.case[part]) for part in ("required", "declared"))
    return same_text(pair.case["reference"], pair.text, required=required, declared=declared).passed


@cache
def figures(name: str) -> Figures:
    """Errors on one set."""
    judged = [(pair.kind == "accept", accepted(pair)) for pair in labelled(name)]
    return Figures(pairs=len(judged), false_accepts=judged.count((False, True)), false_rejects=judged.count((True, False)))
