"""A process that is told to stop ends: what is open is cut off, and what cannot be cut off is not waited for."""

import json
import signal
import socket
import subprocess
import sys

import pytest

from tests.farm import ROOT, process_variables

SERVER = """
import asyncio, sys
from server.listen import bind, make_server, run_loop, served
from server.stopping import end_process, stop_on_signals

async def deaf(scope, receive, send):
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": b"begun", "more_body": True})
    print("called", flush=True)
    while True:
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            if sys.argv[1] == "heeds":
                raise

async def main():
    stop = stop_on_signals(60 if sys.argv[1] == "heeds" else 1.5)
    listener = bind("127.0.0.1", 0, "--port")
    async with served([(make_server(deaf, grace=30 if sys.argv[1] == "heeds" else 1), listener)], 0.2):
        print(listener.getsockname()[1], flush=True)
        await stop.wait()
        if sys.argv[1] == "busy":
            while True:
                pass
    print("in order", flush=True)
    return 0

end_process(run_loop(main()))
"""


@pytest.mark.parametrize(("how", "ends"), [("heeds", "in order"), ("ignores", "in order"), ("busy", "")])
def test_it_ends_whatever_a_request_does(tmp_path, how, ends):
    with subprocess.Popen(
        [sys.executable, "-c", SERVER, how], cwd=ROOT, env=process_variables(tmp_path), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        port = json.loads(process.stdout.readline())
        with socket.create_connection(("127.0.0.1", port)) as connection:
            connection.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
            assert process.stdout.readline() == "called\n"
            process.send_signal(signal.SIGTERM)
            out, err = process.communicate(timeout=30)
    assert (process.returncode, out.strip()) == (0, ends)
    if how == "heeds":
        assert err == "", "what is cut off is no error"
    else:
        assert err.endswith("envfarm: stopped without waiting any longer for what was still open\n")
