"""A client of raw keep-alive sockets in a process of its own: reads jobs from stdin as JSON lines, answers each with one line."""

import json
import selectors
import socket
import sys
from typing import Any

END = b"\r\n\r\n"


class Caller:
    """One connection that sends its requests one after the other."""

    def __init__(self, port: int, requests: list[bytes]) -> None:
        self.socket = socket.create_connection(("127.0.0.1", port))
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._requests = iter(requests)
        self._seen = b""

    def ask(self) -> bool:
        """Sends the next request; False if there is none."""
        request = next(self._requests, None)
        if request is None:
            return False
        self.socket.sendall(request)
        return True

    def hear(self) -> bool:
        """Reads; True when the answer is whole. Anything but success ends the run."""
        self._seen += self.socket.recv(1 << 18)
        head, found, body = self._seen.partition(END)
        if not found:
            return False
        length = int(head.lower().partition(b"content-length:")[2].partition(b"\r\n")[0])
        if len(body) < length:
            return False
        if not head.startswith(b"HTTP/1.1 200") or b'"isError":true' in body or b'"error":' in body:
            raise RuntimeError(f"expected success, got {self._seen[:500]!r}")
        self._seen = b""
        return True


def play(job: dict[str, Any]) -> None:
    """Runs all callers of a job at once."""
    callers = [Caller(job["port"], [one.encode("latin-1") for one in requests]) for requests in job["callers"]]
    with selectors.DefaultSelector() as ready:
        for one in callers:
            if one.ask():
                ready.register(one.socket, selectors.EVENT_READ, one)
        while ready.get_map():
            for key, _ in ready.select():
                if key.data.hear() and not key.data.ask():
                    ready.unregister(key.fileobj)
    for one in callers:
        one.socket.close()


def main() -> None:
    """Serves jobs until stdin ends."""
    for line in sys.stdin:
        play(json.loads(line))
        print("done", flush=True)


if __name__ == "__main__":
    main()
