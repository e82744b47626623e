"""Logs and terminals: an agent's words can neither forge a line nor drive a terminal."""

import io
import json
import logging

import pytest

from server.cli.answer import show
from server.logs import JsonLines

WORDS = [
    'x\n{"level": "ERROR", "message": "forged"}',
    "x\r\nforged",
    "\x1b[2J\x1b[H",
    "\x1b]0;title\x07",
    "\x9b2J",
    "\x08\x08\x08",
    "\u2028forged",
    "\u2029forged",
    "\u202eforged",
    "\u2066x",
    "\ud800",
    "\x00",
    "\x7f",
    "\x85forged",
    "%s %d %n",
    "{0}",
    "\ufeff",
]


@pytest.mark.parametrize("words", WORDS, ids=range(len(WORDS)))
def test_a_line_of_the_log_is_one_line_of_printable_ascii(words):
    record = logging.LogRecord("agent", logging.WARNING, __file__, 1, "%s cannot be served", (words,), None)
    line = JsonLines().format(record)
    assert line.isascii()
    assert line.isprintable()
    assert json.loads(line)["message"] == f"{words} cannot be served"


@pytest.mark.parametrize("words", WORDS, ids=range(len(WORDS)))
def test_a_command_prints_an_agents_words_without_what_a_terminal_obeys(words, monkeypatch):
    for as_json in (False, True):
        out = io.TextIOWrapper(io.BytesIO(), encoding="utf-8")
        monkeypatch.setattr("sys.stdout", out)
        show({"tool": words}, json=as_json, text=f"tool {words}")
        out.seek(0)
        printed = out.read()
        assert all(char.isprintable() or char == "\n" or char == "\ufeff" for char in printed), repr(printed)
        if as_json:
            assert json.loads(printed) == {"tool": words}


async def test_what_an_agent_sends_makes_no_line_of_its_own(prey, caplog):
    formatter = JsonLines()
    for words in WORDS:
        await prey.get(
            f"/env/small/e/{prey.mine}/mcp?x={words.encode('unicode_escape').decode()}",
            **{"user-agent": words.replace(chr(10), "").replace(chr(13), "").encode("ascii", "replace").decode()},
        )
        await prey.call("add_note", {"owner_id": "OWN-1", "text": words.encode("utf-8", "replace").decode()})
    for record in caplog.records:
        assert formatter.format(record).count("\n") == 0
