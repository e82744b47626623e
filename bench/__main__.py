"""`python -m bench [--quick] [--only NAME]`: measures, prints a table, writes bench/out/latest.json."""

import argparse
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

from bench.batches import batch_figures
from bench.building import build_figures, built_home
from bench.catalogue import catalogue_figures
from bench.episodes import episode_figures
from bench.figures import Figure, keep, show
from bench.local import local_figures
from bench.seeds import seed_figures
from bench.starts import start_figures
from bench.wire import Rounds, wire_figures
from bench.workers import worker_figures


def sections(home: Path, scratch: Path, *, quick: bool) -> dict[str, Callable[[], Iterator[Figure]]]:
    """What is measured, by name."""
    return {
        "wire": lambda: wire_figures(home, scratch, Rounds(rounds=3, calls=240) if quick else Rounds(rounds=7, calls=2400)),
        "local": lambda: local_figures(home, 3 if quick else 7, 300 if quick else 2000),
        "episodes": lambda: episode_figures(home, scratch, 500 if quick else 10_000),
        "batches": lambda: batch_figures(home, scratch, 100 if quick else 1000),
        "catalogue": lambda: catalogue_figures(home, scratch, 100 if quick else 1000),
        "workers": lambda: worker_figures(home, scratch, 800 if quick else 20_000),
        "start": lambda: start_figures(home, 3 if quick else 7),
        "build": lambda: build_figures(home, scratch, quick=quick),
        "seeds": seed_figures,
    }


def main() -> None:
    """Runs the sections that were asked for; all of them are kept for the next comparison."""
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="few rounds, under a minute: shows that it works, not how fast it is")
    parser.add_argument(
        "--only",
        action="append",
        choices=["wire", "local", "episodes", "batches", "catalogue", "workers", "start", "build", "seeds"],
        help="sections, all by default",
    )
    chosen = parser.parse_args()
    figures: list[Figure] = []
    with tempfile.TemporaryDirectory(prefix="envfarm-bench-") as folder:
        home = built_home(Path(folder) / "home")
        for name, run in sections(home, Path(folder), quick=chosen.quick).items():
            if chosen.only is None or name in chosen.only:
                print(f"bench: {name}", file=sys.stderr, flush=True)
                figures.extend(run())
    show(figures)
    keep(figures)


if __name__ == "__main__":
    main()
