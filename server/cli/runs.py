"""`envfarm start` and `envfarm score`: one task for one agent, by a running farm."""

import json as jsonlib
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import typer

from registry.package.stored_form import Columns, shown_text
from server.cli.answer import JsonFlag, show, table
from server.cli.client_names import PRINTED, ClientName, as_read

SHOWN = 60


def start(
    task: str = typer.Argument(help="Id of a task; see envfarm tasks list."),
    again: str = typer.Option("", "--again", help="An INVALID run that this one repeats."),
    rewindable: bool = typer.Option(False, "--rewindable", help="Let its episode be rewound and reset, and be scored all the same."),
    client: ClientName | None = typer.Option(None, "--client", help="Also print the configuration of this program.", show_default=False),
    json: bool = JsonFlag,
) -> None:
    """Start a run of a task: print the MCP URL and the instruction to give to an agent.

    Example: envfarm start vet_clinic-3f9a01c2 --client claude-desktop
    """
    from server.cli.sidecar_client import sidecar_client

    configured = client and _configured(client)
    run = sidecar_client().post("/v1/runs", {"task": task, "again": again, "rewindable": rewindable})
    if configured:
        run["client"] = configured(run["mcp_url"])
    show(run, json=json, text=_started(run, client))


def _configured(client: ClientName) -> Callable[[str], dict[str, Any]]:
    """What makes the client's configuration of a run's URL."""
    from registry.home import find_home
    from server.cli.client_config import client_config
    from server.config import read_settings

    home = find_home(read_settings().home).root
    return lambda url: client_config(client.value, "envfarm_task", url=url, home=home)


def _started(run: Mapping[str, Any], client: ClientName | None) -> str:
    parts = [f"run          {run['run']}", f"MCP URL      {run['mcp_url']}", f"HTTP+SSE     {run['sse_url']}", "", run["instruction"]]
    if client is not None:
        parts += ["", PRINTED[client], "", as_read(client, run["client"])]
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
    # It held at the start already, or need not be said: no share of `partial` depends on it, unless it is broken.
    return "ok" if one.get("counts", True) else "not counted"


def _shown(value: Any, columns: Columns, table: str, column: str) -> str:
    return _cell(shown_text(value, columns, table, column) or value)


def _values(one: Mapping[str, Any], columns: Columns) -> str:
    return ", ".join(f"{name}: {_shown(value, columns, one['table'], name)}" for name, value in one["values"].items())


def _cell(value: Any) -> str:
    text = value if isinstance(value, str) else jsonlib.dumps(value, ensure_ascii=False)
    line = " ".join(text.split())
    return line if len(line) <= SHOWN else line[: SHOWN - 1] + "…"
