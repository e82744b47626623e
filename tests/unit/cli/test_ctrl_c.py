"""Ctrl-C ends a command with one line that says what is left and how to go on."""

import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from evals.running.manifest import Manifest
from server.cli.eval_resume import interrupted
from synth import disk
from tests.evaluation_folder import write_evaluation


@contextmanager
def begun(*arguments: str, **variables: str) -> Iterator["subprocess.Popen[str]"]:
    """A command that hears Ctrl-C, whatever this process does."""
    program = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler); from server.cli.main import main; main()"
    with subprocess.Popen(
        [sys.executable, "-c", program, *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={"PYTHONPATH": ".", **variables},
    ) as process:
        try:
            yield process
        finally:
            process.kill()


def test_a_build_tells_in_one_line_and_leaves_nothing_half_made(tmp_path: Path) -> None:
    seed, out = tmp_path / "seed.yaml", tmp_path / "out"
    os.mkfifo(seed)
    with begun("build", str(seed), "--out", str(out), ENVFARM_HOME=str(tmp_path / "home")) as process:
        with seed.open("w"):  # open as soon as the command reads it
            (out / ".making-seed-1").mkdir()
            process.send_signal(signal.SIGINT)
            told = process.communicate(timeout=60)
    assert (process.returncode, *told) == (130, "", "envfarm: stopped: what is built is kept; the same command goes on.\n")
    assert [path.name for path in out.iterdir()] == [".lock"]


def test_an_evaluation_that_has_not_begun_says_so(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"http://127.0.0.1:{silent.getsockname()[1]}"
        with begun("eval", "--agent", "noop", ENVFARM_HOME=str(tmp_path), ENVFARM_SIDECAR_URL=url) as process:
            with silent.accept()[0]:
                process.send_signal(signal.SIGINT)
                _, stderr = process.communicate(timeout=60)
    assert (process.returncode, stderr) == (130, "envfarm: stopped before the evaluation began; run the same command again.\n")


def test_an_evaluation_that_began_says_how_far_it_came_and_how_to_go_on(tmp_path: Path) -> None:
    folder = write_evaluation(tmp_path / "my runs", tasks=12)
    begun = Manifest(agent="noop", environments={}, packs={}, generator="0", envfarm="0", tasks=tuple("abcdef"), epochs=2)
    (folder / "manifest.json").write_text(begun.text())
    kept = folder / "attempts.jsonl"
    lines = [line for line in kept.read_text().splitlines(keepends=True) if '"try": 1' in line]
    once_more = [line for line in lines if '"MASKED"' in line or '"INVALID"' in line]
    kept.write_text("".join([*lines[:5], once_more[0]]))
    assert str(interrupted(folder)) == f"stopped at 5 of 12; go on with: envfarm eval --resume --out '{folder}'"


def test_a_folder_whose_making_is_cut_off_does_not_stay(tmp_path: Path) -> None:
    def cut_off() -> None:
        with disk.alone(tmp_path):
            disk.stage({"env.toml": b""}, tmp_path / "one")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        cut_off()
    assert [path.name for path in tmp_path.iterdir()] == [".lock"]
