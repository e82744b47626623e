"""`envfarm demo`: the whole way from seeds to scores, with an agent that follows gold and one that does nothing."""

import itertools
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import typer

from server.cli.answer import JsonFlag, note, show, table

if TYPE_CHECKING:
    from evals.running.contest import Entry, Played
    from registry.home import Home
    from registry.packs.reading import Task
    from server.config import Settings

REMARKS = 20
"""Unexpected results that are told one by one."""


def demo(
    build: bool = typer.Option(True, "--build/--no-build", help="Whether to build first what is missing or stale."),
    json: bool = JsonFlag,
) -> None:
    """Build what is missing, start a farm, play every task with two agents (oracle follows gold, noop does nothing), print their scores.

    Exit code 0 when oracle earns 1 everywhere, noop 0 everywhere, and no run is INVALID. Example: envfarm demo --json
    """
    from registry.home import find_home
    from server.building import absent
    from server.cli.missing import build_missing
    from server.config import read_settings
    from server.errors import UserError
    from server.listen import run_loop
    from server.sidecar.packs import Packs

    settings = read_settings()
    home = find_home(settings.home)
    if build:
        build_missing(home)
    tasks = Packs(home.packs).tasks()
    if not tasks:
        raise UserError(absent("task packs", home.packs, home))
    outcome: list[Any] = []

    async def run() -> int:
        outcome.extend(await _play(home, settings, tasks))
        return 0

    run_loop(run())
    ready, played = outcome
    answer = summary(ready, played)
    show(answer, json=json, text=_text(ready, tasks, played, answer))
    odd = [one for one in played if one.verdict != {"oracle": "PASS", "noop": "FAIL"}[one.agent]]
    for one in odd[:REMARKS]:
        note(f"{one.task} ({one.kind}) played by {one.agent} over {one.client}: {one.verdict}, {one.remark}")
    if odd:
        raise typer.Exit(1)


async def _play(home: "Home", settings: "Settings", tasks: "Sequence[Task]") -> "tuple[dict[str, Any], tuple[Played, ...]]":
    from evals.agents.builtin import AGENTS
    from evals.running.contest import Contest
    from server.cli.eval_progress import counting
    from server.cli.own_farm import own_farm
    from server.tokens import read_tokens

    async with own_farm(home, settings) as (ready, own):
        entries = entries_of(tasks)
        note(f"playing {len(tasks)} tasks with {len(AGENTS)} agents at {ready['agent_url']}")
        settled = itertools.count(1)
        with counting("demo") as count:
            contest = Contest(
                ready["sidecar_url"], read_tokens(own.tokens).grader, AGENTS, lambda one: count(one.verdict, next(settled), len(entries))
            )
            return ready, await contest.play(entries)


def entries_of(tasks: "Sequence[Task]") -> "list[Entry]":
    """Every task for every agent; the first two tasks of an environment over the official SDK, one in each era, the others over the thin client."""
    from evals.agents.builtin import AGENTS
    from evals.running.contest import Entry

    entries = []
    seen: dict[str, int] = {}
    for task in tasks:
        number = seen[task.public.environment] = seen.get(task.public.environment, 0) + 1
        client = {1: "modern", 2: "legacy"}.get(number, "thin")
        entries += [Entry(task=task, agent=agent, client=client if agent == "oracle" else "thin") for agent in AGENTS]  # type: ignore[arg-type]
    return entries


def summary(ready: dict[str, Any], played: "Sequence[Played]") -> dict[str, Any]:
    """Means over all tasks; an INVALID run counts 0."""
    agents = sorted({one.agent for one in played}, reverse=True)
    rewards = {agent: [one.reward for one in played if one.agent == agent] for agent in agents}
    return {
        "environments": len(ready["environments"]),
        "tools": sum(one["tools"] for one in ready["environments"]),
        "tasks": len({one.task for one in played}),
        "agents": {agent: {"mean_reward": sum(rewards[agent]) / len(rewards[agent])} for agent in agents},
        "invalid": sum(one.verdict == "INVALID" for one in played),
    }


def _text(ready: dict[str, Any], tasks: "Sequence[Task]", played: "Sequence[Played]", answer: dict[str, Any]) -> str:
    tools = {one["id"]: one["tools"] for one in ready["environments"]}
    rows: list[Sequence[object]] = []
    for environment in sorted({task.public.environment for task in tasks}):
        mine = [one for one in played if one.environment == environment]
        for kind in sorted({one.kind for one in mine}):
            of = [one for one in mine if one.kind == kind]
            means = [_mean([one.reward for one in of if one.agent == agent]) for agent in ("oracle", "noop")]
            rows.append((environment, tools.get(environment, 0), kind, len(of) // 2, *means, sum(one.verdict == "INVALID" for one in of)))
    head = ("environment", "tools", "kind", "tasks", "oracle", "noop", "invalid")
    means = [answer["agents"][agent]["mean_reward"] for agent in ("oracle", "noop")]
    counts = f"{answer['environments']} environments, {answer['tools']} tools, {answer['tasks']} tasks"
    return f"{table(head, rows)}\n\n{counts}; mean reward oracle {means[0]:.3f}, noop {means[1]:.3f}; {answer['invalid']} invalid"


def _mean(rewards: Sequence[float]) -> float:
    return round(sum(rewards) / len(rewards), 3) if rewards else 0.0
