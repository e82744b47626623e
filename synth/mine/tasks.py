"""Tasks from a file, and whether each lives in records that are kept."""

import json
import re
from dataclasses import dataclass
from pathlib import Path

from synth import disk
from synth.errors import SynthError
from synth.mine.words import STATELESS, nouns, verbs

MOST_BYTES = 5_000_000
MOST_TASKS = 1_000
LONGEST = 2_000
KEYS = ("task", "instruction", "prompt", "text", "query")


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """One task. `line` is its place in the file, from 1."""

    line: int
    text: str


def read_tasks(path: Path) -> tuple[Task, ...]:
    """The tasks of a file of lines: JSON objects with a text, JSON texts, or just texts.

    Raises:
        SynthError: It cannot be read, or holds none or too many.
    """
    try:
        content = disk.read_head(path, MOST_BYTES + 1)
    except OSError as error:
        raise SynthError(f"{path}: expected a file that can be read, got {error.strerror}. Correct the path.") from error
    lines = content.decode("utf-8", "replace").splitlines()
    if len(content) > MOST_BYTES or len(lines) > MOST_TASKS:
        raise SynthError(f"{path}: expected at most {MOST_TASKS} tasks in {MOST_BYTES} bytes, got more. Split the file.")
    found = [Task(line=number, text=text) for number, line in enumerate(lines, 1) if (text := _text(line))]
    if not found:
        raise SynthError(f'{path}: expected lines such as {{"task": "Move my appointment to Friday."}}, got none. Write one task a line.')
    return tuple(found)


def _text(line: str) -> str:
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        value = line if not line.lstrip().startswith(("{", "[")) else ""
    if isinstance(value, dict):
        value = next((value[name] for name in KEYS if isinstance(value.get(name), str)), "")
    return " ".join(value.split())[:LONGEST] if isinstance(value, str) else ""


_KNOWLEDGE = re.compile(
    r"""
    \b(capital\ of | meaning\ of | why\ (is|are|do|does) | how\ (do|does|can)\ (i|you|a|an|the|one)\b.*\b(work|learn|write)
    | poem | an\ essay | essay\ on | haiku | story | joke | python | javascript | function\ that | equation | theorem | sentence | paragraph
    | slogan | recipe | in\ (french|german|spanish|latin) | what\ is\ (a|an|the\ difference) | who\ (wrote|invented|painted))\b
    """,
    re.IGNORECASE | re.VERBOSE,
)
_POLITE = frozenset(("please", "need", "want", "like", "would", "wants", "let", "know", "can", "could"))


def stateful(text: str) -> bool:
    """Whether a task changes or looks up records that somebody keeps, rather than asking a model for words or knowledge."""
    if _KNOWLEDGE.search(text):
        return False
    asks = re.sub(r"^(please |can you |could you )*tell me (which|who|what|how many|how much|whether|when|where)\b", r"\2", text, flags=re.IGNORECASE)
    first = next((one for one in verbs(asks) if one not in _POLITE), "")
    return first not in STATELESS and bool(nouns(text))
