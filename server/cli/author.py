"""`envfarm author`: a new domain, written by a language model."""

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, cast, get_args

import typer

from server.cli.answer import JsonFlag, note, show, table
from server.cli.model_access import BudgetOption, CassetteOption, ModelOption, RecordOption, TimeoutOption, UrlOption

if TYPE_CHECKING:
    from synth.author.authoring import Authored

Structured = Literal["auto", "seed", "never"]


def author(
    keyword: str = typer.Argument(help="What the domain is, in a few words."),
    tools: int = typer.Option(25, "--tools", min=2, max=36, help="About how many tools it is to have."),
    attempts: int = typer.Option(4, "--attempts", min=1, max=20, help="Seeds that are looked at, repaired ones counted."),
    tasks: int = typer.Option(40, "--tasks", min=0, max=10_000, help="Tasks in its pack; 0 makes none."),
    allow: list[str] = typer.Option([], "--allow", help="Public domain that is wanted all the same: retail, airline, telecom.", show_default=False),
    structured: str = typer.Option("auto", "--structured", help="Where the endpoint is to keep to a schema: auto (plans), seed (seeds too), never."),
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
    with its log. Exit code 0 when an environment is registered, 1 when none is.

    Example: envfarm author "allotment gardens of a city" --tools 20 --model qwen3 --url http://127.0.0.1:11434/v1
    """
    from registry.home import find_home
    from server.cli.model_access import known_domains, model_for
    from server.config import read_settings
    from synth.author.authoring import Order, Places
    from synth.author.authoring import author as write
    from synth.model.ledger import record as enter

    if structured not in get_args(Structured):
        raise typer.BadParameter(f"--structured: expected one of {', '.join(get_args(Structured))}, got {structured[:40]!r}.")
    settings = read_settings()
    home = find_home(settings.home)
    asked = model_for(settings, model=model, url=url, budget=budget, cassette=cassette, record=record, timeout=timeout)
    order = Order(
        about=keyword,
        model=asked.model,
        tools=tools,
        attempts=attempts,
        structured=cast("Structured", structured),
        known=known_domains(home.environments),
        allowed=frozenset(allow),
    )
    done = None
    try:
        done = write(order, asked.meter, Places(environments=home.environments, quarantine=home.quarantine, authored=home.authored))
    finally:
        enter(home.ledger, asked.meter, work="author", about=keyword, model=asked.model, outcome=done.status if done else "interrupted")
    packed = _pack(home, done.id, tasks) if done.status == "registered" else 0
    show(_record(done, packed), json=json, text=_text(done, packed))
    if done.status != "registered":
        for reason in done.reasons:
            note(reason)
        raise typer.Exit(1)


def _pack(home: Any, name: str, count: int) -> int:
    from synth.packs import build_packs

    return sum(one.tasks for one in build_packs(home.environments, home.packs, only=frozenset({name}), count=count)) if count else 0


def _record(done: "Authored", packed: int) -> dict[str, Any]:
    return {**asdict(done), "folder": str(done.folder), "reasons": list(done.reasons), "repaired": list(done.repaired), "tasks": packed}


def _text(done: "Authored", packed: int) -> str:
    head = ("environment", "", "tools", "rows", "tasks", "attempts", "tokens", "folder")
    return table(head, [(done.id, done.status, done.tools, done.rows, packed, done.attempts, done.tokens, str(done.folder))])
