"""`envfarm start` and `envfarm score`: one task for one agent, by a running farm."""

import json as jsonlib
from collections.abc import Mapping, Sequence
from typing import Any

import typer

from registry.package.stored_form import Columns, shown_text
from server.cli.answer import JsonFlag, show, table

SHOWN = 60


def start(
    task: str = typer.Argument(help="Id of a task; see envfarm tasks list."),
    again: str = typer.Option("", "--again", help="An INVALID run that this one repeats."),
    rewindable: bool = typer.Option(False, "--rewindable", help="Let its episode be rewound and reset, and be scored all the same."),
    client: str = typer.Option("", "--client", help="claude-desktop or claude-code: also print its configuration."),
    json: bool = JsonFlag,
) -> None:
    """Start a run of a task: print the MCP URL and the instruction to give to an agent.

    Example: envfarm start vet_clinic-3f9a01c2 --client claude-desktop
    """
    from server.cli.sidecar_client import sidecar_client

    configuration = _configuration(client)
    run = sidecar_client().post("/v1/runs", {"task": task, "again": again, "rewindable": rewindable})
    if configuration is not None:
        run["client"] = configuration(run)
    show(run, json=json, text=_started(run))


def _configuration(client: str) -> Any:
    """What makes the client's configuration of a run; None when none is wanted."""
    if not client:
        return None
    from typing import get_args

    from registry.home import find_home
    from server.cli.client_config import Client, client_config
    from server.config import read_settings
    from server.errors import WrongUsage

    if client not in get_args(Client):
        raise WrongUsage(f"--client: expected one of {', '.join(get_args(Client))}, got '{client[:40]}'. Leave it out for the bare URL.")
    home = find_home(read_settings().home).root
    return lambda run: client_config(client, "envfarm_task", url=run["mcp_url"], home=home)  # type: ignore[arg-type]  # tested above


def _started(run: Mapping[str, Any]) -> str:
    parts = [f"run          {run['run']}", f"MCP URL      {run['mcp_url']}", f"HTTP+SSE     {run['sse_url']}", "", run["instruction"]]
    if "client" in run:
        parts += ["", "Put this into the client's configuration:", jsonlib.dumps(run["client"], ensure_ascii=False, indent=2)]
    return "\n".join([*parts, "", f"Then: envfarm score {run['run']}"])


def score(run: str = typer.Argument(help="Id that envfarm start printed."), json: bool = JsonFlag) -> None:
    """Score a run by the final state of its database; ends the run.

    Exit code 0 for PASS, 1 for FAIL or INVALID. Example: envfarm score run-4f3a90c1d2e5b607
    """
    from server.cli.sidecar_client import sidecar_client

    report = sidecar_client().post(f"/v1/runs/{run}/score")
    show(report, json=json, text=report_text(report))
    if report["verdict"] != "PASS":
        raise typer.Exit(1)


def report_text(report: Mapping[str, Any]) -> str:
    """The report for a person: verdict, every check, collateral."""
    parts = [f"{report['verdict']}  reward {report['reward']}  partial {report['partial']:.2f}"]
    if report.get("reason"):
        parts.append(report["reason"])
    if report["checks"]:
        columns = report.get("columns", {})
        head = ("", "table", "key", "column", "class", "expected", "actual", "why")
        parts += ["", table(head, [_check(one, columns) for one in report["checks"]])]
    if report["collateral"]:
        rows = [(one["op"], one["table"], one["key"], _cell(_values(one, report.get("columns", {})))) for one in report["collateral"]]
        parts += ["", "Changed although the task did not ask for it:", table(("", "table", "key", "values"), rows)]
    return "\n".join(parts)


def _check(one: Mapping[str, Any], columns: Columns) -> Sequence[str]:
    values = (_shown(one[name], columns, one["table"], one["column"]) for name in ("expected", "actual"))
    return (_mark(one), one["table"], one["key"], one["column"], one["class"], *values, one["why"])


def _mark(one: Mapping[str, Any]) -> str:
    if not one["passed"]:
        return "WRONG"
    # It held at the start already, or need not be as it is told: no share of the reward depends on it.
    return "not counted" if not one.get("counts", True) and one["expected"] != one["actual"] else "ok"


def _shown(value: Any, columns: Columns, table: str, column: str) -> str:
    return _cell(shown_text(value, columns, table, column) or value)


def _values(one: Mapping[str, Any], columns: Columns) -> str:
    return ", ".join(f"{name}: {_shown(value, columns, one['table'], name)}" for name, value in one["values"].items())


def _cell(value: Any) -> str:
    text = value if isinstance(value, str) else jsonlib.dumps(value, ensure_ascii=False)
    line = " ".join(text.split())
    return line if len(line) <= SHOWN else line[: SHOWN - 1] + "…"
