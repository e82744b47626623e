"""The page of all commands, written from the command table: `make docs` puts it into docs/commands.md."""

import inspect
import re
import sys
from enum import Enum
from pathlib import Path
from types import UnionType
from typing import Literal, Union, get_args, get_origin

import click
import typer

from server.cli.group import app
from server.cli.main import COMMANDS, GROUPS
from server.config import Settings

PAGE = Path(__file__).resolve().parents[2] / "docs/commands.md"
HEAD = """# Commands

<!-- Written by `make docs` from the command table. Do not edit. -->

Exit codes: 0 ok, 1 problems found, 2 wrong usage, 130 stopped by Ctrl-C. The answer is on stdout, progress and complaints on stderr.
"""


def write() -> str:
    """The whole page."""
    group = typer.main.get_command(app)
    context = click.Context(group, info_name="envfarm")
    return (
        HEAD
        + "".join(map(listed, GROUPS))
        + "".join(section(group.get_command(context, name), f"envfarm {name}", "##") for name in COMMANDS)
        + settings()
    )


def listed(title: str) -> str:
    """The table of one group of commands."""
    rows = "".join(f"| [`envfarm {name}`](#envfarm-{name}) | {cell(row.help)} |\n" for name, row in GROUPS[title].items())
    return f"\n| {title} | |\n|---|---|\n{rows}"


def settings() -> str:
    """The variables of the environment."""
    rows = "".join(
        f"| `ENVFARM_{name.upper()}` | {cell(field.description or '')}{shown_default(field.default)} |\n"
        for name, field in Settings.model_fields.items()
    )
    return f"\n## Settings\n\nVariables of the environment; options of a command win over them.\n\n| variable | |\n|---|---|\n{rows}"


def shown_default(given) -> str:
    return "" if given is None or given == "" or given == () else f" Default: `{given}`."


def section(command, called: str, mark: str) -> str:
    """One command, and the commands below it."""
    told = inspect.cleandoc(command.help or "").split("\f")[0].strip()
    told = re.sub(r"^Example: (.+)$", r"Example: `\1`", told, flags=re.MULTILINE)
    text = f"\n{mark} {called}\n\n{told}\n"
    nested = getattr(command, "commands", None)
    if nested:
        return text + "".join(section(nested[name], f"{called} {name}", mark + "#") for name in nested)
    rows = [row(parameter) for parameter in command.params if parameter.name != "help"]
    return text + ("\n| argument | |\n|---|---|\n" + "".join(rows) if rows else "\nTakes no arguments.\n")


def row(parameter) -> str:
    """One argument or option."""
    if parameter.param_type_name == "argument":
        name = (parameter.metavar or parameter.name).upper()
        shown = f"`{name}`" if parameter.required else f"`[{name}]`"
    else:
        takes = "" if parameter.is_flag else f" {value(parameter)}"
        shown = ", ".join(f"`{option}{takes}`" for option in (*parameter.opts, *parameter.secondary_opts))
    return f"| {shown} | {cell(parameter.help or '')}{default(parameter)} |\n"


def value(parameter) -> str:
    kind = getattr(getattr(parameter, "type_descriptor", None), "annotation", None)
    kind = next((one for one in get_args(kind) if one is not type(None)), kind) if get_origin(kind) in (Union, UnionType) else kind
    choices = tuple(kind) if isinstance(kind, type) and issubclass(kind, Enum) else get_args(kind) if get_origin(kind) is Literal else ()
    return "/".join(str(choice) for choice in choices) if choices else (parameter.metavar or parameter.name).upper()


def default(parameter) -> str:
    given = parameter.default
    if parameter.param_type_name == "argument" or isinstance(given, bool) or not isinstance(given, int | float | str):
        return ""
    return shown_default(given)


def cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")


if __name__ == "__main__":
    PAGE.write_text(write(), encoding="utf-8")
    sys.stderr.write(f"docs: wrote {PAGE.name}\n")
