"""Batches and curricula over HTTP, and the client for trainers, before a real farm and sidecar."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest

import envfarm
from tests.unit.sidecar.small_pack import ASK, DECLINE, DO
from tests.unit.sidecar.test_sidecar_http import TOKENS, Stage


class BothPlanes(httpx.AsyncBaseTransport):
    """Leads to sidecar or control plane by the host's name."""

    def __init__(self, stage: Stage) -> None:
        self._stage = stage

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        inner = self._stage.line if request.url.host == "localhost" else self._stage.sidecar._transport
        return await inner.handle_async_request(request)


@asynccontextmanager
async def client(stage: Stage) -> AsyncIterator[envfarm.AsyncClient]:
    urls = {"control_url": "http://localhost", "sidecar_url": "http://sidecar.test"}
    async with envfarm.AsyncClient(TOKENS.control, TOKENS.grader, **urls, transport=BothPlanes(stage)) as farm:
        yield farm


def note(run: Any, text: str = "Pays in cash.") -> envfarm.Call:
    return envfarm.Call(run.episode, "add_note", {"owner_id": "OWN-9", "text": text, "due": "2026-04-02"})


async def test_a_group_starts_from_one_state_and_each_run_is_scored_by_itself(stage: Stage) -> None:
    async with client(stage) as farm:
        runs = await farm.group(DO, 3)
        starts = {(await stage.episodes.info(run.episode)).state_digest for run in runs}
        came = await farm.step([note(runs[0]), note(runs[1], "Is late."), envfarm.Call(runs[2].episode, "search_owners", {"name": ""})])
        reports = await farm.score([run.run for run in runs])

    assert len({run.episode for run in runs}) == 3
    assert len(starts) == 1
    assert [one.kind for one in came] == ["ok", "ok", "ok"]
    assert [report.verdict for report in reports] == ["PASS", "FAIL", "FAIL"]


async def test_runs_of_a_group_share_their_noise_and_their_user_and_groups_of_other_tasks_have_other_noise(stage: Stage) -> None:
    noise, user = envfarm.NoiseWanted(profile="chaos", seed=5), envfarm.UserWanted(persona="chatty", seed=3)
    async with client(stage) as farm:
        groups = await farm.groups([DO, ASK], 2, noise=noise, user=user)
        runs = [run for group in groups for run in group]
        for _ in range(30):
            await farm.step([envfarm.Call(run.episode, "search_owners", {"name": ""}) for run in runs])
        logs = [[record.noise for record in (await stage.episodes.log(run.episode)).records] for run in runs]
        kept = [(await stage.episodes.about(run.episode)).user for run in runs]
        shown = [(await stage.sidecar.get(f"/v1/runs/{run.run}")).json() for run in runs]
        verdicts = [report.verdict for report in await farm.score([run.run for run in runs])]

    assert logs[0] == logs[1] != logs[2] == logs[3]
    assert kept == [user] * 4
    assert [one["noise"] for one in shown] == [noise.model_dump(mode="json")] * 4
    assert "INVALID" not in verdicts


async def test_calls_of_one_episode_keep_their_order_and_errors_stay_with_their_item(stage: Stage) -> None:
    async with client(stage) as farm:
        one, other = (*await farm.group(ASK), *await farm.group(ASK))
        calls = [
            envfarm.Call(one.episode, "submit_answer", {"outcome": "answered", "answer": "4"}),
            envfarm.Call("nobody", "search_owners"),
            envfarm.Call(other.episode, "no_such_tool"),
            envfarm.Call(one.episode, "search_owners", {"name": ""}),
        ]
        came = await farm.step(calls)

    assert [(one.kind, one.code) for one in came] == [
        ("ok", ""),
        ("error", "EPISODE_NOT_FOUND"),
        ("invalid", "INVALID_ARGUMENTS"),
        ("refused", "EPISODE_CLOSED"),
    ]
    assert [one.closed for one in came] == [True, False, False, True]


async def test_a_fork_under_way_is_a_run_that_is_scored_with_the_calls_it_began_with(stage: Stage) -> None:
    async with client(stage) as farm:
        (run,) = await farm.group(DO)
        await farm.step([note(run), note(run, "Too much.")])
        early, late = await farm.fork(run.run, 1), await farm.fork(run.run, runs=2)
        reports = await farm.score([one.run for one in (*early, *late)])
        with pytest.raises(envfarm.FarmError, match="expected 0 to 2 calls"):
            await farm.fork(run.run, 9)

    assert [report.verdict for report in reports] == ["PASS", "FAIL", "FAIL"]
    assert stage.grader.store.get(early[0].run)[0].origin == f"{run.run}@1"


async def test_a_run_that_may_be_rewound_is_reset_and_scored(stage: Stage) -> None:
    async with client(stage) as farm:
        (run,) = await farm.group(DO, rewindable=True)
        await farm.step([note(run, "Wrong.")])
        (back,) = await farm.reset([run.episode])
        await farm.step([note(run)])
        (report,) = await farm.score([run.run])

    assert back.calls == 0
    assert report.verdict == "PASS"


async def test_a_reset_that_would_ruin_a_run_is_refused_and_the_run_goes_on(stage: Stage) -> None:
    async with client(stage) as farm:
        (run,) = await farm.group(DO)
        await farm.step([note(run)])
        with pytest.raises(envfarm.FarmError, match="rewindable=True") as caught:
            await farm.reset([run.episode])
        (report,) = await farm.score([run.run])
    singly = [await stage.line.handle_async_request(_back(run.episode, action)) for action in ("reset", "rewind")]

    assert caught.value.code == "EPISODE_REFUSED"
    assert [reply.status_code for reply in singly] == [409, 409]
    assert report.verdict == "PASS"


def _back(key: str, action: str) -> httpx.Request:
    headers = {"Authorization": f"Bearer {TOKENS.control}"}
    return httpx.Request("POST", f"http://localhost/v1/episodes/{key}/{action}", json={"to": 0} if action == "rewind" else {}, headers=headers)


async def test_more_items_than_one_request_takes_come_back_in_their_order(stage: Stage) -> None:
    async with client(stage) as farm:
        first = await farm.create("small")
        episodes = await farm.fork_episodes([first.key] * 300)
        calls = [envfarm.Call(one.key, "search_owners", {"name": "x", "bad": n} if n % 3 else {"name": ""}) for n, one in enumerate(episodes)]
        came = await farm.step(calls * 2)

    assert len({one.key for one in episodes}) == 300
    assert [one.kind for one in came] == ["invalid" if n % 3 else "ok" for n in range(300)] * 2


async def test_no_token_of_an_observer_steps_or_starts(stage: Stage) -> None:
    urls = {"control_url": "http://localhost", "sidecar_url": "http://sidecar.test"}
    async with envfarm.AsyncClient(TOKENS.observer, TOKENS.observer, **urls, transport=BothPlanes(stage)) as farm:
        for asked in (farm.step([("k", "search_owners", {})]), farm.group(DO), farm.next_tasks("c"), farm.tell("c")):
            with pytest.raises(envfarm.FarmError) as caught:
                await asked
            assert caught.value.status == 401


async def test_a_curriculum_gives_the_same_tasks_for_the_same_history_and_counts_each_run_once(stage: Stage) -> None:
    async with client(stage) as farm:
        first = [await farm.next_tasks(name, 3, seed=1) for name in ("a", "a")]
        (run,) = await farm.group(DO)
        with pytest.raises(envfarm.FarmError, match="expected one that is scored"):
            await farm.tell("a", [run.run])
        await farm.step([note(run)])
        await farm.score([run.run])
        counted = [await farm.tell("a", [run.run]), await farm.tell("a", [run.run]), await farm.tell("a", rewards=[(ASK, 0.0), (ASK, 0.5)])]
        shown = (await stage.sidecar.get("/v1/curricula/a")).json()

    assert {one.task for one in first[0]} == {ASK, DECLINE, DO}
    assert counted == [1, 0, 2]
    assert shown["given"] == 6
    assert [(one["task"], one["tries"], one["successes"]) for one in shown["tasks"]] == [(ASK, 2, 0.5), (DO, 1, 1.0)]
    # By hand: level 1 has 1 of 1, so its mean is 2/3 and the task's (2 * 2/3 + 1) / (2 + 1); level 2 has 0.5 of 2.
    assert shown["levels"] == {"1": 0.666667, "2": 0.375, "3": 0.5}
    assert [one["estimate"] for one in shown["tasks"]] == [0.3125, 0.777778]


async def test_bad_outcomes_are_refused_whole(stage: Stage) -> None:
    for items in ([{"task": DO, "reward": 1}, {"task": "nothing", "reward": 1}], [{"task": DO}], [{"run": "r", "reward": 1}], [{}]):
        assert (await stage.sidecar.post("/v1/curricula/b/outcomes", json={"items": items})).status_code in (404, 422)
    assert (await stage.sidecar.get("/v1/curricula/b")).json()["tasks"] == []


async def test_a_farm_that_is_not_there_is_one_sentence() -> None:
    async with envfarm.AsyncClient("c", "g", control_url="http://127.0.0.1:9", sidecar_url="http://127.0.0.1:9") as farm:
        with pytest.raises(envfarm.FarmError, match=r"^sidecar: expected an answer at http://127.0.0.1:9, got ConnectError") as caught:
            await farm.tasks()
    assert (caught.value.code, caught.value.status) == ("UNREACHABLE", 0)


def test_what_is_kept_of_a_curriculum_survives_its_process(tmp_path: Path) -> None:
    from server.sidecar.curriculum_store import Tally, Told
    from server.sidecar.store import RunStore

    store = RunStore(tmp_path / "sidecar.sqlite")
    store.curricula.give("c", 4)
    store.curricula.count("c", [Told(task="t", reward=1.0, run="r"), Told(task="t", reward=0.0)])
    store.close()
    again = RunStore(tmp_path / "sidecar.sqlite")
    assert (again.curricula.given("c"), again.curricula.tallies("c")) == (4, {"t": Tally(tries=2, successes=1.0)})
    assert again.curricula.count("c", [Told(task="t", reward=1.0, run="r")]) == 0
    again.close()


async def test_a_curriculum_is_shown_as_it_stands(stage: Stage) -> None:
    async with client(stage) as farm:
        nothing = await farm.curriculum("c")
        (proposed,) = await farm.next_tasks("c")
        await farm.tell("c", rewards=[(proposed.task, 1.0)])
        found = await farm.curriculum("c")

    assert (nothing.given, nothing.tasks) == (0, ())
    assert (found.given, [(one.task, one.tries, one.successes) for one in found.tasks]) == (1, [(proposed.task, 1, 1.0)])
    assert found.levels[proposed.level] > 0.5


async def test_tasks_of_one_split_are_told_and_a_split_without_a_pack_says_how_to_make_one(stage: Stage) -> None:
    async with client(stage) as farm:
        told = await farm.tasks("small", split="test")
        (proposed,) = await farm.next_tasks("c", split="test")
        for asked in (farm.tasks("small", split="train"), farm.next_tasks("c", environment="small", split="train")):
            with pytest.raises(envfarm.FarmError, match="envfarm tasks make small --split train"):
                await asked

    assert {one.split for one in (*told, proposed)} == {"test"}
    assert {one.pack for one in told} == {proposed.pack} != {""}


@pytest.mark.parametrize(
    ("filters", "advice"),
    [
        ({"environment": "smal"}, "Did you mean small"),
        ({"kind": "declin"}, "Did you mean decline"),
        ({"kind": "zzz"}, "There are: do, do-if-else"),
        ({"split": "trian"}, "Did you mean train"),
        ({"level": 9}, "There are: 1, 2, 3, 4, 5"),
    ],
)
async def test_a_misspelt_filter_is_refused_with_what_is_known(stage: Stage, filters: dict[str, Any], advice: str) -> None:
    async with client(stage) as farm:
        for asked in (farm.tasks(**filters), farm.next_tasks("c", **filters)):
            with pytest.raises(envfarm.FarmError, match=advice) as caught:
                await asked
            assert (caught.value.code, caught.value.status) == ("INVALID_REQUEST", 422)


async def test_programs_can_show_stored_values_as_tools_show_them(stage: Stage) -> None:
    async with client(stage) as farm:
        (run,) = await farm.group(DO)
        await farm.step([envfarm.Call(run.episode, "add_credit", {"owner_id": "OWN-9", "amount": 2})])
        columns, (change,) = await farm.columns("small"), await farm.changes(run.episode)
        report = await farm.score(run.run)

    assert columns["Owner"]["credit"] == {"kind": "money", "places": 2}
    assert change.values["credit"].after == 900
    assert report.columns["Owner"] == columns["Owner"]


async def test_tools_policy_and_instructions_are_told_as_agents_have_them(stage: Stage) -> None:
    async with client(stage) as farm:
        (about,) = await farm.environments()
        usual, talking = await farm.tools("small"), await farm.tools("small", multi_turn=True)
        policy, told = await farm.policy("small"), await farm.instructions("small")
        with pytest.raises(envfarm.FarmError, match="Did you mean small"):
            await farm.policy("smal")

    assert about["id"] == "small"
    assert {"add_note", "submit_answer"} < {one["name"] for one in usual}
    assert {one["name"] for one in talking} - {one["name"] for one in usual} == {"ask_user"}
    assert all(one["inputSchema"]["type"] == "object" for one in talking)
    assert policy.strip().splitlines()[0] in told
    assert "submit_answer" in told


async def test_a_filter_that_is_misspelt_itself_is_refused_instead_of_letting_everything_through(stage: Stage) -> None:
    listed = await stage.sidecar.get("/v1/tasks?spilt=train")
    proposed = await stage.sidecar.post("/v1/curricula/c/next", json={"spilt": "train"})

    assert [reply.status_code for reply in (listed, proposed)] == [422, 422]
    assert "spilt" in listed.json()["error"]["message"]


async def test_known_filters_that_no_task_fits_give_none(stage: Stage) -> None:
    async with client(stage) as farm:
        assert await farm.tasks("small", kind="bulk") == ()


@pytest.mark.parametrize("name", ["../c", "", ".", "..", "a b", "x" * 201])
async def test_a_name_that_no_curriculum_can_have_is_refused_by_the_client(stage: Stage, name: str) -> None:
    async with client(stage) as farm:
        with pytest.raises(envfarm.FarmError, match="curriculum: expected 1 to 200 of the characters"):
            await farm.next_tasks(name)
