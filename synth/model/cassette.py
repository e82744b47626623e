"""Exchanges on disk: recorded once, replayed without a network."""

import hashlib
import json
from collections import Counter
from pathlib import Path
from typing import Any

from synth import disk
from synth.model.errors import CassetteError
from synth.model.exchange import Asks, Reply, Request

FORMAT = 1
MOST_BYTES = 30_000_000


class Replay:
    """Answers from a cassette: the n-th time that something is asked gives the n-th answer to it.

    Args:
        path: A file that `Recorder` wrote.
        in_order: Where a question is not found by its words, take the next exchange with the same prompt: for sentences of lint and gate that
            have changed since.

    Raises:
        CassetteError: It cannot be read.
    """

    def __init__(self, path: Path, *, in_order: bool = False) -> None:
        self._path = path
        self._in_order = in_order
        self._asked: Counter[str] = Counter()
        self.made_by, lines = _lines(path)
        self._left = [(str(one["key"]), str(one["request"].get("system_sha256", "")), _reply(one["reply"])) for one in lines] if in_order else []
        self.model = next((str(line["request"]["model"]) for line in lines), "")
        self._said: dict[str, list[Reply]] = {}
        for line in lines:
            self._said.setdefault(str(line["key"]), []).append(_reply(line["reply"]))

    def ask(self, request: Request) -> Reply:
        """What was said then.

        Raises:
            CassetteError: This was not asked then.
        """
        if self._in_order:
            return self._next(request)
        said, number = self._said.get(request.key, []), self._asked[request.key]
        if number >= len(said):
            raise CassetteError(
                f"{self._path}: expected an exchange {request.key[:12]} of the model {request.model!r}, got none. "
                "Prompts, seeds or models differ from those recorded: record it again with --record."
            )
        self._asked[request.key] += 1
        return said[number]

    def _next(self, request: Request) -> Reply:
        """The exchange that was recorded for it, else the next with the same prompt."""
        prompt = hashlib.sha256(request.system.encode()).hexdigest()
        for place, (key, _, reply) in enumerate(self._left):
            if key == request.key:
                del self._left[place]
                return reply
        for place, (_, system, reply) in enumerate(self._left):
            if system == prompt:
                del self._left[place]
                return reply
        raise CassetteError(f"{self._path}: expected one more exchange with this prompt, got none. Record it again with --record.")


class Recorder:
    """Passes questions on, and writes each exchange to a file as soon as it is over; a file that is there is replaced with the first one.

    Args:
        made_by: Who answered, for those who read the file.
    """

    def __init__(self, inner: Asks, path: Path, made_by: str = "an endpoint") -> None:
        self._inner = inner
        self._path = path
        self._head = _line({"cassette": FORMAT, "made_by": made_by})

    def ask(self, request: Request) -> Reply:
        """The answer, recorded."""
        reply = self._inner.ask(request)
        said = {"text": reply.text, "tokens_in": reply.tokens_in, "tokens_out": reply.tokens_out, "estimated": reply.estimated, "cut": reply.cut}
        system = hashlib.sha256(request.system.encode()).hexdigest()
        asked = {"model": request.model, "system_sha256": system, "messages": [[one.role, one.text] for one in request.messages]}
        if self._head:
            disk.write_text(self._path, self._head)
            self._head = ""
        disk.append_text(self._path, _line({"key": request.key, "request": asked, "reply": said}))
        return reply


def _line(value: dict[str, Any]) -> str:
    return json.dumps(value, ensure_ascii=True, sort_keys=True) + "\n"


def _lines(path: Path) -> tuple[str, list[dict[str, Any]]]:
    try:
        found = [json.loads(line) for line in disk.read_head(path, MOST_BYTES).decode().splitlines()]
        if not found or found[0]["cassette"] != FORMAT or not all({"key", "reply", "request"} <= one.keys() for one in found[1:]):
            raise ValueError
        return str(found[0]["made_by"]), found[1:]
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise CassetteError(f"{path}: expected a cassette of format {FORMAT}, got something else. Record it again with --record.") from error


def _reply(said: Any) -> Reply:
    if not isinstance(said, dict):
        raise CassetteError("cassette: expected an answer in each exchange, got something else. Record it again with --record.")
    return Reply(
        text=str(said["text"]),
        tokens_in=int(said["tokens_in"]),
        tokens_out=int(said["tokens_out"]),
        estimated=bool(said.get("estimated")),
        cut=bool(said.get("cut")),
    )
