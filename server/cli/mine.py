"""`envfarm mine`: domains from a set of tasks."""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from server.cli.answer import JsonFlag, note, show, table
from server.cli.model_access import BudgetOption, CassetteOption, ModelOption, RecordOption, TimeoutOption, UrlOption

if TYPE_CHECKING:
    from server.cli.model_access import Access
    from synth.author.authoring import Authored
    from synth.mine.mining import Found, Mined


SHOWN = 80
"""Letters of a task."""


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

    For each domain it says which environment that is there can express most of the tasks, what share, which they are, and why the others are not.
    With --model or --cassette a model writes a seed for each domain, within the budget for each; what passes the gate is registered, and the share
    is that of the new environment.

    Example: envfarm mine tasks.jsonl
    """
    from registry.home import find_home
    from server.cli.model_access import known_domains, model_access
    from server.config import read_settings
    from synth.mine.mining import mine as sort_out
    from synth.mine.tasks import read_tasks
    from synth.mine.vectors import installed

    known = known_domains(find_home(read_settings().home).environments)
    embed = installed() if embeddings else None
    mined = sort_out(read_tasks(tasks), known, smallest=smallest, embed=embed)
    done = [Written(found=one) for one in mined.domains]
    if model or cassette is not None:
        access = model_access(model=model, url=url, budget=budget, cassette=cassette, record=record, timeout=timeout)
        work = _Work(access=access, tools=tools, attempts=attempts, allowed=frozenset(allow))
        done = [_written(one, work) if number < domains else one for number, one in enumerate(done)]
        mined = replace(mined, domains=tuple(one.found for one in done))
    value = {**_record(mined, done), "grouped_by": "words" if embed is None else "embedding"}
    show(value, json=json, text=_text(mined, done))
    failed = [one.authored for one in done if one.authored is not None and one.authored.status != "registered"]
    for one in failed:
        for reason in one.reasons:
            note(f"{one.id}: {reason}")
    if failed or not done:
        raise typer.Exit(1)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Work:
    access: "Access"
    tools: int
    attempts: int
    allowed: frozenset[str]


def _written(one: Written, work: _Work) -> Written:
    """The domain with a seed that a model wrote for its tasks."""
    from server.cli.model_access import author_places, known_domains
    from synth.author.authoring import Order, author
    from synth.errors import SynthError
    from synth.mine.mining import held
    from synth.seed.read import read_seed

    home = work.access.home
    order = Order(
        about=one.found.name,
        model=work.access.model,
        tools=work.tools,
        attempts=work.attempts,
        tasks=tuple(task.text for task in one.found.tasks),
        known=known_domains(home.environments),
        allowed=work.allowed,
    )
    with work.access.work("mine", one.found.name) as asked:
        try:
            done = author(order, asked.meter, author_places(home))
        except SynthError as error:
            # The name itself is refused, before anything is asked.
            note(f"{one.found.name}: {error}")
            return one
        asked.outcome = done.status
    if done.status != "registered" or done.folder is None:
        return Written(found=one.found, authored=done)
    return Written(found=held(one.found, read_seed(done.folder / "seed.yaml")), authored=done)


def _record(mined: "Mined", done: list[Written]) -> dict[str, Any]:
    rows = []
    for one in done:
        row: dict[str, Any] = {"name": one.found.name, "tasks": [task.line for task in one.found.tasks], "environment": one.found.nearest}
        row |= {"expressible": round(one.found.expressible, 4), "expressible_tasks": list(one.found.lines)}
        row["inexpressible_tasks"] = [{"line": fit.task.line, "why": fit.why} for fit in one.found.fits if fit.why]
        if one.authored is not None:
            row |= {"status": one.authored.status, "id": one.authored.id, "tokens": one.authored.tokens, "reasons": list(one.authored.reasons)}
        rows.append(row)
    left = {"stateless": [one.line for one in mined.stateless], "alone": [one.line for one in mined.alone]}
    return {"domains": rows, "expressible": round(mined.expressible, 4), **left}


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
    fits = [
        (fit.task.line, one.found.name, fit.tool if not fit.why else f"no: {fit.why}", _short(fit.task.text))
        for one in done
        for fit in one.found.fits
    ]
    last = (
        f"{mined.expressible:.0%} of the tasks that live in records can be expressed. {len(mined.stateless)} tasks need no records, "
        f"{len(mined.alone)} belong to no domain."
    )
    return "\n\n".join([table(head, rows), *([table(("line", "domain", "expressible", "task"), fits)] if fits else []), last])


def _short(text: str) -> str:
    return text if len(text) <= SHOWN else f"{text[: SHOWN - 1]}…"
