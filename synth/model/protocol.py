"""How a request is put to an endpoint, and its answer read: OpenAI's chat completions, and Anthropic's messages.

Source: the public references of both interfaces; most local servers speak the first.
"""

import json
from collections.abc import Mapping
from typing import Any, Literal
from urllib.parse import urlsplit

from synth.model.estimate import tokens
from synth.model.exchange import Reply, Request

Dialect = Literal["openai", "anthropic"]
VERSION = "2023-06-01"


class Unreadable(Exception):
    """The answer is not what the dialect says."""


class ErrorBody(Exception):
    """The answer is an error in place of a completion.

    Args:
        passing: Whether asking again may help.
    """

    def __init__(self, said: str, *, passing: bool) -> None:
        super().__init__(said)
        self.passing = passing


def dialect_of(url: str) -> Dialect:
    """What an endpoint speaks, by its host."""
    host = urlsplit(url).hostname or ""
    return "anthropic" if host.endswith("anthropic.com") else "openai"


def address(url: str, dialect: Dialect) -> str:
    """Where requests go."""
    return url.rstrip("/") + ("/messages" if dialect == "anthropic" else "/chat/completions")


def headers(key: str, dialect: Dialect) -> dict[str, str]:
    """Who asks."""
    if dialect == "anthropic":
        return {"anthropic-version": VERSION, **({"x-api-key": key} if key else {})}
    return {"authorization": f"Bearer {key}"} if key else {}


def body(request: Request, dialect: Dialect, *, structured: bool) -> dict[str, Any]:
    """The JSON of a request.

    Args:
        structured: Whether the endpoint is to keep to the schema of the request, if there is one.
    """
    said = [{"role": one.role, "content": one.text} for one in request.messages]
    schema = request.schema if structured else None
    if dialect == "anthropic":
        whole: dict[str, Any] = {
            "model": request.model,
            "max_tokens": request.most_tokens,
            "system": request.told,
            "messages": said,
            "temperature": 0,
        }
        if schema is not None:
            whole["tools"] = [{"name": request.schema_name, "description": "Give the answer.", "input_schema": schema}]
            whole["tool_choice"] = {"type": "tool", "name": request.schema_name}
        return whole
    whole = {
        "model": request.model,
        "max_tokens": request.most_tokens,
        "messages": [{"role": "system", "content": request.told}, *said],
        "temperature": 0,
        "seed": 0,
    }
    if schema is not None:
        whole["response_format"] = {"type": "json_schema", "json_schema": {"name": request.schema_name, "strict": False, "schema": schema}}
    return whole


def read(content: bytes, request: Request, dialect: Dialect) -> Reply:
    """The answer in the body of a response.

    Raises:
        Unreadable: It is none.
        ErrorBody: It says what went wrong.
    """
    try:
        whole = json.loads(content)
    except (ValueError, RecursionError) as error:
        raise Unreadable(f"{len(content)} bytes that are not JSON") from error
    if not isinstance(whole, dict):
        raise Unreadable(f"a JSON {type(whole).__name__}")
    if whole.get("error") or whole.get("type") == "error":
        raise _error_body(whole.get("error"))
    try:
        text, ended = _anthropic(whole) if dialect == "anthropic" else _openai(whole)
    except (KeyError, IndexError, TypeError, AttributeError) as error:
        raise Unreadable("JSON without a completion") from error
    return _reply(text, request, whole.get("usage"), cut=ended in ("length", "max_tokens"))


def error_text(content: bytes) -> str:
    """What the body of a failed response says, cut."""
    try:
        whole = json.loads(content)
    except (ValueError, RecursionError):
        return ""
    error = whole.get("error", whole.get("message", "")) if isinstance(whole, dict) else ""
    said = error.get("message", "") if isinstance(error, dict) else error
    return " ".join(str(said).split())[:200]


def _error_body(error: Any) -> ErrorBody:
    kind = " ".join(str(error.get(name, "")) for name in ("type", "code", "status")) if isinstance(error, dict) else str(error)
    passing = any(word in kind.lower() for word in ("429", "rate", "overload", "500", "502", "503", "529", "unavailable", "timeout"))
    return ErrorBody(error_text(json.dumps({"error": error}).encode()) or "no reason", passing=passing)


def _openai(whole: Mapping[str, Any]) -> tuple[str, str]:
    choice = whole["choices"][0]
    content = choice["message"]["content"]
    if isinstance(content, list):
        content = "".join(part["text"] for part in content if part.get("type") == "text")
    return _text(content), str(choice.get("finish_reason", ""))


def _anthropic(whole: Mapping[str, Any]) -> tuple[str, str]:
    parts = whole["content"]
    given = [json.dumps(part["input"], ensure_ascii=False) for part in parts if part["type"] == "tool_use"]
    return _text(given[0] if given else "".join(part["text"] for part in parts if part["type"] == "text")), str(whole.get("stop_reason", ""))


def _text(content: Any) -> str:
    if content is None:
        return ""
    if not isinstance(content, str):
        raise TypeError
    return content


def _reply(text: str, request: Request, usage: Any, *, cut: bool) -> Reply:
    counted = usage if isinstance(usage, dict) else {}
    read_in, written = (_count(counted, *names) for names in (("prompt_tokens", "input_tokens"), ("completion_tokens", "output_tokens")))
    return Reply(
        text=text,
        tokens_in=tokens(request.text) if read_in is None else read_in,
        tokens_out=tokens(text) if written is None else written,
        estimated=read_in is None or written is None,
        cut=cut,
    )


def _count(usage: Mapping[str, Any], *names: str) -> int | None:
    for name in names:
        value = usage.get(name)
        if isinstance(value, int) and not isinstance(value, bool) and value >= 0:
            return value
    return None
