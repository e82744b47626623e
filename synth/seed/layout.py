"""Lays out the text of a seed in the one way, without changing what it says."""

import re
from pathlib import Path

from synth.disk import write_text
from synth.lang.problems import Report, ReportFull, SeedError
from synth.seed.budget import bounded_tree
from synth.seed.read import read_content
from synth.seed.tree import Plain, plain

BLOCKS = ("functions", "tools", "invariants", "data")
STEP = 2


def format_file(path: Path, *, write: bool) -> bool:
    """Whether the layout of a file changes; the file is written if so and `write`.

    Raises:
        SeedError: If it is no YAML that a seed can be.
    """
    before = read_content(path).decode("utf-8", "replace")
    after = format_text(before, str(path))
    if write and after != before:
        write_text(path, after)
    return after != before


def format_text(text: str, file: str) -> str:
    """The text in the one layout: no space at line ends, one blank line between functions, blocks indented by two, one newline at the end.

    Raises:
        SeedError: If it is no YAML that a seed can be.
    """
    content = _content(text, file)
    lines = [line.rstrip() for line in text.replace("\r\n", "\n").replace("\r", "\n").split("\n")]
    result = "\n".join(_spaced(_indented(lines))).strip("\n") + "\n"
    return result if _same(content, _content(result, file)) else text


def _content(text: str, file: str) -> dict[str, Plain]:
    report = Report()
    try:
        tree = bounded_tree(text, file, report)
    except ReportFull:
        tree = None
    if tree is None or report.failed:
        raise SeedError(report.problems())
    found = plain(tree)
    return found if isinstance(found, dict) else {}


def _same(before: dict[str, Plain], after: dict[str, Plain]) -> bool:
    """Whether two files say the same; blank lines and indents in blocks do not matter."""
    return {key: _flat(key, value) for key, value in before.items()} == {key: _flat(key, value) for key, value in after.items()}


def _flat(key: str, value: Plain) -> object:
    if key not in BLOCKS or not isinstance(value, str):
        return value
    lines = [line.rstrip() for line in value.split("\n") if line.strip()]
    return lines


def _indented(lines: list[str]) -> list[str]:
    """Literal blocks at the top level indented by two."""
    result: list[str] = []
    number = 0
    while number < len(lines):
        line = lines[number]
        result.append(line)
        number += 1
        if not re.fullmatch(rf"({'|'.join(BLOCKS)}):\s*\|[+-]?", line):
            continue
        end = number
        while end < len(lines) and (not lines[end] or lines[end].startswith(" ")):
            end += 1
        result += _block(lines[number:end])
        number = end
    return result


def _block(lines: list[str]) -> list[str]:
    filled = [line for line in lines if line]
    indent = len(filled[0]) - len(filled[0].lstrip()) if filled else 0
    body = [" " * STEP + line[indent:] if line else "" for line in lines]
    return [*_functions_apart(body), ""] if filled else []


def _functions_apart(lines: list[str]) -> list[str]:
    """One blank line before each function, none at the start or twice."""
    margin = " " * STEP
    result: list[str] = []
    decorated = False
    for line in lines:
        if not line:
            if result and result[-1] and not decorated:
                result.append("")
            continue
        starts = line.startswith((f"{margin}def ", f"{margin}@")) and not decorated
        if starts and result and result[-1] and not result[-1].startswith(f"{margin}#"):
            result.append("")
        top = line.startswith(margin) and not line.startswith(margin + " ")
        if top:
            decorated = line.startswith(f"{margin}@")
        result.append(line)
    while result and not result[-1]:
        result.pop()
    return result


def _spaced(lines: list[str]) -> list[str]:
    """No two blank lines in a row."""
    result: list[str] = []
    for line in lines:
        if line or (result and result[-1]):
            result.append(line)
    return result
