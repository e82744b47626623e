"""The names of `import envfarm`, and its client over a real HTTP exchange."""

import inspect
import json
import subprocess
import sys
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import ClassVar

import pytest

import envfarm

EPISODE = {
    "key": "k",
    "environment": "shop",
    "environment_digest": "d",
    "state_digest": "s",
    "mcp_url": "http://127.0.0.1:8800/env/shop/e/k/mcp",
    "sse_url": "http://127.0.0.1:8800/env/shop/e/k/sse",
    "calls": 0,
    "status": "open",
}
CHANGE = {"table": "Item", "op": "update", "key": "I-1", "values": {"status": {"from": "new", "to": "sold", "class": "exact"}}}


class Plane(BaseHTTPRequestHandler):
    """Answers as the contract says, and keeps what it was asked."""

    replies: ClassVar[dict] = {}
    asked: ClassVar[list] = []

    def do_GET(self):
        self.answer()

    def do_POST(self):
        self.answer()

    def answer(self):
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        self.asked.append((self.command, self.path, self.headers["Authorization"], json.loads(body) if body else None))
        status, reply = self.replies.get(
            (self.command, self.path), (404, {"error": {"code": "EPISODE_NOT_FOUND", "message": "episode: expected a key."}})
        )
        content = reply if isinstance(reply, bytes) else json.dumps(reply).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *args):
        pass


@pytest.fixture
def plane():
    handler = type("ThisPlane", (Plane,), {"replies": {}, "asked": []})
    server = HTTPServer(("127.0.0.1", 0), handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    handler.url = f"http://127.0.0.1:{server.server_port}"
    yield handler
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture
def client(plane):
    with envfarm.Client("control-token", "grader-token", control_url=plane.url, sidecar_url=plane.url) as client:
        yield client


def test_importing_envfarm_imports_nothing_else_of_ours():
    code = "import envfarm, sys; print([m for m in sys.modules if m.split('.')[0] in ('synth', 'registry', 'server', 'httpx', 'sqlmodel')])"

    printed = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout

    assert printed.strip() == "[]"


@pytest.mark.parametrize("name", envfarm.__all__)
def test_every_public_name_is_there(name):
    assert getattr(envfarm, name).__doc__


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        _ = envfarm.nonsense


def test_an_episode_is_made_with_the_control_token(plane, client):
    plane.replies["POST", "/v1/episodes"] = (201, EPISODE)

    episode = client.create("shop", world="3")

    assert episode.mcp_url == EPISODE["mcp_url"]
    sent = {"environment": "shop", "world": "3", "instruction": "", "call_limit": 200, "rewindable": False}
    assert plane.asked == [("POST", "/v1/episodes", "Bearer control-token", sent)]


def test_changes_come_as_records(plane, client):
    plane.replies["GET", "/v1/episodes/k/changes"] = (200, {"changes": [CHANGE], "state_digest": "s"})

    (change,) = client.changes("k")

    assert (change.table, change.key, change.values["status"].after) == ("Item", "I-1", "sold")


def test_both_clients_have_the_same_methods_with_the_same_parameters():
    clients = (envfarm.Client, envfarm.AsyncClient)
    sides = [{name: inspect.signature(getattr(kind, name)) for name in vars(kind) if name[0] != "_"} for kind in clients]

    assert sides[0] == sides[1]
    assert {"step", "log", "changes", "tools", "policy", "next_tasks"} < sides[0].keys()


@pytest.mark.parametrize("key", ["", "..", "a/b", "a b"])
def test_a_key_that_no_episode_can_have_is_refused_before_anything_is_asked(plane, client, key):
    for asked in (client.log, client.episode, client.changes, client.close):
        with pytest.raises(envfarm.FarmError, match=r"episode: expected 1 to 200 .* Give Run\.episode or Episode\.key"):
            asked(key)
    assert plane.asked == []


def test_episodes_are_forked_many_at_a_time_with_all_their_calls_or_the_first(plane, client):
    plane.replies["POST", "/v1/batch/forks"] = (200, {"items": [{"episode": EPISODE | {"key": "j"}}]})

    assert [one.key for one in client.fork_episodes(["k"])] == ["j"]
    client.fork_episodes(["k"], 3)
    assert [body["items"] for _, _, _, body in plane.asked] == [[{"key": "k", "at": None}], [{"key": "k", "at": 3}]]


def test_calls_of_many_episodes_are_made_without_waiting_in_an_event_loop_too(plane, client):
    plane.replies["POST", "/v1/batch/steps"] = (200, {"items": [{"kind": "ok", "result": {"n": 1}}, {"error": {"code": "X", "message": "No."}}]})

    came = client.step([envfarm.Call("b", "look"), ("a", "look", {})])

    assert [(one.kind, one.code) for one in came] == [("error", "X"), ("ok", "")]


def test_a_run_is_started_and_scored_with_the_grader_token(plane, client):
    run = {"run": "r", "task": "t", "mcp_url": "m", "sse_url": "s", "instruction": "Do it."}
    plane.replies["POST", "/v1/runs"] = (201, run)
    plane.replies["POST", "/v1/runs/r/score"] = (
        200,
        {"verdict": "FAIL", "reward": 0, "partial": 0.5, "checks": [{"passed": True}], "collateral": []},
    )

    report = client.score(client.start("t").run)

    assert (report.verdict, report.reward, report.partial) == ("FAIL", 0, 0.5)
    assert {token for _, _, token, _ in plane.asked} == {"Bearer grader-token"}


def test_tasks_are_narrowed_by_what_is_given_only(plane, client):
    task = {"task": "t", "environment": "shop", "kind": "do", "level": 2, "instruction": "Do it."}
    plane.replies["GET", "/v1/tasks?environment=shop&level=2"] = (200, {"tasks": [task]})

    assert [one.task for one in client.tasks("shop", level=2)] == ["t"]


def test_a_refusal_of_the_farm_is_an_error_with_its_code_and_sentence(client):
    with pytest.raises(envfarm.FarmError, match="episode: expected a key") as caught:
        client.episode("nobody")

    assert (caught.value.code, caught.value.status) == ("EPISODE_NOT_FOUND", 404)


def test_a_reply_that_is_not_of_the_farm_is_told_as_such(plane, client):
    plane.replies["GET", "/v1/episodes/k"] = (502, b"<html>bad gateway</html>")

    with pytest.raises(envfarm.FarmError, match="got status 502"):
        client.episode("k")


def test_a_local_client_finds_the_farm_and_its_tokens_by_the_home(plane, tmp_path):
    tokens = {"control": "c" * 16, "grader": "g" * 16, "observer": "o" * 16}
    (tmp_path / "tokens").write_text(json.dumps(tokens))
    (tmp_path / "tokens").chmod(0o600)
    (tmp_path / "farm.json").write_text(json.dumps({"pid": 1, "agent_url": "", "control_url": plane.url, "sidecar_url": plane.url}))
    plane.replies["GET", "/v1/environments"] = (200, {"environments": [{"id": "shop"}]})

    with envfarm.Client.local(tmp_path) as client:
        assert client.environments() == ({"id": "shop"},)

    assert plane.asked[0][2] == f"Bearer {tokens['control']}"
