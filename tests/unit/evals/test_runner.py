"""Evaluations in this process: what is kept, what is played again, what counts."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from evals.agents.agent import Episode, Outcome, Tokens
from evals.agents.baselines import Played
from evals.agents.known import Known
from evals.errors import EvalError
from evals.exports.turns import observed, told
from evals.metrics.folder import read_evaluation
from evals.running.attempt import Attempt
from evals.running.evaluation import Evaluated
from evals.running.journal import read_attempts
from evals.running.manifest import Manifest, read_manifest
from evals.session import ThinSession
from tests.unit.evals.stage import Scripted, Stage, staged
from tests.unit.sidecar.small_pack import ASK, DO, INSTRUCTIONS


def figures(out: Path) -> dict[str, Any]:
    manifest = read_manifest(out)
    assert manifest is not None
    return Evaluated(manifest=manifest, attempts=tuple(read_attempts(out))).summary()


async def do(session: ThinSession) -> None:
    await session.call("search_owners", {"name": "Zoe Ark"})
    await session.call("add_note", {"owner_id": "OWN-9", "text": "Pays in cash.", "due": "2026-04-02"})


async def test_the_oracle_earns_all_and_each_run_is_told_with_its_changes(tmp_path: Path) -> None:
    async with staged(tmp_path / "home") as stage:
        journal = await stage.play(Played("oracle", stage.http, Known(stage.sidecar, ())), tmp_path / "out", epochs=2)

    assert [(one.verdict, one.number) for one in journal.attempts] == [("PASS", 1)] * 6
    told = [json.loads((tmp_path / "out" / "runs" / f"{one.run}.json").read_text()) for one in journal.attempts if one.task == DO]
    assert [one["instruction"] for one in told] == [INSTRUCTIONS[DO]] * 2
    note = told[0]["calls"][1]["changes"][0]
    assert (note["op"], note["table"], note["after"]["text"]) == ("insert", "Note", "Pays in cash.")
    assert told[0]["gold"]["changes"][0]["after"]["due"] == "2026-04-02"
    assert figures(tmp_path / "out")["mean_reward"] == 1.0


async def test_results_are_exported_as_the_agent_got_them(tmp_path: Path) -> None:
    heard: list[str] = []

    async def looks(session: ThinSession, episode: Episode, number: int) -> Outcome:
        for tool, arguments in (("search_owners", {"name": "Zoe Ark"}), ("search_owners", {"nmae": "Zoe"}), ("get_owner", {"owner_id": "OWN-9"})):
            heard.append((await session.call(tool, arguments)).text)
        return Outcome()

    async with staged(tmp_path / "home") as stage:
        await stage.play(Scripted(looks, stage.http), tmp_path / "out", tasks=(DO,))

    (one,) = told(read_evaluation(tmp_path / "out"))
    assert [observed(call) for call in one.run.calls] == heard
    keys = list(one.run.calls[0].result["items"][0])
    assert keys != sorted(keys)


async def test_doing_nothing_earns_nothing(tmp_path: Path) -> None:
    async with staged(tmp_path / "home") as stage:
        await stage.play(Played("noop", stage.http, Known(stage.sidecar, ())), tmp_path / "out")

    assert figures(tmp_path / "out") | {"mean_partial": 0} == {
        **{"agent": "test", "headline": [], "tasks": 3, "epochs": 1, "attempts": 3, "mean_reward": 0.0, "mean_partial": 0},
        **{"pass": 0, "fail": 3, "invalid": 0, "masked": 0, "repeated": 0, "twins": {"pairs": 0, "both": 0}},
    }


def test_twins_count_as_both_passed_within_one_epoch_alone() -> None:
    figures = {"pack": "p", "level": 1, "partial": 0, "masked": "", "remark": "", "calls": 0, "refusals": 0, "errors": 0, "retries": 0}
    others = {"environment": "small", "kind": "do", "try": 1, "run": "r", "tokens": None, "cost": None, "final": "", "stopped": "finished"}

    def made(task: str, twin: str, epoch: int, verdict: str) -> Attempt:
        told = {"task": task, "twin": twin, "epoch": epoch, "verdict": verdict, "reward": int(verdict == "PASS")}
        return Attempt.model_validate({**figures, **others, **told})

    verdicts = {("a", "b"): ("PASS FAIL PASS", "FAIL PASS PASS"), ("c", "d"): ("PASS PASS PASS", "MASKED INVALID PASS"), ("e", ""): ("PASS", "")}
    attempts = []
    for (one, two), (of_one, of_two) in verdicts.items():
        attempts += [made(one, two, epoch, verdict) for epoch, verdict in enumerate(of_one.split(), start=1)]
        attempts += [made(two, one, epoch, verdict) for epoch, verdict in enumerate(of_two.split(), start=1)]
    manifest = Manifest(agent="blind", environments={}, packs={}, generator="0", envfarm="0", tasks=("a", "b", "c", "d", "e"), epochs=3)

    assert Evaluated(manifest=manifest, attempts=tuple(attempts)).summary()["twins"] == {"pairs": 5, "both": 2}


@pytest.mark.parametrize(("verdicts", "why"), [("MASKED MASKED INVALID", "refused"), ("MASKED FAIL", ""), ("PASS", ""), ("", "none was played")])
def test_where_no_run_could_be_scored_the_commonest_reason_is_told(verdicts: str, why: str) -> None:
    body = {"task": "a", "twin": "", "environment": "small", "kind": "do", "pack": "p", "level": 1, "partial": 0, "reward": 0, "masked": ""}
    counts = {"calls": 0, "refusals": 0, "errors": 0, "retries": 0, "tokens": None, "cost": None}
    attempts = [
        Attempt.model_validate(
            {
                **{**body, **counts, "epoch": epoch, "try": 1, "run": "r", "final": "", "stopped": "crashed"},
                **{"verdict": verdict, "remark": "refused" if verdict == "MASKED" else ""},
            }
        )
        for epoch, verdict in enumerate(verdicts.split(), start=1)
    ]
    manifest = Manifest(agent="blind", environments={}, packs={}, generator="0", envfarm="0", tasks=("a",), epochs=3)

    assert Evaluated(manifest=manifest, attempts=tuple(attempts)).unscored == why


async def test_a_provoked_invalid_is_played_once_more_and_counts_nothing_the_second_time(tmp_path: Path) -> None:
    async def provoke(session: ThinSession, episode: Episode, number: int) -> Outcome:
        await do(session)
        await session.call("break_down", {"how": "raise"})
        return Outcome()

    async with staged(tmp_path / "home") as stage:
        agent = Scripted(provoke, stage.http)
        journal = await stage.play(agent, tmp_path / "out", tasks=(DO,))

    assert [(one.verdict, one.number, one.reward) for one in journal.attempts] == [("INVALID", 1, 0), ("INVALID", 2, 0)]
    assert len(agent.played) == 2
    assert (figures(tmp_path / "out")["mean_reward"], figures(tmp_path / "out")["invalid"]) == (0.0, 1)


async def test_a_masked_failure_is_played_once_more_and_does_not_move_the_mean(tmp_path: Path) -> None:
    async def fails(session: ThinSession, episode: Episode, number: int) -> Outcome:
        if episode.task == ASK or (episode.epoch, number) == (1, 1):
            return Outcome(masked="provider", stopped="crashed", remark="429")
        await do(session)
        return Outcome()

    async with staged(tmp_path / "home") as stage:
        journal = await stage.play(Scripted(fails, stage.http), tmp_path / "out", tasks=(DO, ASK), epochs=2)

    assert [(one.verdict, one.masked) for one in journal.of(DO, 1)] == [("MASKED", "provider"), ("PASS", "")]
    assert [one.verdict for one in journal.of(DO, 2)] == ["PASS"]
    assert [one.verdict for one in journal.of(ASK, 1)] == ["MASKED", "MASKED"]
    assert {name: figures(tmp_path / "out")[name] for name in ("mean_reward", "pass", "masked", "repeated")} == {
        **{"mean_reward": 1.0, "pass": 2, "masked": 2, "repeated": 3}
    }


async def test_a_defect_is_not_hidden_behind_a_mask(tmp_path: Path) -> None:
    async def both(session: ThinSession, episode: Episode, number: int) -> Outcome:
        await session.call("break_down", {"how": "raise"})
        return Outcome(masked="network")

    async with staged(tmp_path / "home") as stage:
        journal = await stage.play(Scripted(both, stage.http), tmp_path / "out", tasks=(DO,))

    assert [one.verdict for one in journal.attempts] == ["INVALID", "INVALID"]


async def test_time_up_ends_the_agent_and_what_it_had_done_is_scored(tmp_path: Path) -> None:
    async def slow(session: ThinSession, episode: Episode, number: int) -> Outcome:
        await do(session)
        await asyncio.Event().wait()
        return Outcome()

    async with staged(tmp_path / "home") as stage:
        journal = await stage.play(Scripted(slow, stage.http), tmp_path / "out", tasks=(DO,), seconds=0.5)

    assert [(one.verdict, one.stopped) for one in journal.attempts] == [("PASS", "timeout")]


async def test_an_agent_that_breaks_fails_its_run_alone_and_its_figures_are_kept(tmp_path: Path) -> None:
    async def broken(session: ThinSession, episode: Episode, number: int) -> Outcome:
        if episode.task != DO:
            raise KeyError("no such word")
        for amount in (-50, -50, 1):
            await session.call("add_credit", {"owner_id": "OWN-9", "amount": amount})
        await session.call("no_such_tool", {})
        return Outcome(final="It is done.", tokens=Tokens(input=7, output=3), cost=0.5)

    async with staged(tmp_path / "home") as stage:
        journal = await stage.play(Scripted(broken, stage.http), tmp_path / "out", tasks=(DO, ASK))

    (asked,), (done,) = journal.of(ASK, 1), journal.of(DO, 1)
    assert (asked.verdict, asked.stopped, asked.remark) == ("FAIL", "crashed", "KeyError: 'no such word'")
    assert (done.calls, done.refusals, done.errors, done.retries, done.final, done.cost) == (4, 2, 1, 1, "It is done.", 0.5)
    assert done.line()["tokens"] == {"input": 7, "output": 3}


async def test_what_an_agent_wants_submitted_is_submitted_in_its_name(tmp_path: Path) -> None:
    async def answers(session: ThinSession, episode: Episode, number: int) -> Outcome:
        return Outcome(submission={"outcome": "answered", "answer": "4"})

    async with staged(tmp_path / "home") as stage:
        journal = await stage.play(Scripted(answers, stage.http), tmp_path / "out", tasks=(ASK,))

    assert [one.verdict for one in journal.attempts] == ["PASS"]


async def test_what_ended_early_is_resumed_without_playing_anything_twice(tmp_path: Path) -> None:
    async def until_third(session: ThinSession, episode: Episode, number: int) -> Outcome:
        if len(first.played) > 3:
            raise EvalError("stop here")
        await do(session)
        return Outcome()

    async def works(session: ThinSession, episode: Episode, number: int) -> Outcome:
        await do(session)
        return Outcome()

    out = tmp_path / "out"
    async with staged(tmp_path / "home") as stage:
        first = Scripted(until_third, stage.http)
        with pytest.raises(EvalError, match="stop here"):
            await stage.play(first, out, epochs=3)
        kept = read_attempts(out)
        # What a kill leaves: half a line, half a file, a file whose line was not written.
        with (out / "attempts.jsonl").open("ab") as file:
            file.write(b'{"task": "small-do", "epo')
        (out / "runs" / "run-0.json.part").write_text("{")
        (out / "runs" / "run-1.json").write_text("{}")
        second = Scripted(works, stage.http)
        await stage.play(second, out, epochs=3, resume=True)

    found = read_attempts(out)
    assert 0 < len(kept) < 9
    assert found[: len(kept)] == kept
    assert sorted((one.task, one.epoch) for one in found) == sorted((task, epoch) for task in INSTRUCTIONS for epoch in (1, 2, 3))
    assert len(second.played) == 9 - len(kept)
    assert sorted(path.stem for path in (out / "runs").iterdir()) == sorted(one.run for one in found)


async def test_another_evaluation_in_the_same_folder_is_refused(tmp_path: Path) -> None:
    out = tmp_path / "out"
    async with staged(tmp_path / "home") as stage:
        agent = Played("noop", stage.http, Known(stage.sidecar, ()))
        await stage.play(agent, out, tasks=(DO,))
        with pytest.raises(EvalError, match="Pass --resume to go on with it"):
            await stage.play(agent, out, tasks=(DO,))
        with pytest.raises(EvalError, match=r"expected the 1 tasks that this evaluation began with, got 1 by other filters, 0 of them the same\."):
            await stage.play(agent, out, tasks=(ASK,), resume=True)
        (out / "attempts.jsonl").write_bytes(b"{}\n")
        with pytest.raises(EvalError, match="expected an attempt in line 1"):
            await stage.play(agent, out, tasks=(DO,), resume=True)


def test_nobody_else_may_read_an_evaluation(tmp_path: Path) -> None:
    async def play(stage: Stage) -> None:
        await stage.play(Played("noop", stage.http, Known(stage.sidecar, ())), tmp_path / "out", tasks=(DO,))

    async def run() -> None:
        async with staged(tmp_path / "home") as stage:
            await play(stage)

    (tmp_path / "out").mkdir(mode=0o755)
    asyncio.run(run())

    assert (tmp_path / "out").stat().st_mode & 0o777 == 0o700
