"""Users of an evaluation: each persona tells what gold needs, words are the same again, and a fault of theirs is masked."""

import json
from pathlib import Path

import pytest

from evals.agents.agent import Episode, Outcome
from evals.agents.baselines import Played
from evals.agents.known import Known
from evals.running.attempt import Attempt
from evals.running.users import MIX, PERSONAS, user_of
from evals.session import ThinSession
from registry.dispatch.user import nobody
from tests.unit.evals.stage import Stage, staged
from tests.unit.sidecar.small_pack import DO, TALK


def answers(out: Path, attempt: Attempt) -> list[str]:
    """What the user of a run said."""
    told = json.loads((out / "runs" / f"{attempt.run}.json").read_text())
    return [one["result"]["answer"] for one in told["calls"] if one["tool"] == "ask_user"]


class Heedful:
    """Asks twice as it is told to, and enters what it hears last, or first."""

    def __init__(self, stage: Stage, *, last: bool) -> None:
        self.stage, self.last = stage, last

    async def play(self, episode: Episode) -> Outcome:
        session = ThinSession(episode.mcp_url, self.stage.http)
        heard = []
        for _ in range(4):
            reply = await session.call("ask_user", {"question": "What is the text?"})
            found = [text for text in ("Pays by card.", "Pays in cash.") if text in reply.text]
            heard += found
            if len(heard) > 1:
                break
        await session.call("add_note", {"owner_id": "OWN-9", "text": heard[-1 if self.last else 0], "due": "2026-04-02"})
        return Outcome()


async def test_the_oracle_earns_all_from_every_persona_who_says_the_same_again_and_is_recorded(tmp_path: Path) -> None:
    async with staged(tmp_path / "home", talk=True) as stage:
        oracle = Played("oracle", stage.http, Known(stage.sidecar, ()))
        for persona in (*PERSONAS, MIX):
            said = []
            for number in (1, 2):
                out = tmp_path / f"{persona}-{number}"
                attempts = (await stage.play(oracle, out, tasks=(TALK, DO), epochs=2, persona=persona)).attempts
                talks = sorted((one for one in attempts if one.task == TALK), key=lambda one: one.epoch)
                said.append([answers(out, one) for one in talks])
                assert {one.verdict for one in attempts} == {"PASS"}
                assert [one.persona for one in talks] == [user_of(persona, 0, TALK, epoch)["persona"] for epoch in (1, 2)]
                assert {one.persona for one in attempts if one.task == DO} == {""}
            assert said[0] == said[1]


def test_a_mix_draws_every_persona_and_one_name_only_itself() -> None:
    drawn = {user_of(MIX, 3, f"task-{number}", 1)["persona"] for number in range(60)}
    assert drawn == set(PERSONAS)
    assert {user_of("terse", 3, f"task-{number}", 1)["persona"] for number in range(9)} == {"terse"}


@pytest.mark.parametrize(("last", "reward"), [(True, 1), (False, 0)])
async def test_who_heeds_the_change_of_mind_earns_all_and_who_does_not_nothing(tmp_path: Path, last: bool, reward: int) -> None:
    async with staged(tmp_path / "home", talk=True) as stage:
        journal = await stage.play(Heedful(stage, last=last), tmp_path / "out", tasks=(TALK,), epochs=3, persona=MIX)

    assert [one.reward for one in journal.attempts] == [reward] * 3


async def test_a_user_that_gives_no_answer_is_masked_and_played_again(tmp_path: Path) -> None:

    class Asking(Heedful):
        async def play(self, episode: Episode) -> Outcome:
            residence, key = self.stage.episodes._residence, episode.mcp_url.split("/")[-2]
            slot = await residence.claim(key)
            object.__setattr__(slot.hot._terms, "user", nobody)
            slot.lock.release()
            return await super().play(episode)

    async with staged(tmp_path / "home", talk=True) as stage:
        journal = await stage.play(Asking(stage, last=True), tmp_path / "out", tasks=(TALK,))

    assert [(one.verdict, one.masked, one.number, one.reward) for one in journal.attempts] == [
        ("MASKED", "simulator", 1, 0),
        ("MASKED", "simulator", 2, 0),
    ]
