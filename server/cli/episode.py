"""Commands on one episode of a running farm: log, diff, fork, rewind, reset."""

import json as jsonlib
from typing import Any

import typer

from registry.package.stored_form import Columns, shown_text
from server.cli.answer import JsonFlag, show, table
from server.cli.control_client import control_client, find_episode

EpisodeArgument = typer.Argument(help="Key or MCP URL of an episode, or an environment for the free-play episode that all share.")
WIDTH = 70


def log(episode: str = EpisodeArgument, json: bool = JsonFlag) -> None:
    """Every call of an episode, in order, branches too.

    Example: envfarm log http://127.0.0.1:8800/env/vet_clinic/mcp
    """
    client = control_client()
    found = find_episode(client, episode)
    answer = client.get(f"/v1/episodes/{found['key']}/log")
    rows = [(one["seq"], one["branch"], one["tool"], _short(one["arguments"]), one["outcome"], _short(one["result"])) for one in answer["records"]]
    show(answer, json=json, text=table(("seq", "branch", "tool", "arguments", "outcome", "result"), rows))


def diff(episode: str = EpisodeArgument, json: bool = JsonFlag) -> None:
    """What differs from the initial state, row by row.

    Example: envfarm diff vet_clinic
    """
    client = control_client()
    found = find_episode(client, episode)
    answer = client.get(f"/v1/episodes/{found['key']}/changes")
    columns = client.get(f"/v1/environments/{found['environment']}")["columns"] if answer["changes"] else {}
    lines = [line for change in answer["changes"] for line in change_lines(change, columns)]
    show(answer, json=json, text="\n".join(lines) or "Nothing has changed.")


def fork(
    episode: str = EpisodeArgument,
    at: int | None = typer.Option(None, "--at", min=0, help="How many calls the new episode begins with; all, when left out."),
    json: bool = JsonFlag,
) -> None:
    """A new episode that begins with the calls of another.

    Example: envfarm fork KEY --at 3
    """
    client = control_client()
    found = find_episode(client, episode)
    answer = client.post(f"/v1/episodes/{found['key']}/fork", {"at": found["calls"] if at is None else at})
    _say(answer, json=json)


def rewind(
    episode: str = EpisodeArgument,
    to: int = typer.Option(..., "--to", min=0, help="How many calls are kept."),
    json: bool = JsonFlag,
) -> None:
    """Go back to an earlier call; the log keeps what was undone.

    Example: envfarm rewind KEY --to 3
    """
    client = control_client()
    found = find_episode(client, episode)
    _say(client.post(f"/v1/episodes/{found['key']}/rewind", {"to": to}), json=json)


def reset(episode: str = EpisodeArgument, json: bool = JsonFlag) -> None:
    """Go back to the initial state.

    Example: envfarm reset vet_clinic
    """
    client = control_client()
    found = find_episode(client, episode)
    _say(client.post(f"/v1/episodes/{found['key']}/reset"), json=json)


def _say(answer: Any, *, json: bool) -> None:
    lines = [f"key      {answer['key']}", f"MCP URL  {answer['mcp_url']}", f"calls    {answer['calls']}", f"status   {answer['status']}"]
    show(answer, json=json, text="\n".join(lines))


def _short(value: Any) -> str:
    text = jsonlib.dumps(value, ensure_ascii=False)
    return text if len(text) <= WIDTH else f"{text[: WIDTH - 1]}…"


def change_lines(change: Any, columns: Columns) -> list[str]:
    """One change for a person: the row, then each column with its values as tools show them."""
    sign = {"insert": "+", "update": "~", "delete": "-"}[change["op"]]
    lines = [f"{sign} {change['table']} {change['key']}"]
    for column, value in change["values"].items():
        before, after = (
            shown_text(one, columns, change["table"], column) or jsonlib.dumps(one, ensure_ascii=False) for one in (value["from"], value["to"])
        )
        told = {"insert": after, "delete": before}.get(change["op"], f"{before} -> {after}")
        lines.append(f"    {column}: {told}")
    return lines
