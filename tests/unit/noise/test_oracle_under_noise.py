"""Every task can still be solved under every profile: who tries again and looks before repeating comes to the right state."""

import json
from functools import cache
from pathlib import Path
from typing import get_args

import pytest

from evals.agents.careful import careful_oracle
from evals.session import Reply
from registry.catalogue import open_folder
from registry.dispatch.harness import ASK
from registry.episode import LocalEpisode
from registry.package.noise import NoiseSpec
from registry.package.user import PersonaName, UserWanted
from registry.packs.reading import Pack, Task, read_pack
from registry.packs.scenario import scenario_rows
from registry.score import ScoreReport, score
from server.sidecar.gold import looks_of
from server.sidecar.others import harmless_calls
from server.sidecar.replay import submission_of
from synth.tasks.supply import supply
from tests.made_once import domain_of, package_of, value
from tests.seeds import every

PROFILES = ("office", "bad_day", "chaos")
TASKS = {"tool_library": 12, "vet_clinic": 4, "equipment_rental": 3}
"""Tasks of the domains that are tried by default; all of the others."""


class Here:
    """A session with an episode of this process."""

    def __init__(self, episode: LocalEpisode) -> None:
        self.episode = episode

    async def call(self, tool, arguments) -> Reply:
        outcome = self.episode.call(tool, dict(arguments))
        return Reply(result=outcome.result if outcome.kind == "ok" else None, text=outcome.text)


@cache
def pack_of(name: str) -> Pack:
    files = value(f"pack-{name}-24", lambda: supply(domain_of(name), "0" * 64, count=24)).files
    return read_pack(Path(), lambda path: files[path.as_posix()])


@cache
def talks_of(name: str) -> Pack:
    """A pack with multi-turn tasks: the one of all kinds, where that has some."""
    if any(task.public.multi_turn for task in pack_of(name).tasks.values()):
        return pack_of(name)
    files = value(f"pack-{name}-talks", lambda: supply(domain_of(name), "0" * 64, count=4, kinds=("multi-turn",))).files
    return read_pack(Path(), lambda path: files[path.as_posix()])


async def played(environment, task: Task, scenario, noise: NoiseSpec) -> tuple[ScoreReport, str]:
    """The score, and what the oracle remarked."""
    public = task.public
    episode = LocalEpisode(
        environment,
        scenario=scenario,
        scenario_name=task.scenario,
        call_limit=public.call_limit,
        multi_turn=public.multi_turn,
        held_back=public.held_back,
        noise=noise,
    )
    remark = await careful_oracle(Here(episode), task.gold, looks_of(environment))
    report = score(task.gold, episode.changes(), submission_of(episode.log()), environment.meta)
    again = LocalEpisode(
        environment,
        scenario=scenario,
        scenario_name=task.scenario,
        call_limit=public.call_limit,
        multi_turn=public.multi_turn,
        held_back=public.held_back,
        noise=noise,
    )
    again.follow(episode.log())
    assert (again.digest, again.state_digest, again.changes()) == (episode.digest, episode.state_digest, episode.changes())
    episode.close()
    again.close()
    return report, remark


@pytest.mark.parametrize("name", every())
async def test_the_oracle_scores_one_under_every_profile(name):
    environment, pack = open_folder(package_of(name)), pack_of(name)
    tasks = list(pack.tasks.values())[: TASKS.get(name)]
    failed = []
    for number, task in enumerate(tasks):
        scenario = scenario_rows(task.public, pack.worlds[task.public.world], environment.meta)
        others = harmless_calls(environment, task, scenario)
        for profile in PROFILES:
            report, remark = await played(environment, task, scenario, NoiseSpec(profile=profile, seed=number, others=others))
            if report.verdict != "PASS":
                failed.append((task.public.task, profile, remark))
    assert failed == []


class Insisting(Here):
    """The same, but every question is asked twice; keeps what was heard."""

    def __init__(self, episode: LocalEpisode) -> None:
        super().__init__(episode)
        self.heard = []

    async def call(self, tool, arguments) -> Reply:
        if tool == ASK:
            self.heard.append((await super().call(tool, arguments)).text)
        reply = await super().call(tool, arguments)
        self.heard += [reply.text] if tool == ASK else []
        return reply


@pytest.mark.parametrize("name", every())
async def test_the_oracle_scores_one_with_every_persona_who_tells_all_that_is_entered(name):
    environment, pack = open_folder(package_of(name)), talks_of(name)
    talks = [task for task in pack.tasks.values() if task.public.multi_turn]
    assert talks
    for number, task in enumerate(talks):
        scenario = scenario_rows(task.public, pack.worlds[task.public.world], environment.meta)
        for persona in get_args(PersonaName):
            user = UserWanted(persona=persona, seed=number)
            terms = {"scenario": scenario, "scenario_name": task.scenario, "multi_turn": True, "held_back": task.public.held_back}
            for session in (Here(LocalEpisode(environment, user=user, **terms)), Insisting(LocalEpisode(environment, user=user, **terms))):
                remark = await careful_oracle(session, task.gold, looks_of(environment))
                report = score(task.gold, session.episode.changes(), submission_of(session.episode.log()), environment.meta)
                assert (report.verdict, remark) == ("PASS", "")
                session.episode.close()
            said = " ".join(json.loads(text)["answer"] for text in session.heard)
            for call in task.gold.calls:
                assert all(source.text in said for source in call.sources.values() if source.kind == "answer")
