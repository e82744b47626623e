"""The typer group over the command table."""

import importlib
from typing import Any

import typer
from typer.core import TyperGroup

from server.cli.main import COMMANDS, EXAMPLES, GROUPS, WIRE_COMMANDS, Row

NAME_WIDTH = max(map(len, COMMANDS))

STOPPED = {
    "build": "what is built is kept; the same command goes on",
    "demo": "what is built is kept; the same command plays all tasks anew",
    "tasks": "nothing was written; the same command begins anew",
}
"""What Ctrl-C leaves behind, where that is not plain."""


class LazyGroup(TyperGroup):
    """Knows all commands by the table and imports the one that is asked for."""

    def list_commands(self, ctx: typer.Context) -> list[str]:  # type: ignore[override]
        """Names in the order of the table."""
        return list(COMMANDS)

    def get_command(self, ctx: typer.Context, cmd_name: str) -> Any:  # type: ignore[override]
        """The command `cmd_name`, or None."""
        row = COMMANDS.get(cmd_name)
        return None if row is None else load(cmd_name, row)

    def invoke(self, ctx: typer.Context) -> Any:  # type: ignore[override]
        """Runs the command; Ctrl-C is told in one line, unless the command speaks to a client, which does not read it."""
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:
            if ctx.invoked_subcommand in WIRE_COMMANDS:
                raise
            from server.errors import Interrupted

            left = STOPPED.get(ctx.invoked_subcommand or "", "")
            raise Interrupted(f"stopped{left and ': '}{left}.") from None

    def format_commands(self, ctx: typer.Context, formatter: Any) -> None:  # type: ignore[override]
        """Lists the table, group by group, without importing anything."""
        for title, rows in GROUPS.items():
            with formatter.section(title):
                formatter.write_dl([(name.ljust(NAME_WIDTH), row.help) for name, row in rows.items()])

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


def _say_version(wanted: bool) -> None:
    """Answers `--version`."""
    if wanted:
        from server.version import installed_version

        print(f"envfarm {installed_version()}")
        raise typer.Exit


app = typer.Typer(cls=LazyGroup, add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False, no_args_is_help=True)


@app.callback(help="Stateful tool environments, served over MCP, scored by the final state of the database.")
def _root(version: bool = typer.Option(False, "--version", is_eager=True, callback=_say_version, help="Print the version, then end.")) -> None:
    """Carries the help text of the group."""
