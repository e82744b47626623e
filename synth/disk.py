"""The only place where synth touches the disk."""

from pathlib import Path


def read_head(path: Path, most: int) -> bytes:
    """The first bytes of a file.

    Args:
        most: How many at most.
    """
    with path.open("rb") as opened:
        return opened.read(most)


def write_text(path: Path, text: str) -> None:
    """Replace a text file; UTF-8, lines end with a newline alone."""
    path.write_text(text, encoding="utf-8", newline="\n")
