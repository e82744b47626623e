"""The sidecar over HTTP, before a real control plane on the real engine: tasks, runs, replay, verdicts."""

import json
import re
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import pytest

from registry.catalogue import Catalogue
from registry.environment import read_manifest
from registry.episode import Episodes
from registry.store.sqlite import SqliteStore
from server.config import Settings
from server.farm import running_farm
from server.keyring import Open
from server.sidecar.app import make_app
from server.sidecar.farm import Farm
from server.sidecar.grader import Grader
from server.sidecar.packs import Packs
from server.sidecar.store import RunStore
from server.tokens import Tokens
from tests.unit.sidecar.small_pack import ASK, DECLINE, DO, INSTRUCTIONS, write_home, write_pack

TOKENS = Tokens(control="control-token-of-the-test", grader="grader-token-of-the-test", observer="observer-token-of-the-test")
Change = Callable[[Any], None]


class LyingLine(httpx.AsyncBaseTransport):
    """A line to the farm on which replies can be changed."""

    def __init__(self, inner: httpx.AsyncBaseTransport) -> None:
        self.inner = inner
        self.changes: dict[str, Change] = {}
        self.sent: list[tuple[str, bytes]] = []

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        self.sent.append((request.url.path, await request.aread()))
        response = await self.inner.handle_async_request(request)
        change = self.changes.get(request.url.path.rsplit("/", 1)[-1])
        if change is None:
            return response
        body = json.loads(await response.aread())
        change(body)
        return httpx.Response(response.status_code, json=body, request=request)


@dataclass
class Stage:
    """A farm with its sidecar, on one home."""

    sidecar: httpx.AsyncClient
    episodes: Episodes
    line: LyingLine
    home: Path
    grader: Grader
    closed: list[str] = field(default_factory=list)

    async def start(self, task: str, **more: Any) -> dict[str, Any]:
        reply = await self.sidecar.post("/v1/runs", json={"task": task, **more})
        assert reply.status_code == 201, reply.text
        return reply.json()

    async def call(self, run: dict[str, Any], tool: str, **arguments: Any) -> Any:
        return await self.episodes.call(key_of(run), tool, arguments)

    async def score(self, run: dict[str, Any]) -> dict[str, Any]:
        reply = await self.sidecar.post(f"/v1/runs/{run['run']}/score")
        assert reply.status_code == 200, reply.text
        return reply.json()

    async def do(self, run: dict[str, Any]) -> None:
        found = await self.call(run, "search_owners", name="Zoe")
        await self.call(run, "add_note", owner_id=found.result["items"][0]["id"], text="pays in cash", due="2026-04-02")


def key_of(run: dict[str, Any]) -> str:
    return run["mcp_url"].split("/e/")[1].split("/")[0]


@asynccontextmanager
async def staged(home: Path) -> AsyncIterator[Stage]:
    catalogue = Catalogue(home / "environments")
    async with Episodes(catalogue, SqliteStore(home / "store")).running() as episodes:
        settings = Settings(home=home, free_play=False)
        async with running_farm(settings, catalogue, episodes, Open(TOKENS), "http://agents.test") as farm:
            line = LyingLine(httpx.ASGITransport(farm.control))
            store = RunStore(home / "store" / "runs.sqlite")
            async with httpx.AsyncClient(transport=line) as http:
                grader = Grader(
                    Packs(home / "packs"), Catalogue(home / "environments"), Farm("http://localhost", lambda: TOKENS.control, http), store
                )
                transport = httpx.ASGITransport(make_app(grader, Open(TOKENS)))
                headers = {"Authorization": f"Bearer {TOKENS.grader}"}
                async with httpx.AsyncClient(transport=transport, base_url="http://sidecar.test", headers=headers) as client:
                    yield Stage(client, episodes, line, home, grader)
            store.close()


async def test_tasks_are_listed_without_any_gold(stage: Stage) -> None:
    reply = await stage.sidecar.get("/v1/tasks")
    assert [(one["task"], one["kind"], one["level"]) for one in reply.json()["tasks"]] == [(ASK, "answer", 2), (DECLINE, "decline", 3), (DO, "do", 1)]
    assert not {"Pays in cash.", "OVERDRAWN", "add_note"} & set(reply.text.split('"'))
    for query, count in (("environment=small", 3), ("split=test", 3), ("kind=do", 1), ("level=2", 1), ("kind=do&level=2", 0)):
        assert len((await stage.sidecar.get(f"/v1/tasks?{query}")).json()["tasks"]) == count


async def test_a_run_gives_urls_instruction_and_key_and_nothing_else(stage: Stage) -> None:
    run = await stage.start(DO)
    assert sorted(run) == ["episode", "instruction", "mcp_url", "run", "sse_url", "task"]
    assert run["episode"] == key_of(run)
    assert run["instruction"] == INSTRUCTIONS[DO]
    assert run["mcp_url"].startswith("http://agents.test/env/small/e/")
    info = await stage.episodes.info(key_of(run))
    assert (info.instruction, info.call_limit) == (INSTRUCTIONS[DO], 20)


async def test_the_scenario_is_the_patched_world(stage: Stage) -> None:
    rows = (await stage.episodes.snapshot(key_of(await stage.start(DO)))).rows
    assert ("Owner", "Zoe Ark") in [(table, values.get("name")) for table, values in rows]
    assert "OWN-1-N1" not in [values["id"] for _, values in rows]


async def test_ending_a_run_tells_what_its_score_and_its_trace_tell(stage: Stage) -> None:
    run = await stage.start(DO)
    await stage.do(run)
    await stage.call(run, "add_note", owner_id="OWN-404", text="x", due="2026-04-02")
    ended = (await stage.sidecar.post(f"/v1/runs/{run['run']}/end")).json()
    assert ended["report"] == await stage.score(run)
    assert ended["calls"] == (await stage.sidecar.get(f"/v1/runs/{run['run']}/trace")).json()["calls"]
    assert [one["outcome"] for one in ended["calls"]] == ["ok", "ok", "refused"]
    assert (await stage.sidecar.post(f"/v1/runs/{run['run']}/end")).json() == ended


async def test_rows_are_sent_to_the_farm_once_and_again_when_it_has_lost_them(stage: Stage) -> None:
    for _ in range(2):
        await stage.score(await stage.start(DO))
    bodies = [json.loads(body) for path, body in stage.line.sent if path == "/v1/episodes"]
    assert ["scenario" in body for body in bodies] == [True, False]
    await stage.episodes.remove(await stage.episodes.kept())
    run = await stage.start(DO)
    await stage.do(run)
    assert (await stage.score(run))["verdict"] == "PASS"


async def test_the_task_done_passes_and_every_check_is_reported(stage: Stage) -> None:
    run = await stage.start(DO)
    await stage.do(run)
    report = await stage.score(run)
    assert (report["verdict"], report["reward"], report["partial"], report["collateral"]) == ("PASS", 1, 1.0, [])
    assert {(one["table"], one["column"], one["class"]) for one in report["checks"]} == {
        ("Note", "owner_id", "exact"),
        ("Note", "text", "text"),
        ("Note", "due", "exact"),
        ("", "outcome", "outcome"),
    }


async def test_nothing_done_and_wrong_done_fail(stage: Stage) -> None:
    idle = await stage.start(DO)
    assert (await stage.score(idle))["verdict"] == "FAIL"
    wrong = await stage.start(DO)
    await stage.do(wrong)
    await stage.call(wrong, "rename_owner", owner_id="OWN-1", name="Ruth More")
    report = await stage.score(wrong)
    assert (report["verdict"], [one["table"] for one in report["collateral"]]) == ("FAIL", ["Owner"])


async def test_answers_and_declines_are_judged_by_what_was_submitted(stage: Stage) -> None:
    for task, said, verdict in (
        (ASK, {"outcome": "answered", "answer": "4"}, "PASS"),
        (ASK, {"outcome": "answered", "answer": "3"}, "FAIL"),
        (DECLINE, {"outcome": "declined", "reason_code": "OVERDRAWN", "evidence": ["OWN-2"]}, "PASS"),
        (DECLINE, {"outcome": "declined", "reason_code": "OVERDRAWN", "evidence": ["OWN-1"]}, "FAIL"),
        (DECLINE, {"outcome": "done"}, "FAIL"),
    ):
        run = await stage.start(task)
        assert (await stage.call(run, "submit_answer", **said)).kind == "ok"
        assert (await stage.score(run))["verdict"] == verdict


async def test_only_the_first_accepted_submission_counts(stage: Stage) -> None:
    run = await stage.start(ASK)
    await stage.call(run, "submit_answer", outcome="answered")
    await stage.call(run, "submit_answer", outcome="answered", answer="3")
    assert (await stage.call(run, "submit_answer", outcome="answered", answer="4")).code == "EPISODE_CLOSED"
    assert (await stage.score(run))["verdict"] == "FAIL"


async def test_a_score_ends_the_run_and_stays_what_it_was(stage: Stage) -> None:
    run = await stage.start(DO)
    first = await stage.score(run)
    late = await stage.call(run, "add_note", owner_id="OWN-9", text="Pays in cash.", due="2026-04-02")
    assert late.code == "EPISODE_CLOSED"
    assert await stage.score(run) == first
    shown = (await stage.sidecar.get(f"/v1/runs/{run['run']}")).json()
    assert (shown["status"], shown["report"], shown["episode"]) == ("scored", first, key_of(run))


async def test_invalid_calls_odd_values_and_refusals_replay_like_any_other(stage: Stage) -> None:
    run = await stage.start(DO)
    await stage.call(run, "add_note", owner_id="OWN-9", text="x", due="2026-99-99")
    await stage.call(run, "add_note", owner_id="OWN-9", text="\ud800")
    await stage.episodes.call(key_of(run), "add_note", [float("nan")])
    await stage.call(run, "$close")
    await stage.call(run, "no such tool", a={"b": [1.5, None]})
    await stage.call(run, "add_credit", owner_id="OWN-2", amount=-1)
    await stage.do(run)
    assert (await stage.score(run))["verdict"] == "PASS"


async def test_a_defect_is_invalid_never_a_failure(stage: Stage) -> None:
    run = await stage.start(DO)
    await stage.do(run)
    assert (await stage.call(run, "break_down", how="raise")).kind == "defect"
    report = await stage.score(run)
    assert (report["verdict"], report["reward"]) == ("INVALID", 0)
    assert "invalid" in report["reason"]


def _other_outcome(body: Any) -> None:
    body["log"]["records"][-2]["outcome"] = "refused"


def _other_arguments(body: Any) -> None:
    body["log"]["records"][1]["arguments"]["text"] = "pays in card"


def _other_writes(body: Any) -> None:
    body["log"]["records"][1]["writes"] = []


def _shortened(body: Any) -> None:
    body["log"]["records"] = body["log"]["records"][:-2]


def _other_result(body: Any) -> None:
    body["log"]["records"][0]["result"] = {"items": []}


def _no_changes(body: Any) -> None:
    body["changes"] = []


def _another_change(body: Any) -> None:
    body["changes"][0]["values"]["due"]["to"] = "2026-04-03"


def _other_state(body: Any) -> None:
    body["log"]["state_digest"] = "0" * 64


@pytest.mark.parametrize(
    "change",
    [
        _other_outcome,
        _other_arguments,
        _other_writes,
        _shortened,
        _other_result,
        _no_changes,
        _another_change,
        _other_state,
    ],
)
async def test_what_replay_does_not_reproduce_is_invalid(stage: Stage, change: Change) -> None:
    run = await stage.start(DO)
    await stage.do(run)
    stage.line.changes["end"] = change
    report = await stage.score(run)
    assert (report["verdict"], report["reward"]) == ("INVALID", 0)
    assert report["reason"].startswith(("log:", "replay:"))


async def test_a_resealed_log_with_other_writes_is_still_caught_by_replay(stage: Stage) -> None:
    from registry.record import LogRecord, chain_start, digest_of

    run = await stage.start(DO)
    await stage.do(run)
    kept = stage.grader.store.get(run["run"])[0]

    def forge(body: Any) -> None:
        log = body["log"]
        log["records"][1]["writes"][0][3]["text"] = "Pays by card."
        digest = chain_start(kept.environment_digest, kept.state_digest)
        for record in log["records"]:
            digest = digest_of(digest, LogRecord.from_json(record))
            record["digest"] = digest
        log["digest"] = digest

    stage.line.changes["end"] = forge
    report = await stage.score(run)
    assert (report["verdict"], report["reason"].split(":")[0]) == ("INVALID", "replay")


async def test_a_run_whose_task_says_something_else_by_now_is_invalid(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    run = await stage.start(DO)
    await stage.do(run)
    monkeypatch.setitem(INSTRUCTIONS, DO, "Something else.")
    write_pack(stage.home / "packs" / "small-test-1", read_manifest(stage.home / "environments" / "small")[1])
    report = await stage.score(run)
    assert (report["verdict"], report["reason"]) == ("INVALID", "pack: the task was rebuilt since the run began")


async def test_a_run_whose_task_is_in_no_pack_any_more_is_judged_once_the_pack_is_back(stage: Stage, tmp_path: Path) -> None:
    run = await stage.start(DO)
    await stage.do(run)
    (stage.home / "packs").rename(tmp_path / "elsewhere")
    for told in (await stage.sidecar.post(f"/v1/runs/{run['run']}/score"), await stage.sidecar.get(f"/v1/runs/{run['run']}/trace")):
        error = told.json()["error"]
        assert (told.status_code, error["code"]) == (404, "TASK_NOT_FOUND")
        assert error["message"].startswith(f"run {run['run']}: expected its task {DO} in a pack of ")
        assert "made anew or moved since the run began" in error["message"]
    (tmp_path / "elsewhere").rename(stage.home / "packs")
    assert (await stage.score(run))["verdict"] == "PASS"


async def test_a_rewound_run_is_scored_only_where_the_run_allows_it(stage: Stage) -> None:
    for allowed, verdict in ((False, "INVALID"), (True, "PASS")):
        run = await stage.start(DO, rewindable=allowed)
        await stage.call(run, "rename_owner", owner_id="OWN-1", name="wrong")
        await stage.episodes.rewind(key_of(run), 0)
        await stage.do(run)
        assert (await stage.score(run))["verdict"] == verdict


async def test_an_invalid_run_is_repeated_once_and_no_other(stage: Stage) -> None:
    fine = await stage.start(DO)
    refused = await stage.sidecar.post("/v1/runs", json={"task": DO, "again": fine["run"]})
    assert (refused.status_code, refused.json()["error"]["code"]) == (409, "RUN_REFUSED")
    broken = await stage.start(DO)
    await stage.call(broken, "break_down", how="raise")
    await stage.score(broken)
    second = await stage.start(DO, again=broken["run"])
    assert (await stage.sidecar.get(f"/v1/runs/{second['run']}")).json()["attempt"] == 2
    await stage.call(second, "break_down", how="raise")
    await stage.score(second)
    for spent in (broken, second):
        assert (await stage.sidecar.post("/v1/runs", json={"task": DO, "again": spent["run"]})).status_code == 409
    assert (await stage.sidecar.post("/v1/runs", json={"task": ASK, "again": broken["run"]})).status_code == 409


async def test_runs_and_reports_survive_a_restart_of_farm_and_sidecar(tmp_path: Path) -> None:
    async with staged(write_home(tmp_path)) as stage:
        scored, under_way = await stage.start(DO), await stage.start(DO)
        report = await stage.score(scored)
        await stage.do(under_way)
    async with staged(tmp_path) as stage:
        assert await stage.score(scored) == report
        assert (await stage.score(under_way))["verdict"] == "PASS"
        assert [one["run"] for one in (await stage.sidecar.get("/v1/runs")).json()["runs"]] == [scored["run"], under_way["run"]]


@pytest.mark.parametrize(("path", "role"), [("/v1/tasks", "read"), ("/v1/runs", "read"), ("/v1/runs", "write"), ("/v1/runs/x/score", "write")])
async def test_every_route_needs_its_token(stage: Stage, path: str, role: str) -> None:
    method = "GET" if role == "read" else "POST"
    body = {"task": DO} if path == "/v1/runs" and role == "write" else None
    for token in ("", TOKENS.control, "grader-token-of-the-tesT", *(() if role == "read" else (TOKENS.observer,))):
        reply = await stage.sidecar.request(method, path, json=body, headers={"Authorization": f"Bearer {token}"})
        assert (reply.status_code, reply.json()["error"]["code"]) == (401, "UNAUTHORIZED")
    if role == "read":
        assert (await stage.sidecar.get(path, headers={"Authorization": f"Bearer {TOKENS.observer}"})).status_code == 200


async def test_bad_requests_get_one_sentence(stage: Stage) -> None:
    for reply, status, words in (
        (await stage.sidecar.post("/v1/runs", json={"task": "small-doo"}), 404, "Did you mean small-do?"),
        (await stage.sidecar.get("/v1/runs/run-1"), 404, "envfarm start"),
        (await stage.sidecar.post("/v1/runs", json={"tusk": 1}), 422, "task"),
        (await stage.sidecar.post("/v1/runs/run-1/score"), 404, "run:"),
        (await stage.sidecar.get("/v1/nothing"), 404, "nothing is served here"),
    ):
        assert reply.status_code == status
        assert words in reply.json()["error"]["message"]


@pytest.mark.parametrize("file", ["packs/small-test-1/gold/small-do.json", "packs/small-test-1/public/small-do.json", "environments/small/tools.py"])
async def test_a_changed_file_is_refused_with_its_name(tmp_path: Path, file: str) -> None:
    path = write_home(tmp_path) / file
    path.write_bytes(path.read_bytes() + b" ")
    async with staged(tmp_path) as stage:
        reply = await stage.sidecar.post("/v1/runs", json={"task": DO})
        assert reply.status_code == 503
        assert path.name in reply.json()["error"]["message"]


async def test_a_pack_for_another_environment_digest_is_refused(stage: Stage) -> None:
    write_pack(stage.home / "packs" / "small-test-1", "0" * 64)
    reply = await stage.sidecar.post("/v1/runs", json={"task": DO})
    assert (reply.status_code, reply.json()["error"]["code"]) == (503, "PACKAGE_UNUSABLE")


async def test_a_farm_that_does_not_answer_decides_nothing(stage: Stage) -> None:
    run = await stage.start(DO)
    await stage.do(run)
    working = stage.line.inner
    stage.line.inner = httpx.AsyncHTTPTransport()
    reply = await stage.sidecar.post(f"/v1/runs/{run['run']}/score")
    assert (reply.status_code, reply.json()["error"]["code"]) == (502, "FARM_FAILED")
    assert (await stage.sidecar.get("/readyz")).status_code == 503
    stage.line.inner = working
    assert (await stage.sidecar.get("/readyz")).status_code == 200
    assert (await stage.score(run))["verdict"] == "PASS"


async def test_a_trace_tells_rows_before_and_after_each_call_and_the_evidence_of_refusals(stage: Stage) -> None:
    run = await stage.start(DO)
    await stage.do(run)
    await stage.call(run, "add_credit", owner_id="OWN-9", amount=-50)
    await stage.call(run, "add_credit", owner_id="OWN-9", amount=1)
    await stage.call(run, "no_such_tool")
    await stage.score(run)

    calls = (await stage.sidecar.get(f"/v1/runs/{run['run']}/trace")).json()["calls"]

    assert [(one["tool"], one["outcome"]) for one in calls] == [
        ("search_owners", "ok"),
        ("add_note", "ok"),
        ("add_credit", "refused"),
        ("add_credit", "ok"),
        ("no_such_tool", "error"),
    ]
    assert [one["op"] for one in calls[1]["changes"] if one["table"] == "Note"] == ["insert"]
    assert calls[1]["changes"][0]["before"] == {}
    assert (calls[2]["refusal"]["code"], calls[2]["refusal"]["evidence"], calls[2]["changes"]) == ("OVERDRAWN", ["OWN-9"], [])
    assert [(one["op"], one["key"], one["before"]["credit"], one["after"]["credit"]) for one in calls[3]["changes"]] == [
        ("update", "OWN-9", 700, 800)
    ]


async def test_a_run_may_serve_fewer_calls_than_its_task_and_is_replayed_so(stage: Stage) -> None:
    run = await stage.start(DO, call_limit=1)
    await stage.do(run)

    assert (await stage.episodes.info(key_of(run))).call_limit == 1
    assert (await stage.score(run))["verdict"] == "FAIL"
    assert (await stage.sidecar.get(f"/v1/runs/{run['run']}/trace")).json()["calls"][1]["refusal"]["code"] == "CALL_LIMIT"


async def test_gold_is_told_with_final_ids_and_only_to_graders(stage: Stage) -> None:
    told = (await stage.sidecar.get(f"/v1/tasks/{DO}/gold")).json()
    observer = await stage.sidecar.get(f"/v1/tasks/{DO}/gold", headers={"Authorization": f"Bearer {TOKENS.observer}"})

    assert [(one["tool"], one["arguments"]["owner_id"], one["rows"]) for one in told["writes"]] == [("add_note", "OWN-9", {"owner_id": "Owner"})]
    assert "OWN-9" in told["ids"]["Owner"]
    assert observer.status_code == 401


async def test_packs_are_listed_with_their_digests(stage: Stage) -> None:
    packs = (await stage.sidecar.get("/v1/packs")).json()["packs"]

    assert [(one["pack"], one["environment"], one["split"], one["tasks"], len(one["digest"])) for one in packs] == [
        ("small-test-1", "small", "test", 3, 64)
    ]


async def test_a_browser_at_the_sidecar_is_led_to_its_interface_and_a_program_gets_what_it_always_got(stage: Stage) -> None:
    page = await stage.sidecar.get("/", headers={"accept": "text/html", "authorization": ""})
    assert (page.status_code, page.headers["content-type"]) == (200, "text/html; charset=utf-8")
    assert page.headers["content-security-policy"].startswith("default-src 'none';")
    assert "<script" not in page.text
    assert not [task for task in (ASK, DECLINE, DO) if task in page.text]
    for link in re.findall(r'href="([^"]*)"', page.text):
        assert (await stage.sidecar.get(link)).status_code == 200, link
    plain = await stage.sidecar.get("/")
    assert (plain.status_code, plain.json()["error"]["code"]) == (404, "NOT_FOUND")
    assert (await stage.sidecar.post("/", headers={"accept": "text/html"})).status_code == 404
