"""`envfarm trial`: two language models try an environment out."""

from pathlib import Path

import typer

from server.cli.answer import JsonFlag, note, show, table
from server.cli.model_access import CassetteOption, ModelOption, RecordOption, TimeoutOption, UrlOption


def trial(
    environment: str = typer.Argument(help="Id of a built environment."),
    rounds: int = typer.Option(100, "--rounds", min=1, max=10_000, help="Calls in all."),
    threshold: float = typer.Option(0.9, "--threshold", min=0, max=1, help="Share of right calls below which the exit code is 1."),
    model: str = ModelOption,
    url: str = UrlOption,
    budget: int = typer.Option(200_000, "--budget", min=1_000, help="Tokens, read and written, after which it stops."),
    timeout: float = TimeoutOption,
    cassette: Path = CassetteOption,
    record: bool = RecordOption,
    json: bool = JsonFlag,
) -> None:
    """Have one language model call the tools as people would, and another judge each call, on top of the gate of `build`.

    The checker sees description, source, outcome and the rows that changed. The rate is that of right calls among all that were made; a call that
    the checker says nothing of is not right. It is written to trials/ of the home.

    Example: envfarm trial vet_clinic --rounds 20 --model qwen3
    """
    from registry.errors import EnvNotFound
    from registry.home import find_home
    from server.cli.model_access import model_access
    from server.config import read_settings
    from synth import disk
    from synth.author.trial import kept, try_out

    home = find_home(read_settings().home)
    known = {path.parent.name for path in home.environments.glob("[!.]*/env.toml")}
    if environment not in known:
        raise EnvNotFound(environment, known, home.environments)
    access = model_access(model=model, url=url, budget=budget, cassette=cassette, record=record, timeout=timeout)
    with access.work("trial", environment) as asked:
        done = try_out(home.environments / environment, asked.model, asked.meter, rounds=rounds)
        passed = done.passed(threshold)
        asked.outcome = done.ended or ("passed" if passed else "below")
    value = done.told(model=asked.model, threshold=threshold)
    disk.write_folder(kept(value), home.trials / environment)
    if done.stopped:
        note(done.stopped)
    rows = [(one.tool, one.outcome, "wrong" if one.right is False else "not judged", one.why) for one in done.wrong]
    line = f"{done.rate:.0%} of {len(done.calls)} calls are right, {threshold:.0%} wanted"
    show(value, json=json, text=(table(("tool", "outcome", "", "why"), rows) + "\n\n" if rows else "") + line)
    if not passed:
        raise typer.Exit(1)
