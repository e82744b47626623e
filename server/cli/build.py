"""`envfarm build`: environments from seeds."""

import os
import sys
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from server.cli.answer import JsonFlag, note, show, table

if TYPE_CHECKING:
    from registry.home import Home
    from synth.build import Built, Progress
    from synth.packs import Packed


def build(
    seeds: list[Path] = typer.Argument(None, help="Seed files; those that come with envfarm if none is given.", show_default=False),
    out: Path = typer.Option(None, "--out", help="Folder of packages; environments/ of the home by default.", show_default=False),
    force: bool = typer.Option(False, "--force", help="Build what did not change too."),
    scale: int = typer.Option(None, "--scale", min=1, max=1_000_000, help="About how many rows the world has in all.", show_default=False),
    tasks: int = typer.Option(40, "--tasks", min=0, max=10_000, help="Tasks in the pack of each environment; 0 makes none."),
    json: bool = JsonFlag,
) -> None:
    """Build environments from seeds, and their task packs; what did not change is kept.

    Example: envfarm build seeds/vet_clinic.yaml
    """
    from registry.home import find_home
    from server.building import building
    from server.config import read_settings
    from synth import build as builder
    from synth.packs import build_pack

    home = find_home(read_settings().home)
    given = tuple(seeds or ()) or builder.shipped_seeds()
    for seed in given:
        if seed.is_dir() or not seed.exists():  # a pipe is as good as a file
            got = f"a folder, {seed}" if seed.is_dir() else f"{seed}, which is not there"
            raise typer.BadParameter(f"SEEDS: expected seed files, got {got}. Correct the path.")
    quarantine = home.quarantine if out is None else None
    whole = Stopwatch()
    packed: list[Packed] = []
    with building(home) if out is None else nullcontext(), _Shown() as shown:

        def report(progress: "Progress") -> None:
            shown.report(progress)
            if tasks and out is None and progress.built is not None and progress.built.status != "refused":
                built = progress.built
                packed.append(build_pack(built.folder, home.packs, count=tasks, force=force, domain=built.domain, waits=shown.waits))
                shown.packed(packed[-1])

        done = builder.build(given, out or home.environments, quarantine=quarantine, scale=scale, force=force, report=report)
    if len(done) > 1:
        note(f"in all: {whole.lap()}")
    rows = [(one.id, one.status, one.tools, one.rows, one.digest[:12], str(one.folder)) for one in done]
    packs = [{"id": one.id, "environment": one.environment, "folder": str(one.folder), "tasks": one.tasks, "made": one.made} for one in packed]
    answer = {"environments": [_record(one) for one in done], "packs": packs}
    show(answer, json=json, text=table(("environment", "", "tools", "rows", "digest", "folder"), rows))
    refused = [one for one in done if one.status == "refused"]
    for one in refused:
        for reason in one.reasons:
            note(reason)
    if refused:
        raise typer.Exit(1)


def _record(built: "Built") -> dict[str, Any]:
    return {
        "id": built.id,
        "status": built.status,
        "seed": built.seed,
        "folder": str(built.folder),
        "digest": built.digest,
        "tools": built.tools,
        "rows": built.rows,
        "reasons": list(built.reasons),
    }


class Stopwatch:
    """Time and processor time since the last lap, those of child processes too."""

    def __init__(self) -> None:
        self._last = os.times()
        self.beside = 0.0

    def lap(self, beside: float = 0.0) -> str:
        """Both since the last lap, in seconds; `beside` is the time so far of child processes that have not ended."""
        before, self._last = self._last, os.times()
        more, self.beside = beside - self.beside, beside
        return f"{self._last.elapsed - before.elapsed:.1f} s, {sum(self._last[:4]) - sum(before[:4]) + more:.1f} CPU-s"


class _Shown:
    """Progress on stderr: a bar on a terminal, else one line per environment."""

    def __init__(self) -> None:
        self._bar: Any = None
        self._task: Any = None
        self._watch = Stopwatch()

    def __enter__(self) -> "_Shown":
        if sys.stderr.isatty():
            from rich.console import Console
            from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn
            from rich.progress import Progress as Bar

            columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
            self._bar = Bar(*columns, console=Console(stderr=True), transient=True)
            self._bar.start()
        return self

    def __exit__(self, *error: object) -> None:
        if self._bar is not None:
            self._bar.stop()

    def report(self, progress: "Progress") -> None:
        """One step of the build."""
        if self._bar is not None:
            self._move(progress)
        if progress.waiting:
            self._say(f"[{progress.number}/{progress.total}] {Path(progress.seed).stem}: {progress.stage}")
        if progress.built is not None:
            taken = self._watch.lap(progress.beside)
            told = "" if progress.built.status == "unchanged" else f", {taken}"
            self._say(f"[{progress.number}/{progress.total}] {progress.built.id}: {progress.built.status}{told}")

    def waits(self, holder: str) -> None:
        """The pack in turn is being made by another process."""
        self._say(f"tasks: waiting for {holder}, which makes the same")

    def packed(self, packed: "Packed") -> None:
        """A pack is there."""
        taken = self._watch.lap(self._watch.beside)
        self._say(f"{packed.id}: {packed.tasks} tasks, " + (f"made, {taken}" if packed.made else "unchanged"))

    def _say(self, line: str) -> None:
        note(line) if self._bar is None else self._bar.console.print(line)

    def _move(self, progress: "Progress") -> None:
        if self._task is None:
            self._task = self._bar.add_task("", total=progress.total)
        done = progress.number if progress.built is not None else progress.number - 1
        stage = "tasks" if progress.built is not None else progress.stage
        self._bar.update(self._task, completed=done, description=f"{Path(progress.seed).stem}: {stage}")


def build_stale(home: "Home") -> "tuple[Built, ...]":
    """Builds the seeds that come with envfarm where their packages are missing or stale: what `up`, `demo` and the like do first."""
    from server.building import building
    from synth import build as builder

    with building(home), _Shown() as shown:
        return builder.build(builder.shipped_seeds(), home.environments, quarantine=home.quarantine, report=shown.report)
