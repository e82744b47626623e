"""Text whose parts remember what they say."""

from collections.abc import Iterable
from dataclasses import dataclass, replace


@dataclass(frozen=True, slots=True)
class Mention:
    """A row that a run of text refers to.

    Attributes:
        noun: What such a row is called in general.
        person: Whether it is somebody and not something.
        inside: Entities of the rows that the text names on the way to it.
        people: Whether one of these is somebody.
        apposed: Whether the text ends in an addition after a comma.
    """

    entity: str
    key: str
    noun: str
    person: bool = False
    inside: tuple[str, ...] = ()
    people: bool = False
    apposed: bool = False


@dataclass(frozen=True, slots=True)
class Part:
    """A run of text; `tag` names the fact that it states, or is empty; `row` the row that it is part of the words for.

    Attributes:
        within: A row on the way to that one, which this text names: the owner in `Ann Lee's dog`.
        also: Facts that a pronoun stands for: the tag, and the tag of the words that stated the same before.
    """

    text: str
    tag: str = ""
    row: Mention | None = None
    within: Mention | None = None
    also: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Phrase:
    """Parts in order. `str()` gives the text, `spans()` where each tag stands in it."""

    parts: tuple[Part, ...]

    def __str__(self) -> str:
        return "".join(part.text for part in self.parts)

    def __add__(self, other: "Phrase | str") -> "Phrase":
        return Phrase(self.parts + as_phrase(other).parts)

    def spans(self) -> dict[str, tuple[int, int]]:
        """First place of each tag as (start, end), in characters."""
        found: dict[str, tuple[int, int]] = {}
        at = 0
        for part in self.parts:
            if part.tag and part.tag not in found:
                found[part.tag] = (at, at + len(part.text))
            for tag, same in part.also:
                if same in found:
                    found.setdefault(tag, found[same])
            at += len(part.text)
        return found

    def capitalized(self) -> "Phrase":
        """The same with a capital first letter; the text keeps its length."""
        for index, part in enumerate(self.parts):
            if part.tag and "_" in part.text:
                return self  # a handle is written as it is
            if part.text:
                changed = replace(part, text=part.text[0].upper() + part.text[1:])
                return Phrase((*self.parts[:index], changed, *self.parts[index + 1 :]))
        return self

    def stripped(self, ending: str) -> "Phrase":
        """The same without `ending` at its end, if it stands there within one part."""
        if self.parts and self.parts[-1].text.endswith(ending):
            last = self.parts[-1]
            return Phrase((*self.parts[:-1], replace(last, text=last.text[: len(last.text) - len(ending)])))
        return self

    def after(self, opening: str) -> "Phrase":
        """The same without `opening` at its start, if it stands there within one part."""
        if self.parts and self.parts[0].text.startswith(opening):
            first = self.parts[0]
            return Phrase((replace(first, text=first.text[len(opening) :]), *self.parts[1:]))
        return self

    def about(self, row: Mention) -> "Phrase":
        """The same, all of it words for this row."""
        return Phrase(tuple(replace(part, row=row, within=_nearer(part.row, part.within)) for part in self.parts))

    def tags(self) -> tuple[str, ...]:
        """All tags in order."""
        return tuple(part.tag for part in self.parts if part.tag)


def _nearer(row: Mention | None, within: Mention | None) -> Mention | None:
    """Of the rows that a text names on the way to another: somebody rather than something."""
    return row if row is not None and (row.person or within is None) else within


def as_phrase(text: "Phrase | str") -> Phrase:
    """`text` itself, or plain text as an untagged phrase."""
    return text if isinstance(text, Phrase) else Phrase((Part(text),) if text else ())


def fact(text: str, tag: str) -> Phrase:
    """Text that states the fact `tag`."""
    return Phrase((Part(text, tag),))


def joined(phrases: Iterable[Phrase], separator: str = ", ", last: str = " and ") -> Phrase:
    """`a, b and c`."""
    items = list(phrases)
    result = as_phrase("")
    for index, item in enumerate(items):
        if index:
            result = result + (last if index == len(items) - 1 else separator)
        result = result + item
    return result
