"""Printing of a command's answer: text for people, JSON for programs; nothing else goes to stdout."""

import json as jsonlib
import re
import sys
from collections.abc import Sequence
from typing import Any

import typer

UNPRINTABLE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
"""What a terminal acts on instead of showing it: an agent chooses names of tools and texts that are printed here."""

JsonFlag = typer.Option(False, "--json", help="Print JSON.")


def show(value: Any, *, json: bool, text: str) -> None:
    """Prints `value` as one JSON document, or `text`."""
    out = jsonlib.dumps(value, ensure_ascii=False, indent=2, sort_keys=False) if json else text.rstrip("\n")
    sys.stdout.write(UNPRINTABLE.sub(lambda found: f"\\u{ord(found[0]):04x}", out) + "\n")
    sys.stdout.flush()


def note(line: str) -> None:
    """Progress and remarks, on stderr."""
    sys.stderr.write(line + "\n")
    sys.stderr.flush()


def table(head: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    """Columns as wide as their content; numbers to the right."""
    cells = [[str(cell) for cell in row] for row in rows]
    widths = [max(len(line[i]) for line in [list(head), *cells]) for i in range(len(head))]
    right = [bool(rows) and all(isinstance(row[i], int | float) and not isinstance(row[i], bool) for row in rows) for i in range(len(head))]

    def line(parts: Sequence[str]) -> str:
        return "  ".join(p.rjust(w) if r else p.ljust(w) for p, w, r in zip(parts, widths, right, strict=True)).rstrip()

    return "\n".join([line(head), *(line(row) for row in cells)])
