"""`envfarm tasks show`: everything that a grader wants to know of one task, read from disk."""

import re
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import typer

from server.cli.answer import JsonFlag, show

if TYPE_CHECKING:
    from collections.abc import Mapping

    from registry.home import Home
    from registry.package.change import Stored
    from registry.packs.reading import Task


RULE = re.compile(r"^- `([A-Z0-9_]+)`: ((?:.|\n(?=  ))*)", re.MULTILINE)
"""A rule of the policy, which may go on in further lines."""


def show_task(
    task: str = typer.Argument(..., help="Id of a task; see `envfarm tasks list`."),
    json: bool = JsonFlag,
) -> None:
    """One task with its gold: level and why, start state, what the user tells, calls and their sources, what is accepted, proofs.

    Values of rows are shown as tools show them; JSON keeps them as they are stored, and says in `columns` which those are.

    Example: envfarm tasks show vet_clinic-3f9a01c2
    """
    from registry.home import find_home
    from server.cli.task_text import task_text
    from server.config import read_settings

    told = whole_task(find_home(read_settings().home), task)
    show(told, json=json, text=task_text(told))


def whole_task(home: "Home", name: str) -> dict[str, Any]:
    """All that the home has about a task, values as they are stored.

    Raises:
        TaskNotFound: No pack has it.
        RegistryError: Its environment is not built.
        PackageError: A pack or the environment cannot be used.
    """
    from registry.catalogue import Catalogue
    from registry.dispatch.harness import ASK
    from registry.package.stored_form import columns_of
    from server.cli.task_level import measured
    from server.sidecar.packs import Packs

    packs = Packs(home.packs)
    task = packs.task(name)
    environment = Catalogue(home.environments).load(task.environment)
    reading = {ASK, *(one.name for one in environment.meta.tools if one.read_only)}
    level = measured(task.gold, reading)
    public, gold = task.public, task.gold.model_dump(mode="json", by_alias=True)
    patch = _patch(task, {(table, str(values["id"])): values for table, values in packs.world(task)})
    tables = {one["table"] for one in patch} | {change.table for one in task.gold.accepted for change in one.changes}
    tables |= {one["table"] for one in gold["proofs"].get("goal", ())}
    points = [{"points": one.points, "for": one.why} for one in level.points]
    return {
        "task": name,
        "environment": task.environment,
        "environment_digest": task.environment_digest,
        "built_digest": environment.digest,
        "pack": task.pack,
        "split": task.split,
        "kind": task.kind,
        "level": task.level,
        "level_from": {**asdict(level.work), "points": points},
        "twin": gold["twin"],
        "style": gold["style"],
        "user": gold["user"],
        "call_limit": public.call_limit,
        "multi_turn": public.multi_turn,
        "instruction": public.instruction,
        "held_back": [one.model_dump(mode="json") for one in public.held_back],
        "world": public.world,
        "patch": patch,
        "tools": gold["tools"],
        "calls": [{**one, "reads": one["tool"] in reading} for one in gold["calls"]],
        "outcome": gold["outcome"],
        "accepted": gold["accepted"],
        "facts": gold["facts"],
        "answer": gold["answer"],
        "declined": gold["declined"],
        "rules": _rules(environment.policy, task),
        "proofs": gold["proofs"],
        "columns": columns_of(environment.meta.tables, tables),
    }


def _patch(task: "Task", world: "Mapping[tuple[str, str], Mapping[str, Stored]]") -> list[dict[str, Any]]:
    """The rows that differ from the world's; `was` and `is` are null where there is no such row."""
    return [{"table": table, "key": key, "was": world.get((table, key)), "is": values} for table, key, values in task.public.patch]


def _rules(policy: str, task: "Task") -> dict[str, str]:
    """What the policy says, in the section of the tool that was asked for, of each code that a decline may cite; those of any tool are left out."""
    if task.gold.declined is None:
        return {}
    section = policy.partition(f"\n### {task.gold.declined.tool}\n")[2].partition("\n### ")[0]
    told = dict(RULE.findall(section))
    return {one.code: " ".join(told[one.code].split()) for one in task.gold.declined.reasons if one.code in told}
