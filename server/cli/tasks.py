"""`envfarm tasks`: what the task packs of the home hold; for graders, read from disk, no farm needed."""

import json as jsonlib
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any, cast, get_args

import typer

from server.cli.answer import JsonFlag, note, show, table
from server.cli.task_text import source_place
from server.cli.tasks_show import show_task

if TYPE_CHECKING:
    from pathlib import Path

    from registry.home import Home
    from registry.package.pack import TaskKind
    from registry.packs.reading import Task
    from server.config import Settings
    from synth.model import Model
    from synth.packs import Made, Order
    from synth.tasks.pack import Split

tasks = typer.Typer(add_completion=False, rich_markup_mode=None, no_args_is_help=True)
INSTRUCTION_WIDTH = 90
VALUE_WIDTH = 48
MOST_LEVEL = 5


@tasks.callback()
def _family() -> None:
    """Tasks of the packs in the home. For graders: never run these where an agent can read along."""


@tasks.command("list")
def list_tasks(
    environment: str = typer.Argument("", help="Id of an environment; all by default."),
    kind: str = typer.Option("", "--kind", help="do, do-if-else, answer, decline, repair, bulk or multi-turn."),
    level: int | None = typer.Option(None, "--level", min=1, max=5, help="1 (easy) to 5."),
    split: str = typer.Option("", "--split", help="train, val or test."),
    json: bool = JsonFlag,
) -> None:
    """Every task, with its kind, level, split and instruction.

    Example: envfarm tasks list vet_clinic --kind decline
    """
    from server.building import builder
    from server.sidecar.shapes import TaskLine

    home = _home()
    found = [TaskLine.of(one) for one in _read(home, environment, kind, level, split)]
    rows = [(one.task, one.kind, one.level, one.split, _short(one.instruction, INSTRUCTION_WIDTH)) for one in found]
    others = f"Process {process} is making more." if (process := builder(home)) else "Run `envfarm build`, or `envfarm tasks make` to make others."
    text = table(("task", "kind", "level", "split", "instruction"), rows) if rows else f"No task fits in {home.packs}. {others}"
    shown = ("task", "environment", "kind", "level", "pack", "split", "instruction")
    show({"tasks": [{name: getattr(one, name) for name in shown} for one in found]}, json=json, text=text)


tasks.command("show")(show_task)


@tasks.command("sources")
def list_sources(environment: str = typer.Argument("", help="Id of an environment; all by default."), json: bool = JsonFlag) -> None:
    """Every argument of every gold call, and where an agent can know it from.

    Example: envfarm tasks sources vet_clinic
    """
    lines = [line for one in _read(_home(), environment) for line in source_lines(one)]
    head = ("task", "call", "tool", "argument", "value", "source", "text")
    rows = [tuple(_short(str(line[name]), VALUE_WIDTH) if name in ("value", "text") else line[name] for name in head) for line in lines]
    missing = sum(line["source"] == "" for line in lines)
    text = f"{table(head, rows)}\n\n{len(lines)} arguments, {missing} without a source"
    show({"arguments": lines, "without_source": missing}, json=json, text=text)
    if missing:
        raise typer.Exit(1)


@tasks.command("make")
def make_tasks(
    environment: str = typer.Argument(..., help="Id of a built environment."),
    count: int = typer.Option(40, "--count", min=2, max=100_000, help="How many tasks; twins count as two."),
    level: str = typer.Option("1-5", "--level", help="One level or a range: 3, 2-4."),
    kind: list[str] = typer.Option([], "--kind", help="A kind of task; may be repeated. All kinds by default."),
    seed: int = typer.Option(0, "--seed", min=0, max=99_999, help="Another seed gives other worlds and tasks."),
    split: str = typer.Option("train", "--split", help="train, val or test: no world of one is a world of another."),
    model: str = typer.Option("", "--model", help="A model at ENVFARM_MODEL_URL puts messages into other words, kept if no fact is lost."),
    json: bool = JsonFlag,
) -> None:
    """Make a pack of new tasks on worlds of their own; the same options give the same bytes.

    Of two twins the first is of a kind and level asked for; the other has whatever it measures (the twin of a decline is a do).

    Example: envfarm tasks make vet_clinic --count 100 --level 2-4 --split train
    """
    from registry.home import find_home
    from server.config import read_settings
    from synth.packs import make_pack

    settings = read_settings()
    home = find_home(settings.home)
    order = replace(_order(count, level, kind, seed, split), model=_model(settings, model))
    made = make_pack(_folder_of(home.environments, environment), home.packs, order, note)
    told = {**asdict(made), "folder": str(made.folder), "tasks_per_cpu_second": {"all": _rate(made), **made.tasks_per_cpu_second}}
    told["seconds"] = round(made.seconds, 2)
    show(told, json=json, text=made_text(told))
    if made.tasks < count // 2 * 2 or made.contamination["worlds"] or made.contamination["instructions"]:
        note(f"{made.tasks} of {count} tasks were made. Ask for other kinds or levels, or for another seed.")
        raise typer.Exit(1)


def _rate(made: "Made") -> float:
    return round(made.tasks / max(made.seconds, 0.001), 2)


def made_text(told: Mapping[str, Any]) -> str:
    """The report of a pack for people: a line for each figure, and one for each reason why tools are unused."""
    rows = []
    for name, value in told.items():
        values = _by_reason(value) if name == "unused_tools" else [shown_value(value)]
        rows += [(name if number == 0 else "", one) for number, one in enumerate(values)]
    return table(("", ""), rows)


def _by_reason(unused: Mapping[str, str]) -> list[str]:
    tools: dict[str, list[str]] = {}
    for tool, reason in unused.items():
        tools.setdefault(reason, []).append(tool)
    return [f"{len(names)}, {reason}: {', '.join(names)}" for reason, names in tools.items()] or ["none"]


def shown_value(value: object) -> str:
    """A value of the report in one line."""
    if isinstance(value, dict):
        return ", ".join(f"{name} {number}" for name, number in value.items()) or "none"
    return ", ".join(map(str, value)) or "none" if isinstance(value, tuple | list) else str(value)


def _order(count: int, level: str, kinds: Sequence[str], seed: int, split: str) -> "Order":
    from registry.package.pack import TaskKind
    from synth.packs import Order
    from synth.tasks.pack import Split

    first, _, last = level.partition("-")
    bounds = (first, last or first)
    if not all(one.isdigit() and 1 <= int(one) <= MOST_LEVEL for one in bounds) or int(bounds[0]) > int(bounds[1]):
        raise typer.BadParameter(f"--level: expected a level from 1 to 5 or a range such as 2-4, got {level[:20]!r}.")
    for one in kinds:
        if one not in get_args(TaskKind):
            raise typer.BadParameter(f"--kind: expected one of {', '.join(get_args(TaskKind))}, got {one[:40]!r}.")
    if split not in get_args(Split):
        raise typer.BadParameter(f"--split: expected train, val or test, got {split[:20]!r}.")
    levels = frozenset(range(int(bounds[0]), int(bounds[1]) + 1))
    return Order(
        count=count, seed=seed, split=cast("Split", split), kinds=cast("tuple[TaskKind, ...]", tuple(dict.fromkeys(kinds))) or None, levels=levels
    )


def _model(settings: "Settings", name: str) -> "Model | None":
    if not name:
        return None
    from synth.model import Model

    if not settings.model_url:
        raise typer.BadParameter("--model: expected ENVFARM_MODEL_URL to name an endpoint, got nothing. Set it, as in http://127.0.0.1:11434/v1.")
    return Model(url=settings.model_url, name=name, key=settings.model_key)


def _folder_of(environments: "Path", environment: str) -> "Path":
    from registry.errors import EnvNotFound

    known = {path.parent.name for path in environments.glob("[!.]*/env.toml")}
    if environment not in known:
        raise EnvNotFound(environment, known, environments)
    return environments / environment


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
            lines.append({**line, "source": source_place(source.model_dump()), "text": source.text or source.path})
    return lines


def _home() -> "Home":
    from registry.home import find_home
    from server.config import read_settings

    return find_home(read_settings().home)


def _read(home: "Home", environment: str, kind: str = "", level: int | None = None, split: str = "") -> "tuple[Task, ...]":
    """The tasks that fit, ordered by environment, pack and id."""
    from registry.packs.narrowing import NameUnknown, Narrowing
    from server.building import absent
    from server.errors import UserError, WrongUsage
    from server.sidecar.packs import Packs

    every = Packs(home.packs).tasks()
    if environment and environment not in {one.environment for one in every}:
        _folder_of(home.environments, environment)
        raise UserError(f"{environment}: {absent('a task pack', home.packs, home)}")
    try:
        return Narrowing(environment=environment, kind=kind, level=level, split=split).of(every)
    except NameUnknown as error:
        raise WrongUsage(str(error)) from error


def _short(text: str, width: int) -> str:
    line = " ".join(text.split())
    return line if len(line) <= width else line[: width - 1] + "…"
