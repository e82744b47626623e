"""What a model wrote, freed of what models write around it."""

import json
import re
from typing import Any

MOST_LETTERS = 400_000
_FENCE = re.compile(r"^[ \t]*(`{3,}|~{3,})[ \t]*([\w+-]*)[ \t]*$", re.MULTILINE)
_THOUGHT = re.compile(r"<(think|thinking)>.*?</\1>", re.DOTALL)
_TRAILING = re.compile(r",(\s*[}\]])")


class AnswerUnreadable(Exception):
    """An answer is not what was asked for; one sentence that can be given back to the model."""


def plain(text: str) -> str:
    """The text without what a model thought aloud, without byte order mark and carriage returns.

    Raises:
        AnswerUnreadable: It is too long to be looked at.
    """
    if len(text) > MOST_LETTERS:
        raise AnswerUnreadable(f"answer: expected at most {MOST_LETTERS} characters, got {len(text)}. Write less.")
    return _THOUGHT.sub("", text.replace("\r\n", "\n").lstrip("\ufeff"))


def fenced(text: str) -> str:
    """The longest block between fences, an open one at the end too; all of the text where there is none."""
    text = plain(text)
    blocks, opened = [], None
    for mark in _FENCE.finditer(text):
        if opened is None:
            opened = mark
        elif not mark[2] and mark[1][0] == opened[1][0]:
            blocks.append(text[opened.end() + 1 : mark.start()])
            opened = None
    if opened is not None:
        blocks.append(text[opened.end() + 1 :])
    return max(blocks, key=len) if blocks else text


def seed_text(text: str) -> str:
    """The YAML of a seed: from the line with its first key on; what stands before is talk.

    Raises:
        AnswerUnreadable: There is no such line.
    """
    lines = fenced(text).split("\n")
    first = next((number for number, line in enumerate(lines) if re.match(r"(format|id):(\s|$)", line)), None)
    if first is None:
        raise AnswerUnreadable("answer: expected a seed that begins with `id:`, got something else. Write the whole seed, in one YAML block.")
    return "\n".join(line.rstrip() for line in lines[first:]).strip("\n") + "\n"


def json_value(text: str) -> Any:
    """The JSON value in an answer: between fences or in the midst of talk, with commas too many.

    Raises:
        AnswerUnreadable: There is none, or only half of one.
    """
    inside = fenced(text)
    start = next((place for place, letter in enumerate(inside) if letter in "{["), None)
    if start is not None:
        for candidate in (inside[start:], _TRAILING.sub(r"\1", inside[start:])):
            try:
                return json.JSONDecoder().raw_decode(candidate)[0]
            except (ValueError, RecursionError):
                continue
    raise AnswerUnreadable("answer: expected one whole JSON value, got none. Write it again, from its first bracket to its last.")
