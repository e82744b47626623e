"""`envfarm author`: a new domain, written by a language model."""

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, cast, get_args

import typer

from server.cli.answer import JsonFlag, note, show, table
from server.cli.model_access import BudgetOption, CassetteOption, ModelOption, RecordOption, TimeoutOption, UrlOption

if TYPE_CHECKING:
    from synth.author.authoring import Authored
    from synth.author.cost import Estimate

Structured = Literal["auto", "seed", "never"]


def author(
    keyword: str = typer.Argument(help="What the domain is, in a few words."),
    tools: int = typer.Option(25, "--tools", min=2, max=36, help="About how many tools it is to have."),
    attempts: int = typer.Option(4, "--attempts", min=1, max=20, help="Seeds that are looked at, repaired ones counted."),
    tasks: int = typer.Option(40, "--tasks", min=0, max=10_000, help="Tasks in its pack; 0 makes none."),
    allow: list[str] = typer.Option([], "--allow", help="Public domain that is wanted all the same: retail, airline, telecom.", show_default=False),
    structured: str = typer.Option("auto", "--structured", help="Where the endpoint is to keep to a schema: auto (plans), seed (seeds too), never."),
    trial: int = typer.Option(0, "--trial", min=0, max=10_000, help="Calls that two models make and judge before it is registered; 0 for none."),
    threshold: float = typer.Option(0.9, "--threshold", min=0, max=1, help="Share of right calls that --trial wants."),
    estimate: bool = typer.Option(False, "--estimate", help="Say what it will cost in tokens, and ask nobody."),
    model: str = ModelOption,
    url: str = UrlOption,
    budget: int = BudgetOption,
    timeout: float = TimeoutOption,
    cassette: Path = CassetteOption,
    record: bool = RecordOption,
    json: bool = JsonFlag,
) -> None:
    """Have a language model write a new domain; what passes the gate is registered as by `build`.

    The model writes a plan and a seed, nothing else; each problem goes back to it with its place and advice. What does not pass is in quarantine
    with its log. With --trial, two models try it out as `envfarm trial` does, before it is registered and within the same budget; calls that are
    not right go back in the same way. Exit code 0 when an environment is registered, 1 when none is.

    Example: envfarm author "allotment gardens of a city" --tools 20 --model qwen3 --url http://127.0.0.1:11434/v1
    """
    from registry.home import find_home
    from server.cli.model_access import author_places, known_domains, model_access
    from server.config import read_settings
    from synth.author.authoring import Order
    from synth.author.authoring import author as write

    if structured not in get_args(Structured):
        raise typer.BadParameter(f"--structured: expected one of {', '.join(get_args(Structured))}, got {structured[:40]!r}.")
    kept_to = cast("Structured", structured)
    if estimate:
        from synth.author.cost import estimate as estimated

        found = estimated(keyword, tools, known_domains(find_home(read_settings().home).environments), structured=kept_to)
        show({**asdict(found), "whole": found.whole, "budget": budget}, json=json, text=_estimate(found, budget))
        raise typer.Exit(1 if found.whole > budget else 0)
    access = model_access(model=model, url=url, budget=budget, cassette=cassette, record=record, timeout=timeout)
    order = Order(
        about=keyword,
        model=access.model,
        tools=tools,
        attempts=attempts,
        structured=kept_to,
        known=known_domains(access.home.environments),
        allowed=frozenset(allow),
        trial=trial,
        threshold=threshold,
    )
    with access.work("author", keyword) as asked:
        done = write(order, asked.meter, author_places(access.home))
        asked.outcome = done.status
    packed = _pack(access.home, done.id, tasks) if done.status == "registered" else 0
    show(_record(done, packed), json=json, text=_text(done, packed))
    if done.status != "registered":
        for reason in done.reasons:
            note(reason)
        raise typer.Exit(1)


def _estimate(found: "Estimate", budget: int) -> str:
    rows = [(one.name, one.tokens) for one in found.parts]
    return table(("part", "tokens"), [*rows, ("together", found.whole), ("--budget", budget)])


def _pack(home: Any, name: str, count: int) -> int:
    from synth.packs import build_packs

    return sum(one.tasks for one in build_packs(home.environments, home.packs, only=frozenset({name}), count=count)) if count else 0


def _record(done: "Authored", packed: int) -> dict[str, Any]:
    return {**asdict(done), "folder": str(done.folder), "reasons": list(done.reasons), "repaired": list(done.repaired), "tasks": packed}


def _text(done: "Authored", packed: int) -> str:
    head = ("environment", "", "tools", "rows", "tasks", "attempts", "tokens", "most like", "right", "folder")
    like = f"{done.near.alike:.2f} {done.near.id}" if done.near.id else "none"
    right = "no trial" if done.rate is None else f"{done.rate:.0%}"
    return table(head, [(done.id, done.status, done.tools, done.rows, packed, done.attempts, done.tokens, like, right, str(done.folder))])
