"""Built-in agents over the hand-written pack."""

from pathlib import Path

from evals.agents.baselines import BASELINES, Played
from evals.agents.blind import most
from evals.agents.guessing import ids_in, spans
from evals.agents.known import Known
from tests.unit.evals.stage import staged

SURE = [name for name in BASELINES if name not in ("random", "greedy")]


async def test_only_who_follows_gold_passes_all_and_who_reads_nothing_passes_nothing(tmp_path: Path) -> None:
    passed = {}
    async with staged(tmp_path / "home") as stage:
        tasks = await stage.sidecar.tasks()
        for name in SURE:
            journal = await stage.play(Played(name, stage.http, Known(stage.sidecar, tasks)), tmp_path / name)
            passed[name] = sum(one.reward for one in journal.attempts)
            assert {one.stopped for one in journal.attempts} == {"finished"}, [one.remark for one in journal.attempts]
            assert {one.verdict for one in journal.attempts} <= {"PASS", "FAIL"}

    assert passed.pop("oracle") == 3
    # The owner whom the hand-written task names is the last one, as no task of a real pack may have it.
    assert passed.pop("blind-last") == 1
    assert set(passed.values()) == {0}


async def test_chance_is_the_same_with_the_same_seed(tmp_path: Path) -> None:
    async with staged(tmp_path / "home") as stage:
        agent = Played("random", stage.http, Known(stage.sidecar, await stage.sidecar.tasks()))
        once = await stage.play(agent, tmp_path / "one", epochs=2)
        again = await stage.play(agent, tmp_path / "two", epochs=2)

    def figures(journal):
        return sorted((one.task, one.epoch, one.verdict, one.calls, one.refusals, one.errors) for one in journal.attempts)

    assert figures(once) == figures(again)


def test_what_an_instruction_names_is_found_in_it() -> None:
    assert spans("Book 'big room' for Ruth Moore on 2026-03-02, 2 people.")[:3] == ["big room", "Ruth Moore", "2026-03-02"]
    assert ids_in({"items": [{"id": "APT-00012", "owner_id": "OWN-7"}]}) == ["APT-00012", "OWN-7"]


def test_of_the_commonest_values_the_least_is_taken() -> None:
    assert most(["b", "a", "b", "a", "c"]) == "a"
    assert most([]) is None
