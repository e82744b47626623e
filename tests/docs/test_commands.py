"""Commands that README.md and the pages of docs/ tell people to type."""

import re
import shlex
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path

import click
import pytest
import typer

from server.cli.group import app

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(Path(__file__).parent))

PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])
PROGRAMS = ("make", "envfarm", "docker", "pip", "git", "curl", "claude", "npx")


def typed() -> list[tuple[str, str]]:
    """(page, command) of each line in a block of shell, and of each piece of code that starts with one of our programs."""
    found = []
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        blocks = re.findall(r"^```sh\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
        lines = [line for block in blocks for line in block.replace("\\\n", " ").splitlines()]
        lines += re.findall(r"`((?:make|envfarm|\.venv/bin/[\w-]+) [^`]+)`", re.sub(r"^```.*?^```", "", text, flags=re.MULTILINE | re.DOTALL))
        found += [(str(page.relative_to(ROOT)), command) for line in lines if (command := re.sub(r"(^|\s)#.*$", "", line).strip())]
    return sorted(set(found))


TYPED = typed()


def test_the_page_of_commands_shows_choices_and_no_types_of_python():
    page = (ROOT / "docs/commands.md").read_text(encoding="utf-8")
    assert "<class" not in page
    assert "`--format openai/sharegpt/atif/parquet`" in page
    assert "`--env ENVIRONMENTS`" in page


@cache
def targets() -> frozenset[str]:
    return frozenset(re.search(r"^\.PHONY: (.*)$", (ROOT / "Makefile").read_text(), re.MULTILINE).group(1).split())


def words(command: str) -> list[str]:
    split = [word for word in shlex.split(command) if word != "$"]
    while split and re.match(r"[A-Z_]+=", split[0]):
        split.pop(0)
    return split


def check_make(arguments: list[str]) -> None:
    for argument in arguments:
        assert "=" in argument or argument in targets(), f"no target {argument}"


def check_envfarm(arguments: list[str]) -> None:
    command, context = typer.main.get_command(app), click.Context(typer.main.get_command(app), info_name="envfarm")
    while arguments and hasattr(command, "get_command") and not arguments[0].startswith("-"):
        name = arguments.pop(0)
        if name == "COMMAND":
            return
        command = command.get_command(context, name)
        assert command is not None, f"no command {name}"
    known = {option for parameter in command.params for option in (*parameter.opts, *parameter.secondary_opts)} | {"--help"}
    for argument in arguments:
        assert not argument.startswith("-") or argument.split("=")[0] in known, f"no option {argument}"


@pytest.mark.parametrize(("page", "command"), TYPED, ids=lambda value: re.sub(r"\W+", "-", value))
def test_a_command_of_the_documentation_exists(page, command):
    program, *arguments = words(command)
    name = Path(program).name

    if name == "make":
        check_make(arguments)
    elif name == "envfarm":
        check_envfarm(arguments)
    elif arguments[:2] == ["compose", "exec"]:
        assert arguments[3] == "envfarm"
        check_envfarm(arguments[4:])
    elif program.startswith(".venv/bin/"):
        assert name in {"python", "pip"} or re.search(rf"^{name}==", (ROOT / "requirements-dev.lock").read_text(), re.MULTILINE), (
            f"{name} is not locked"
        )
    else:
        assert name in PROGRAMS, f"{page}: {program} is a program that this test does not know"
    for word in arguments:
        word = word.split("=")[-1]
        assert not word.endswith((".lock", ".yml", ".yaml", ".py")) or (ROOT / word).exists() or "*" in word, f"{page}: no file {word}"


def test_the_documentation_has_commands_to_look_at():
    assert {"make run", "make test"} <= {command for page, command in TYPED if page == "README.md"}


def test_the_page_of_commands_is_as_make_docs_writes_it():
    import commands_page

    assert commands_page.PAGE.read_text(encoding="utf-8") == commands_page.write(), "run `make docs`"


@pytest.mark.skipif(shutil.which("make") is None, reason="make is not installed")
@pytest.mark.parametrize("target", sorted(targets()))
def test_a_target_of_the_makefile_can_be_planned(target):
    planned = subprocess.run(["make", "--dry-run", target], cwd=ROOT, capture_output=True, text=True, check=False)

    assert planned.returncode == 0, planned.stderr


def test_make_alone_lists_every_target():
    # Tests are run by make too, and below make it would tell its folders as well.
    listed = subprocess.run(["env", "-u", "MAKELEVEL", "-u", "MAKEFLAGS", "make"], cwd=ROOT, capture_output=True, text=True, check=True).stdout

    assert {line.split()[1] for line in listed.splitlines()} == targets()


def test_every_command_tells_how_it_is_used():
    told = subprocess.run([sys.executable, "-m", "server.cli.main", "--help"], cwd=ROOT, capture_output=True, text=True, check=True).stdout

    assert "Usage: envfarm" in told
