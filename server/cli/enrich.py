"""`envfarm enrich`: more of everything for a seed."""

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from server.cli.answer import JsonFlag, note, show, table
from server.cli.model_access import BudgetOption, CassetteOption, ModelOption, RecordOption, TimeoutOption, UrlOption

if TYPE_CHECKING:
    from synth.author.enriching import Addition


def enrich(
    seed: Path = typer.Argument(help="Seed file; it must pass the gate as it is."),
    out: Path = typer.Option(None, "--out", help="Where the richer seed goes; NAME.enriched.yaml beside it by default.", show_default=False),
    rounds: int = typer.Option(1, "--rounds", min=1, max=20, help="How often the model is asked for more."),
    model: str = ModelOption,
    url: str = UrlOption,
    budget: int = BudgetOption,
    timeout: float = TimeoutOption,
    cassette: Path = CassetteOption,
    record: bool = RecordOption,
    json: bool = JsonFlag,
) -> None:
    """Ask a language model for more phrases, policies, edge cases and realistic values of a seed.

    Each addition is tried alone, and kept only if the seed still passes the gate and lost nothing. Exit code 0 when something was kept.

    Example: envfarm enrich seeds/tool_library.yaml --rounds 2
    """
    from server.cli.lint import read_bytes
    from server.cli.model_access import model_access
    from synth import disk
    from synth.author.enriching import enrich as make_richer

    content = read_bytes(seed).decode("utf-8", "replace")
    target = out or seed.with_name(f"{seed.stem}.enriched.yaml")

    def told(addition: "Addition", richer: str) -> None:
        """Writes what is kept at once, so that an interruption loses nothing of it."""
        note(f"line {addition.first}: {addition.about or 'addition'}: {'kept' if not addition.reason else 'not kept'}")
        if not addition.reason:
            disk.write_text(target, richer)

    access = model_access(model=model, url=url, budget=budget, cassette=cassette, record=record, timeout=timeout)
    with access.work("enrich", seed.stem) as asked:
        done = make_richer(content, asked.model, asked.meter, access.home.authored / ".enriching", rounds=rounds, report=told)
        asked.outcome = "kept" if done.kept else "nothing"
    if done.stopped:
        note(done.stopped)
    rows = [(one.about or "addition", one.first, "kept" if not one.reason else one.reason) for one in done.additions]
    value = {"seed": str(target) if done.kept else "", "kept": done.kept, "tokens": done.tokens, "stopped": done.stopped}
    value |= {"additions": [{**asdict(one), "lines": list(one.lines)} for one in done.additions]}
    show(
        value,
        json=json,
        text=table(("addition", "line", ""), rows) + f"\n\n{done.kept} of {len(rows)} kept" + (f", in {target}" if done.kept else ""),
    )
    if not done.kept:
        raise typer.Exit(1)
