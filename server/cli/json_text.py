"""Edits of JSON as text: an entry is put into a table or taken out of it, and every other byte stays as it is."""

import json
import re
from typing import Any, NamedTuple

BLANK = re.compile(r"[ \t\r\n]*")
COMMENTS = re.compile(r'"(?:[^"\\\n]|\\.)*"|//[^\n]*|/\*.*?\*/', re.DOTALL)
_decoder = json.JSONDecoder()


class Member(NamedTuple):
    """Where one member of an object stands: where its key begins, where its value begins and ends."""

    key: str
    start: int
    value: int
    end: int


def without_comments(text: str) -> str:
    """The same text, comments replaced by as many blanks."""
    return COMMENTS.sub(lambda found: found[0] if found[0].startswith('"') else re.sub(r"[^\n]", " ", found[0]), text)


def parse(text: str) -> Any:
    """The value; a name that stands twice in one object is an error, for one of the two would be lost.

    Raises:
        ValueError: it is not JSON.
    """

    def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        if len(found) < len(pairs):
            raise ValueError("a name stands twice in one object")
        return found

    return json.loads(text, object_pairs_hook=unique)


def put_entry(text: str, table: str, name: str, entry: Any) -> str:
    """The text, an object, with `entry` as the last of the object `table`, which is made when it is not there."""
    plain = without_comments(text)
    found = _find(plain, _start(plain), table)
    if found is None:
        return _append(text, plain, _start(plain), table, {name: entry})
    return _append(text, plain, found.value, name, entry)


def take_entry(text: str, table: str, name: str, *, with_table: bool) -> str:
    """The text without the entry `name` of `table`; without the table too if it would be left empty and `with_table` is given."""
    plain = without_comments(text)
    outer = _find(plain, _start(plain), table)
    if outer is None:
        return text
    if with_table and [one.key for one in _members(plain, outer.value)] == [name]:
        return _remove(text, plain, _start(plain), table)
    return _remove(text, plain, outer.value, name)


def _start(plain: str) -> int:
    return _skip(plain, 0)


def _skip(plain: str, at: int) -> int:
    found = BLANK.match(plain, at)
    return found.end() if found else at


def _members(plain: str, start: int) -> list[Member]:
    """The members of the object that begins at `start`; the text is known to be JSON."""
    found: list[Member] = []
    at = _skip(plain, start + 1)
    while plain[at] != "}":
        key, after = _decoder.raw_decode(plain, at)
        value = _skip(plain, _skip(plain, after) + 1)
        _, end = _decoder.raw_decode(plain, value)
        found.append(Member(key, at, value, end))
        at = _skip(plain, end)
        if plain[at] == ",":
            at = _skip(plain, at + 1)
    return found


def _find(plain: str, start: int, key: str) -> Member | None:
    return next((one for one in _members(plain, start) if one.key == key), None)


def _append(text: str, plain: str, start: int, key: str, value: Any) -> str:
    members = _members(plain, start)
    line = "\r\n" if "\r\n" in text else "\n"
    own = _indent(plain, start)
    if members:
        last = members[-1]
        if "\n" not in plain[start : last.start]:
            return f"{text[: last.end]}, {json.dumps(key)}: {json.dumps(value, ensure_ascii=False)}{text[last.end :]}"
        inner = _indent(plain, last.start)
        return text[: last.end] + "," + line + inner + _written(key, value, inner, own, line) + text[last.end :]
    inner = own + ("\t" if own.startswith("\t") else "  ")
    close = plain.index("}", start)
    kept = text[start + 1 : close].rstrip()  # a comment, if anything
    return f"{text[: start + 1]}{kept}{line}{inner}{_written(key, value, inner, own, line)}{line}{own}{text[close:]}"


def _written(key: str, value: Any, inner: str, outer: str, line: str) -> str:
    """One member over several lines, each but the first behind the indentation `inner`."""
    step = inner.removeprefix(outer) or "  "
    body = json.dumps(value, ensure_ascii=False, indent=step)
    return f"{json.dumps(key, ensure_ascii=False)}: {body}".replace("\n", line + inner)


def _indent(plain: str, at: int) -> str:
    """The blanks at the beginning of the line of `at`."""
    begin = plain.rfind("\n", 0, at) + 1
    found = re.compile(r"[ \t]*").match(plain, begin)
    return found[0] if found else ""


def _remove(text: str, plain: str, start: int, key: str) -> str:
    members = _members(plain, start)
    place = [one.key for one in members].index(key)
    if place:
        return text[: members[place - 1].end] + text[members[place].end :]
    if len(members) > 1:
        return text[: members[0].start] + text[members[1].start :]
    return text[: start + 1] + text[plain.index("}", members[0].end) :]
