"""A language model of a few lines for tests: an endpoint in the manner of OpenAI that plays gold.

    with scripted_model({instruction: gold}) as model: ... model.url ...

It speaks chat completions and responses, streamed or not, and keeps nothing between requests: what to call next follows from the conversation
in the request. Which script is meant is told by the instruction that stands in it. Symbols in gold's arguments are resolved by content in the
results that came back. Tools are found by the end of their names, as clients put names of servers before them.
"""

import json
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from evals.agents.builtin import submission
from registry.package.pack import Gold
from registry.package.symbols import resolve

SUBMIT = "submit_answer"
DONE = "All is done."
SILENT = "silent"
"""Name of a model that never answers."""
USED = {"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110}


@dataclass(kw_only=True)
class ScriptedModel:
    """The endpoint; `requests` are the bodies that came. `fail` is a status to answer with, to requests in which `fail_for` stands."""

    url: str
    scripts: Mapping[str, Gold]
    fail: int = 0
    fail_for: str = ""
    over: threading.Event = field(default_factory=threading.Event)
    requests: list[dict[str, Any]] = field(default_factory=list)


def next_step(scripts: Mapping[str, Gold], text: str, results: list[Any], tools: list[str]) -> tuple[str, dict[str, Any]] | None:
    """The call after so many results, or None when the script is over.

    Args:
        scripts: Gold by instruction.
        text: Where the instruction stands.
        results: Of the calls so far.
        tools: Names as the client tells them.
    """
    (gold,) = (one for instruction, one in scripts.items() if instruction in text)
    calls = [(call.tool, call.arguments) for call in gold.calls]
    if not any(name == SUBMIT for name, _ in calls):
        calls.append((SUBMIT, submission(gold)))
    if len(results) >= len(calls):
        return None
    name, arguments = calls[len(results)]
    (shown,) = (one for one in tools if one == name or one.endswith((f"_{name}", f".{name}")))
    return shown, resolve(arguments, results)


def result_in(output: Any) -> Any:
    """The JSON object in what a client gives back of a tool's result."""
    if isinstance(output, str):
        start = output.find("{") if not output.lstrip().startswith("[") else output.find("[")
        if start < 0:
            return output
        try:
            return result_in(json.JSONDecoder().raw_decode(output[start:])[0])
        except ValueError:
            return output
    if isinstance(output, list):
        blocks = [one for one in output if isinstance(one, dict) and "text" in one]
        return result_in(blocks[0]["text"]) if blocks else output
    if isinstance(output, dict) and isinstance(output.get("text"), str) and output.get("type") in ("text", "input_text", "output_text"):
        return result_in(output["text"])
    if isinstance(output, dict) and set(output) & {"structured_content", "structuredContent"}:
        return output.get("structured_content") or output.get("structuredContent")
    return output


class _Handler(BaseHTTPRequestHandler):
    model: ScriptedModel

    def do_GET(self) -> None:
        self._json(200, {"object": "list", "data": [{"id": "scripted", "object": "model"}]})

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers.get("Content-Length") or 0)))
        self.model.requests.append(body)
        if body.get("model") == SILENT:
            self.model.over.wait()
        elif self.model.fail and json.dumps(self.model.fail_for)[1:-1] in json.dumps(body):
            self._json(self.model.fail, {"error": {"message": "out of order", "type": "server_error"}})
        elif self.path.rstrip("/").endswith("/responses"):
            self._responses(body)
        else:
            self._chat(body)

    def _chat(self, body: dict[str, Any]) -> None:
        said = body["messages"]
        results = [result_in(one["content"]) for one in said if one["role"] == "tool"]
        tools = [one["function"]["name"] for one in body.get("tools") or ()]
        step = next_step(self.model.scripts, _text(said), results, tools) if tools else None
        message: dict[str, Any] = {"role": "assistant", "content": DONE if step is None else None}
        if step is not None:
            function = {"name": step[0], "arguments": json.dumps(step[1])}
            message["tool_calls"] = [{"id": f"call_{len(results)}", "type": "function", "function": function}]
        reason = "stop" if step is None else "tool_calls"
        head = {"id": "chat-1", "created": 0, "model": "scripted"}
        if not body.get("stream"):
            choice = {"index": 0, "finish_reason": reason, "message": message}
            self._json(200, {**head, "object": "chat.completion", "choices": [choice], "usage": USED})
            return
        for call in message.get("tool_calls", ()):
            call["index"] = 0
        parts = [{"index": 0, "delta": message, "finish_reason": None}, {"index": 0, "delta": {}, "finish_reason": reason}]
        chunks = [{**head, "object": "chat.completion.chunk", "choices": [part]} for part in parts]
        self._events([*((None, chunk) for chunk in chunks), (None, {**chunks[0], "choices": [], "usage": USED}), (None, "[DONE]")])

    def _responses(self, body: dict[str, Any]) -> None:
        said = body["input"] if isinstance(body["input"], list) else [{"role": "user", "content": body["input"]}]
        results = [result_in(one["output"]) for one in said if one.get("type") == "function_call_output"]
        names = _response_tools(body.get("tools") or ())
        step = next_step(self.model.scripts, _text(said), results, list(names)) if names else None
        if step is None:
            content = [{"type": "output_text", "text": DONE, "annotations": []}]
            item: dict[str, Any] = {"type": "message", "id": "msg_1", "role": "assistant", "status": "completed", "content": content}
        else:
            item = {
                "type": "function_call",
                "id": f"fc_{len(results)}",
                "call_id": f"call_{len(results)}",
                "status": "completed",
                **names[step[0]],
                "arguments": json.dumps(step[1]),
            }
        usage = {"input_tokens": 100, "output_tokens": 10, "total_tokens": 110}
        usage |= {"input_tokens_details": {"cached_tokens": 0}, "output_tokens_details": {"reasoning_tokens": 0}}
        head = {"id": "resp_1", "object": "response", "created_at": 0, "model": "scripted", "error": None, "incomplete_details": None}
        head |= {"instructions": None, "metadata": {}, "parallel_tool_calls": False, "tool_choice": "auto", "tools": [], "temperature": 1, "top_p": 1}
        whole = {**head, "status": "completed", "output": [item], "usage": usage}
        if not body.get("stream"):
            self._json(200, whole)
            return
        events = [
            {"type": "response.created", "response": {**head, "status": "in_progress", "output": []}},
            {"type": "response.output_item.added", "output_index": 0, "item": item},
            {"type": "response.output_item.done", "output_index": 0, "item": item},
            {"type": "response.completed", "response": whole},
        ]
        self._events([(event["type"], {**event, "sequence_number": number}) for number, event in enumerate(events)])

    def _json(self, status: int, body: dict[str, Any]) -> None:
        self._send(status, "application/json", json.dumps(body).encode())

    def _events(self, events: list[tuple[str | None, Any]]) -> None:
        lines = []
        for name, data in events:
            text = data if isinstance(data, str) else json.dumps(data)
            lines.append((f"event: {name}\n" if name else "") + f"data: {text}\n\n")
        self._send(200, "text/event-stream", "".join(lines).encode())

    def _send(self, status: int, kind: str, content: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *args: object) -> None:
        pass


def _response_tools(tools: Any) -> dict[str, dict[str, str]]:
    """How each tool is called, by its whole name; tools may stand in a namespace of their server."""
    found: dict[str, dict[str, str]] = {}
    for one in tools:
        if one.get("type") == "namespace":
            found |= {f"{one['name']}.{inner['name']}": {"name": inner["name"], "namespace": one["name"]} for inner in one["tools"]}
        elif one.get("type") == "function":
            found[one["name"]] = {"name": one["name"]}
    return found


def _text(said: list[dict[str, Any]]) -> str:
    """What the user said."""
    parts: list[str] = []
    for one in said:
        if one.get("role") == "user":
            content = one["content"]
            parts += [content] if isinstance(content, str) else [block.get("text", "") for block in content]
    return "\n".join(parts)


@contextmanager
def scripted_model(scripts: Mapping[str, Gold]) -> Iterator[ScriptedModel]:
    """The endpoint, serving; `model.fail` makes it answer with that status."""
    handler = type("ThisModel", (_Handler,), {})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    model = ScriptedModel(url=f"http://127.0.0.1:{server.server_port}/v1", scripts=scripts)
    handler.model = model  # type: ignore[attr-defined]
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield model
    finally:
        model.over.set()
        server.shutdown()
        thread.join()
        server.server_close()
