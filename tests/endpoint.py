"""A chat endpoint on loopback that answers as a script says: no model is asked."""

import json
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass
class Said:
    """One answer: a text is a completion, a mapping a body; `hang` never answers."""

    content: str | dict[str, Any] | bytes = ""
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    hang: bool = False
    usage: dict[str, int] | None = None
    cut: bool = False


@dataclass
class Scripted:
    url: str
    asked: list[dict[str, Any]] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    paths: list[str] = field(default_factory=list)


def completion(said: Said) -> bytes:
    if isinstance(said.content, bytes):
        return said.content
    if isinstance(said.content, dict):
        return json.dumps(said.content).encode()
    choice = {"message": {"role": "assistant", "content": said.content}, "finish_reason": "length" if said.cut else "stop"}
    return json.dumps({"choices": [choice], **({"usage": said.usage} if said.usage else {})}).encode()


@contextmanager
def scripted(script: Sequence[Said | str]) -> Iterator[Scripted]:
    """Answers one after the other; the last one again and again."""
    left = [one if isinstance(one, Said) else Said(one) for one in script]
    over = threading.Event()
    found = Scripted(url="")

    class Chat(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            found.asked.append(json.loads(self.rfile.read(int(self.headers["content-length"]))))
            found.headers.append({name.lower(): value for name, value in self.headers.items()})
            found.paths.append(self.path)
            said = left.pop(0) if len(left) > 1 else left[0]
            if said.hang:
                over.wait(30)
                return
            content = completion(said)
            self.send_response(said.status)
            for name, value in {"content-type": "application/json", **said.headers}.items():
                self.send_header(name, value)
            self.send_header("content-length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, format: str, *args: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Chat)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    found.url = f"http://127.0.0.1:{server.server_address[1]}/v1"
    try:
        yield found
    finally:
        over.set()
        server.shutdown()
        server.server_close()
        thread.join()
