"""What a seed file may hold at most, so that a seed that is too much is refused before it costs time."""

import re
from collections.abc import Iterator
from itertools import accumulate

from synth.lang.nodes import Where
from synth.lang.problems import Report
from synth.seed.tree import Mapping, Tree, read_tree

MOST_BYTES = 400_000
MOST_LINE = 5_000
MOST_MARKS = 10_000
_COUNTS = {"entities": 300, "enums": 300, "types": 200, "constants": 400, "facts": 400, "glossary": 1_000, "roles": 40, "policies": 400}
_OPENS_BLOCK = re.compile(r":\s*[|>][-+0-9]*\s*$")
_SPLIT = "Split the domain into several seeds"
MOST_FIELDS = 120
MOST_WORDS = 400


def fitting_bytes(content: bytes, file: str, report: Report) -> bool:
    """Whether a file is small enough to be looked at."""
    if len(content) <= MOST_BYTES:
        return True
    report.add(Where(file=file, line=1, column=1), "file", expected=f"at most {MOST_BYTES} bytes", got="more", fix=_SPLIT, code="TOO_LARGE")
    return False


def bounded_tree(text: str, file: str, report: Report) -> Mapping | None:
    """The tree of a seed file that is no more than a seed may be; None after a problem that makes the rest unreadable.

    Raises:
        ReportFull: After too many problems.
    """
    tree = read_tree(text, file, report) if _fitting_text(text, file, report) else None
    return tree if tree is not None and _fitting_counts(tree, report) else None


def _fitting_text(text: str, file: str, report: Report) -> bool:
    """Whether lines and separators are few enough to be parsed; a line that long hides a nest or a constant without end."""
    lines = text.split("\n")
    for number, line in enumerate(lines, 1):
        if len(line) > MOST_LINE:
            where = Where(file=file, line=number, column=MOST_LINE + 1)
            got, fix = f"a line of {len(line)}", "Break it into several lines"
            report.add(where, "file", expected=f"lines of at most {MOST_LINE} characters", got=got, fix=fix, code="TOO_LONG_LINE")
            return False
    marks = accumulate(1 + sum(map(line.count, ",[{")) for line in _outside_blocks(lines))
    if any(count > MOST_MARKS for count in marks):
        expected = f"at most {MOST_MARKS} lines, commas and brackets outside literal blocks"
        report.add(Where(file=file, line=1, column=1), "file", expected=expected, got="more", fix=_SPLIT, code="TOO_LARGE")
        return False
    return True


def _outside_blocks(lines: list[str]) -> Iterator[str]:
    """Lines that say something to YAML: neither empty, nor a comment, nor inside a literal block."""
    block: int | None = None
    for line in lines:
        bare = line.lstrip(" ")
        indent = len(line) - len(bare)
        if not bare or bare.startswith("#") or (block is not None and indent > block):
            continue
        block = indent if _OPENS_BLOCK.search(line) else None
        yield line


def _fitting_counts(tree: Mapping, report: Report) -> bool:
    """Whether no part of the seed has more entries than a seed that people can work with."""
    parts = [(tree.get(name), most, name) for name, most in _COUNTS.items()]
    parts += [(words, MOST_WORDS, f"enums.{enum}") for enum, words in _entries(tree.get("enums"))]
    for entity, body in _entries(tree.get("entities")):
        parts.append((body.get("fields") if isinstance(body, Mapping) else None, MOST_FIELDS, f"entities.{entity}.fields"))
    fitting = [_bounded(part, most, field, report) for part, most, field in parts]
    return all(fitting)


def _entries(tree: Tree | None) -> list[tuple[str, Tree]]:
    return [(name.value, value) for name, value in tree.entries] if isinstance(tree, Mapping) else []


def _bounded(tree: Tree | None, most: int, field: str, report: Report) -> bool:
    count = len(tree.entries) if isinstance(tree, Mapping) else len(getattr(tree, "items", ()))
    if tree is None or count <= most:
        return True
    report.add(tree.where, field, expected=f"at most {most} entries", got=f"{count}", fix=_SPLIT, code="TOO_MANY")
    return False
