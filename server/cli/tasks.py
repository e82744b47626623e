"""`envfarm tasks`: what the task packs of the home hold; for graders, read from disk, no farm needed."""

import json as jsonlib
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import typer

from server.cli.answer import JsonFlag, show, table

if TYPE_CHECKING:
    from registry.packs.reading import Task

tasks = typer.Typer(add_completion=False, rich_markup_mode=None, no_args_is_help=True)
INSTRUCTION_WIDTH = 90
VALUE_WIDTH = 48


@tasks.callback()
def _family() -> None:
    """Tasks of the packs in the home. For graders: never run these where an agent can read along."""


@tasks.command("list")
def list_tasks(
    environment: str = typer.Argument("", help="Id of an environment; all by default."),
    kind: str = typer.Option("", "--kind", help="do, do-if-else, answer, decline, repair, bulk or multi-turn."),
    level: int | None = typer.Option(None, "--level", min=1, max=5, help="1 (easy) to 5."),
    json: bool = JsonFlag,
) -> None:
    """Every task, with its kind, level and instruction.

    Example: envfarm tasks list vet_clinic --kind decline
    """
    found = [one for one in _read(environment) if kind in ("", one.gold.kind) and level in (None, one.gold.level)]
    lines = [
        {
            "task": one.public.task,
            "environment": one.public.environment,
            "kind": one.gold.kind,
            "level": one.gold.level,
            "pack": one.pack,
            "instruction": one.public.instruction,
        }
        for one in found
    ]
    rows = [(one["task"], one["kind"], one["level"], _short(str(one["instruction"]), INSTRUCTION_WIDTH)) for one in lines]
    text = table(("task", "kind", "level", "instruction"), rows) if rows else "No task fits. Run `envfarm build` to make tasks."
    show({"tasks": lines}, json=json, text=text)


@tasks.command("sources")
def list_sources(environment: str = typer.Argument("", help="Id of an environment; all by default."), json: bool = JsonFlag) -> None:
    """Every argument of every gold call, and where an agent can know it from.

    Example: envfarm tasks sources vet_clinic
    """
    lines = [line for one in _read(environment) for line in source_lines(one)]
    head = ("task", "call", "tool", "argument", "value", "source", "text")
    rows = [tuple(_short(str(line[name]), VALUE_WIDTH) if name in ("value", "text") else line[name] for name in head) for line in lines]
    missing = sum(line["source"] == "" for line in lines)
    text = f"{table(head, rows)}\n\n{len(lines)} arguments, {missing} without a source"
    show({"arguments": lines, "without_source": missing}, json=json, text=text)
    if missing:
        raise typer.Exit(1)


def source_lines(task: "Task") -> Sequence[dict[str, Any]]:
    """One line for each argument of the task's gold calls; `source` is empty where there is none."""
    lines = []
    for number, call in enumerate(task.gold.calls):
        for argument, value in call.arguments.items():
            source = call.sources.get(argument)
            shown = value if isinstance(value, str) else jsonlib.dumps(value, ensure_ascii=False)
            line = {"task": task.public.task, "call": number, "tool": call.tool, "argument": argument, "value": shown}
            if source is None:
                lines.append({**line, "source": "", "text": ""})
                continue
            place = {"span": f"instruction {source.start}-{source.end}", "result": f"result {source.call}"}.get(source.kind, source.kind)
            lines.append({**line, "source": place, "text": source.text or source.path})
    return lines


def _read(environment: str) -> "tuple[Task, ...]":
    from registry.errors import EnvNotFound
    from registry.home import find_home
    from server.config import read_settings
    from server.sidecar.packs import Packs

    every = Packs(find_home(read_settings().home).packs).tasks()
    known = {one.public.environment for one in every}
    if environment and environment not in known:
        raise EnvNotFound(environment, known)
    return tuple(one for one in every if environment in ("", one.public.environment))


def _short(text: str, width: int) -> str:
    line = " ".join(text.split())
    return line if len(line) <= width else line[: width - 1] + "…"
