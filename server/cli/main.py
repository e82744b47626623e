"""The `envfarm` command: a table of commands, each imported only when it is called.

To add a command, add a row to `COMMANDS` and a module `server/cli/NAME.py` whose function has typer parameters (or whose attribute is a
`typer.Typer` for a family such as `tasks list`). Import heavy things inside the function. Print the answer with `server.cli.answer.show`.
"""

import importlib
import sys
from typing import Any, NamedTuple

import typer
from typer.core import TyperGroup

from registry.package.errors import PackageError
from server.errors import UserError

EXAMPLES = """Examples:

  envfarm up                              serve every environment, print how to connect
  envfarm list                            what can be served
  envfarm stdio vet_clinic                one environment on stdin and stdout
  envfarm connect vet_clinic --client claude-code
"""


class Row(NamedTuple):
    """Where a command lives, and its line in `envfarm --help`."""

    module: str
    function: str
    help: str


COMMANDS: dict[str, Row] = {
    "config": Row("server.cli.config", "config", "Effective settings, and where each came from."),
}


class LazyGroup(TyperGroup):
    """Knows all commands by the table and imports the one that is asked for."""

    def list_commands(self, ctx: typer.Context) -> list[str]:  # type: ignore[override]
        """Names in the order of the table."""
        return list(COMMANDS)

    def get_command(self, ctx: typer.Context, cmd_name: str) -> Any:  # type: ignore[override]
        """The command `cmd_name`, or None."""
        row = COMMANDS.get(cmd_name)
        return None if row is None else load(cmd_name, row)

    def format_commands(self, ctx: typer.Context, formatter: Any) -> None:  # type: ignore[override]
        """Lists the table without importing anything."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, row.help) for name, row in COMMANDS.items()])

    def format_epilog(self, ctx: typer.Context, formatter: Any) -> None:  # type: ignore[override]
        """Examples, with their lines kept."""
        formatter.write(f"\n{EXAMPLES}")


def load(name: str, row: Row) -> Any:
    """Imports the row's module and makes a command of its function."""
    target = getattr(importlib.import_module(row.module), row.function)
    if isinstance(target, typer.Typer):
        command = typer.main.get_group(target)
        command.help = command.help or row.help
    else:
        app = typer.Typer(add_completion=False, rich_markup_mode=None)
        app.command(name, help=target.__doc__ or row.help)(target)
        command = typer.main.get_command(app)  # type: ignore[assignment]
    command.name = name
    return command


app = typer.Typer(cls=LazyGroup, add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False, no_args_is_help=True)


@app.callback(help="Stateful tool environments, served over MCP, scored by the final state of the database.")
def _root() -> None:
    """Carries the help text of the group."""


def _domain_errors() -> tuple[type[Exception], ...]:
    """Errors that are a sentence for a person; those of packages that were never imported cannot have been raised."""
    found: list[type[Exception]] = [UserError, PackageError]
    for module, name in (("registry.errors", "RegistryError"), ("synth.seed.problem", "SeedError"), ("synth.errors", "SynthError")):
        error = getattr(sys.modules.get(module), name, None)
        if isinstance(error, type):
            found.append(error)
    return tuple(found)


def main() -> None:
    """Runs one command: exit code 0 ok, 1 problems found, 2 wrong usage."""
    try:
        app(prog_name="envfarm")
    except BrokenPipeError:
        sys.stderr.close()
        sys.exit(1)
    except Exception as error:
        if not isinstance(error, _domain_errors()):
            raise
        print(f"envfarm: {error}", file=sys.stderr)
        sys.exit(getattr(error, "exit_code", 1))


if __name__ == "__main__":
    main()
