"""Edits of a seed by line: what a model is shown of it, and what it gives back."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from synth.author.complaint import Complaint
from synth.model.answer import AnswerUnreadable, fenced

AROUND = 3
"""Lines shown before and after one that is complained of."""
MOST_LINES = 90
"""Shown in all."""
_HEAD = re.compile(r"^@@ *(\d{1,6})(?:-(\d{1,6})|(\+))?(?: +(?:@@ *)?(.*))?$")


@dataclass(frozen=True, slots=True, kw_only=True)
class Edit:
    """Lines `first` to `last` become `lines`; nothing is replaced where `last` is before `first`. `note` says what it is for."""

    first: int
    last: int
    lines: tuple[str, ...]
    note: str = ""


def read_edits(answer: str) -> tuple[Edit, ...]:
    """The edits of an answer, those further down first, so that numbers stay right while they are made.

    Raises:
        AnswerUnreadable: There is none, or two overlap.
    """
    found: list[tuple[int, int, str, list[str]]] = []
    for line in fenced(answer).split("\n"):
        head = _HEAD.match(line)
        if head:
            number = int(head[1])
            first, last = (number + 1, number) if head[3] else (number, int(head[2] or number))
            found.append((first, last, " ".join((head[4] or "").split())[:120], []))
        elif found:
            found[-1][3].append(line.rstrip())
    whole = [Edit(first=first, last=last, note=note, lines=_trimmed(lines)) for first, last, note, lines in found]
    edits = sorted(whole, key=lambda one: (one.first, one.last), reverse=True)
    if not edits:
        raise AnswerUnreadable("answer: expected edits that begin with `@@ first-last`, got none. Write the edits, and nothing else.")
    for later, earlier in pairwise(edits):
        if earlier.last >= later.first:
            raise AnswerUnreadable(
                f"answer: expected edits apart from each other, got two that hold line {later.first}. Write one edit for those lines."
            )
    return tuple(edits)


def _trimmed(lines: Sequence[str]) -> tuple[str, ...]:
    """Without empty lines at the end: they only part one edit from the next."""
    kept = list(lines)
    while kept and not kept[-1]:
        kept.pop()
    return tuple(kept)


def applied(seed: str, edits: Sequence[Edit]) -> str:
    """The seed with the edits made.

    Args:
        edits: Those further down first.

    Raises:
        AnswerUnreadable: One is about lines that are not there.
    """
    lines = seed.rstrip("\n").split("\n")
    for edit in edits:
        if edit.first < 1 or edit.last > len(lines) or edit.first > edit.last + 1:
            raise AnswerUnreadable(f"answer: expected lines from 1 to {len(lines)}, got {edit.first}-{edit.last}. Use the numbers that are shown.")
        lines[edit.first - 1 : edit.last] = edit.lines
    return "\n".join(lines) + "\n"


def numbered(seed: str) -> str:
    """The whole seed with its numbers."""
    return "".join(f"{number}|{line}\n" for number, line in enumerate(seed.rstrip("\n").split("\n"), 1))


def shown(seed: str, complaints: Sequence[Complaint]) -> str:
    """The lines around what is complained of, with their numbers; gaps are marked."""
    lines = seed.rstrip("\n").split("\n")
    wanted: set[int] = set()
    for one in complaints:
        more = {number for number in _lines_of(one, lines) if 1 <= number <= len(lines)}
        if len(wanted | more) <= MOST_LINES or not wanted:
            wanted |= set(sorted(more)[:MOST_LINES])
    text, last = "", 0
    for number in sorted(wanted):
        text += ("…\n" if number != last + 1 else "") + f"{number}|{lines[number - 1]}\n"
        last = number
    return text


def _lines_of(complaint: Complaint, lines: Sequence[str]) -> set[int]:
    if complaint.line is not None:
        around = set(range(complaint.line - AROUND, complaint.line + AROUND + 1))
        return around | _definition(complaint.line, lines)
    named = set(re.findall(r"[A-Za-z_]\w+", complaint.sentence))
    found: set[int] = set()
    for number, line in enumerate(lines, 1):
        head = re.match(r"\s*def (\w+)\(", line) or re.match(r"  (\w+):", line)
        if head and head[1] in named:
            found |= _block(number, lines)
    return found or set(range(1, len(lines) + 1))


def _definition(line: int, lines: Sequence[str]) -> set[int]:
    """The function around a line, if it is a short one."""
    for number in range(min(line, len(lines)), max(line - 30, 0), -1):
        if re.match(r"  def \w+\(", lines[number - 1]):
            block = _block(number, lines)
            return block if line in block and len(block) <= 24 else set()
        if re.match(r"\S", lines[number - 1]):
            break
    return set()


def _block(number: int, lines: Sequence[str]) -> set[int]:
    """A line with those that are indented deeper below it, and decorators above."""
    depth = len(lines[number - 1]) - len(lines[number - 1].lstrip())
    block = {number}
    for above in range(number - 1, 0, -1):
        if not lines[above - 1].lstrip().startswith("@"):
            break
        block.add(above)
    for below in range(number + 1, len(lines) + 1):
        text = lines[below - 1]
        if text.strip() and len(text) - len(text.lstrip()) <= depth:
            break
        block.add(below)
    return block
