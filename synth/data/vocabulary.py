"""The vendored word lists, read once."""

from collections.abc import Collection
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

Sections = dict[str, tuple[str, ...]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Product:
    """Name of a product and what it usually costs, in whole units of money; `sizes` names what its sizes are, if other than its kind's."""

    name: str
    low: int
    high: int
    sizes: str = ""


def _sections(file: str, *, by_comma: bool) -> Sections:
    """The sections of one file, in order; `#` starts a line that is not data."""
    found: dict[str, list[str]] = {}
    name = ""
    text = files("synth.data.words").joinpath(file).read_text(encoding="utf-8")
    for line in (line.strip() for line in text.splitlines()):
        if line.startswith("[") and line.endswith("]"):
            name = line[1:-1]
            found[name] = []
        elif line and not line.startswith("#"):
            found[name].extend(word.strip() for word in line.split(",")) if by_comma else found[name].append(line)
    return {name: tuple(words) for name, words in found.items()}


@cache
def given_names() -> Sections:
    """First names by origin."""
    return _sections("given_names.txt", by_comma=True)


@cache
def family_names() -> Sections:
    """Last names by origin; the same origins as `given_names`."""
    return _sections("family_names.txt", by_comma=True)


@cache
def pets() -> Sections:
    """Names of pets by species."""
    return _sections("animals.txt", by_comma=True)


@cache
def lists() -> Sections:
    """All other lists of words, by name."""
    merged: Sections = {}
    for file in ("calendar.txt", "organisations.txt", "places.txt"):
        merged.update(_sections(file, by_comma=True))
    return merged


@cache
def sentences() -> Sections:
    """Sentences by kind; `{words}` in braces stand for a draw from another list."""
    return _sections("sentences.txt", by_comma=False)


@cache
def products() -> dict[str, tuple[Product, ...]]:
    """Products by kind."""
    return {kind: tuple(map(_product, lines)) for kind, lines in _sections("products.txt", by_comma=False).items()}


def _product(line: str) -> Product:
    name, low, high, *sizes = (part.strip() for part in line.split(";"))
    return Product(name=name, low=int(low), high=int(high), sizes="".join(sizes))


_OTHER_NAMES = {
    "equipment": "machine",
    "machinery": "machine",
    "power_tool": "tool",
    "hand_tool": "tool",
    "beverage": "drink",
    "food": "grocery",
    "pantry": "grocery",
    "meal": "dish",
    "menu": "dish",
    "stationery": "office",
    "computer": "electronics",
    "device": "electronics",
    "event": "party",
    "outdoor": "camping",
    "apparel": "clothing",
    "bike": "bicycle",
    "music": "instrument",
    "pharmacy": "medicine",
    "household": "cleaning",
    "gardening": "garden",
    "remark": "note",
    "comment": "note",
    "message": "request",
    "defect": "damage",
    "fault": "damage",
    "instruction": "delivery",
    "return": "return_reason",
    "ticket": "incident",
    "review": "feedback",
    "todo": "task",
    "title": "subject",
    "term": "clause",
}


def closest(kind: str, known: Collection[str]) -> str | None:
    """The name of the list that `kind` means: itself, its singular, or another word for it; None if there is none."""
    word = kind.strip().lower().replace("-", "_").replace(" ", "_")
    for candidate in (word, word.removesuffix("s"), word.removesuffix("es"), word.replace("_", " ")):
        for name in (candidate, _OTHER_NAMES.get(candidate, "")):
            if name in known:
                return name
    return None
