"""Texts as vectors: what they are about by counted words, or by an embedding where one is installed."""

import importlib
import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from synth.mine.words import names, nouns

Vector = Mapping[Any, float]
Embed = Callable[[Sequence[str]], Sequence[Sequence[float]]]
MODEL = "all-MiniLM-L6-v2"
NEAR = 0.5
"""How much a text is about words that stand beside its own in other texts."""


def by_words(texts: Sequence[str]) -> tuple[Vector, ...]:
    """TF-IDF over nouns and names, spread to words that stand beside them elsewhere, so that short texts meet without a common word; of length 1."""
    counted = [Counter((*nouns(one), *names(one))) for one in texts]
    frequent = Counter(word for one in counted for word in one)
    plain = [_unit({word: count * math.log(1 + len(texts) / frequent[word]) for word, count in one.items()}) for one in counted]
    beside: dict[str, dict[str, float]] = {}
    for one in plain:
        for word, weight in one.items():
            near = beside.setdefault(word, {})
            for other, value in one.items():
                if other != word:
                    near[other] = near.get(other, 0.0) + weight * value
    return tuple(_spread(one, beside) for one in plain)


def _spread(one: Vector, beside: Mapping[str, Mapping[str, float]]) -> Vector:
    whole: dict[str, float] = {}
    for word, weight in one.items():
        for other, value in _unit(beside[word]).items():
            whole[other] = whole.get(other, 0.0) + NEAR * weight * value
    for word, weight in one.items():
        whole[word] = whole.get(word, 0.0) + weight
    return _unit(whole)


def installed() -> Embed | None:
    """The embedding of sentence-transformers, if the package and its model are on this machine; nothing is fetched for it."""
    try:
        module = importlib.import_module("sentence_transformers")
        model = module.SentenceTransformer(MODEL, local_files_only=True)
    except (ImportError, OSError, ValueError):
        return None
    return lambda texts: [[float(value) for value in one] for one in model.encode(list(texts))]


def by_embedding(texts: Sequence[str], embed: Embed) -> tuple[Vector, ...]:
    """Vectors of an embedding, of length 1."""
    return tuple(_unit(dict(enumerate(one))) for one in embed(texts))


def cosine(one: Vector, other: Vector) -> float:
    """Of two vectors of length 1."""
    small, large = (one, other) if len(one) <= len(other) else (other, one)
    return sum(weight * large.get(word, 0.0) for word, weight in small.items())


def _unit(one: Mapping[Any, float]) -> dict[Any, float]:
    length = math.sqrt(sum(weight * weight for weight in one.values()))
    return {word: weight / length for word, weight in sorted(one.items())} if length else {}
