"""`envfarm mine`: domains from a set of tasks."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from server.cli.answer import JsonFlag, note, show, table
from server.cli.model_access import BudgetOption, CassetteOption, ModelOption, RecordOption, TimeoutOption, UrlOption

if TYPE_CHECKING:
    from registry.home import Home
    from server.cli.model_access import Asked
    from synth.author.authoring import Authored
    from synth.mine.mining import Found, Mined


@dataclass(frozen=True, slots=True, kw_only=True)
class Written:
    """A domain of the tasks with what a model made of it."""

    found: "Found"
    authored: "Authored | None" = None


def mine(
    tasks: Path = typer.Argument(help="File with a task a line: JSON objects with `task`, JSON texts, or plain texts."),
    domains: int = typer.Option(3, "--domains", min=1, max=40, help="Most domains that the model writes, the largest first."),
    smallest: int = typer.Option(4, "--smallest", min=2, help="Tasks that a domain has at least."),
    tools: int = typer.Option(25, "--tools", min=2, max=36, help="About how many tools each seed is to have."),
    attempts: int = typer.Option(4, "--attempts", min=1, max=20, help="Seeds that are looked at for each domain."),
    allow: list[str] = typer.Option([], "--allow", help="Public domain that is wanted all the same: retail, airline, telecom.", show_default=False),
    embeddings: bool = typer.Option(True, "--embeddings/--no-embeddings", help="Use sentence-transformers where it is installed."),
    model: str = ModelOption,
    url: str = UrlOption,
    budget: int = BudgetOption,
    timeout: float = TimeoutOption,
    cassette: Path = CassetteOption,
    record: bool = RecordOption,
    json: bool = JsonFlag,
) -> None:
    """Find the domains of a set of tasks: those that live in records are kept, put together and named; no model is needed.

    For each domain it says which environment that is there can express most of the tasks, and which they are. With --model or --cassette a model
    writes a seed for each domain, within the budget for each; what passes the gate is registered.

    Example: envfarm mine tasks.jsonl
    """
    from registry.home import find_home
    from server.cli.model_access import known_domains
    from server.config import read_settings
    from synth.mine.mining import mine as sort_out
    from synth.mine.tasks import read_tasks
    from synth.mine.vectors import installed

    settings = read_settings()
    home = find_home(settings.home)
    known = known_domains(home.environments)
    mined = sort_out(read_tasks(tasks), known, smallest=smallest, embed=installed() if embeddings else None)
    done = [Written(found=one) for one in mined.domains]
    if model or cassette is not None:
        from server.cli.model_access import model_for

        # One budget for each domain, but one cassette for all.
        asked = model_for(settings, model=model, url=url, budget=budget * min(domains, len(done)), cassette=cassette, record=record, timeout=timeout)
        work = _Work(home=home, asked=asked, tools=tools, attempts=attempts, allowed=frozenset(allow), budget=budget)
        done = [_written(one, work) if number < domains else one for number, one in enumerate(done)]
    show(_record(mined, done), json=json, text=_text(mined, done))
    failed = [one.authored for one in done if one.authored is not None and one.authored.status != "registered"]
    for one in failed:
        for reason in one.reasons:
            note(f"{one.id}: {reason}")
    if failed or not done:
        raise typer.Exit(1)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Work:
    home: "Home"
    asked: "Asked"
    tools: int
    attempts: int
    allowed: frozenset[str]
    budget: int


def _written(one: Written, work: _Work) -> Written:
    """The domain with a seed that a model wrote for its tasks."""
    from server.cli.model_access import known_domains
    from synth.author.authoring import Order, Places, author
    from synth.errors import SynthError
    from synth.mine.mining import held
    from synth.model.ledger import record as enter
    from synth.model.meter import Meter
    from synth.seed.read import read_seed

    home = work.home
    # The same endpoint or cassette, with tokens of its own.
    meter = Meter(work.asked.meter.inner, budget=work.budget, price=work.asked.meter.price)
    order = Order(
        about=one.found.name,
        model=work.asked.model,
        tools=work.tools,
        attempts=work.attempts,
        tasks=tuple(task.text for task in one.found.tasks),
        known=known_domains(home.environments),
        allowed=work.allowed,
    )
    places = Places(environments=home.environments, quarantine=home.quarantine, authored=home.authored)
    try:
        done = author(order, meter, places)
    except SynthError as error:
        note(f"{one.found.name}: {error}")
        return one
    enter(home.ledger, meter, work="mine", about=one.found.name, model=work.asked.model, outcome=done.status)
    if done.status != "registered" or done.folder is None:
        return Written(found=one.found, authored=done)
    return Written(found=held(one.found, read_seed(done.folder / "seed.yaml")), authored=done)


def _record(mined: "Mined", done: list[Written]) -> dict[str, Any]:
    rows = []
    for one in done:
        row: dict[str, Any] = {"name": one.found.name, "tasks": [task.line for task in one.found.tasks], "environment": one.found.nearest}
        row |= {"expressible": round(one.found.expressible, 4), "expressible_tasks": list(one.found.lines)}
        if one.authored is not None:
            row |= {"status": one.authored.status, "id": one.authored.id, "tokens": one.authored.tokens, "reasons": list(one.authored.reasons)}
        rows.append(row)
    return {"domains": rows, "stateless": [one.line for one in mined.stateless], "alone": [one.line for one in mined.alone]}


def _text(mined: "Mined", done: list[Written]) -> str:
    head = ("domain", "tasks", "environment", "expressible", "written")
    rows = [
        (
            one.found.name,
            len(one.found.tasks),
            one.found.nearest or "none",
            f"{one.found.expressible:.0%}",
            one.authored.status if one.authored is not None else "no",
        )
        for one in done
    ]
    return table(head, rows) + f"\n\n{len(mined.stateless)} tasks need no records, {len(mined.alone)} belong to no domain."
