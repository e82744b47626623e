"""What `envfarm up` says when it serves."""

import shutil
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from registry.package.errors import PackageError
from server.cli.answer import table
from server.cli.client_config import launcher, server_name
from server.cli.missing import EXAMPLE
from server.offer import Offered
from server.running import Running

SHOWN = 20
"""Environments that are listed one by one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ready:
    """A farm that serves.

    Args:
        running: Its addresses; an empty sidecar address means that there is none.
        tokens: The token file.
        home: Root of its home.
        environments: What it serves.
        free_play: Whether agents may open episodes by themselves.
        tasks: How many tasks there are now, by environment; None where none are given out.
    """

    running: Running
    tokens: Path
    home: Path
    environments: Sequence[Offered]
    free_play: bool
    tasks: Mapping[str, int] | None = None

    def as_json(self) -> dict[str, Any]:
        """For programs: everything that a client needs."""
        return {
            "ready": True,
            **self.running.model_dump(),
            "tokens": str(self.tokens),
            "home": str(self.home),
            "free_play": self.free_play,
            "environments": [
                {
                    "id": one.id,
                    "title": one.title,
                    "tools": one.tools,
                    "tasks": None if self.tasks is None else self.tasks.get(one.id, 0),
                    "mcp_url": self._url(one),
                }
                for one in self.environments
            ],
        }

    def as_text(self) -> str:
        """For people: where everything is, what is served, and one way on."""
        addresses = [("agents", self.running.agent_url), ("control", f"{self.running.control_url}  (interface at /docs)")]
        if self.running.sidecar_url:
            addresses.append(("sidecar", f"{self.running.sidecar_url}  (interface at /docs)"))
        addresses += [("home", str(self.home)), ("tokens", str(self.tokens))]
        parts = ["envfarm is ready; Ctrl-C stops it", *(f"  {name.ljust(9)}{value}" for name, value in addresses), "", *self._environments()]
        return "\n".join([*parts, "", *self._ways_on()])

    def _url(self, one: Offered) -> str | None:
        return f"{self.running.agent_url}/env/{one.id}/mcp" if self.free_play else None

    def _environments(self) -> list[str]:
        if not self.environments:
            return [f"No environment is built yet in {self.home}: run envfarm build."]
        shown = self.environments[:SHOWN]
        columns: dict[str, list[object]] = {"environment": [one.id for one in shown], "tools": [one.tools for one in shown]}
        if self.tasks is not None:
            columns["tasks"] = [self.tasks.get(one.id, 0) for one in shown]
        if self.free_play:
            columns["MCP URL (everybody shares its rows)"] = [self._url(one) for one in shown]
        more = [f"and {len(self.environments) - SHOWN} more: {command()} list"] if len(self.environments) > SHOWN else []
        return [table([*columns], [*zip(*columns.values(), strict=True)]), *more]

    def _ways_on(self) -> list[str]:
        example = next((one for one in self.environments if one.id == EXAMPLE), next(iter(self.environments), None))
        lines = []
        if example is not None and self.free_play:
            lines = [
                f"Claude Code:   claude mcp add --transport http {server_name(example.id)} {self._url(example)}",
                f"Other clients: {command()} connect {example.id} --client claude-desktop  (or cursor, vscode, codex)",
            ]
        if self.running.sidecar_url:
            lines.append(f"Give a task:   {command()} tasks list, then start TASK and score RUN")
        return [*lines, f"More:          {command()} --help, README.md"]


def command() -> str:
    """How a person types `envfarm` here: by its path, unless it is the one that the shell finds."""
    words, variables = launcher()
    found = shutil.which("envfarm")
    return "envfarm" if variables or (found and Path(found).resolve() == Path(words[0]).resolve()) else words[0]


def tasks_of(packs: Path) -> dict[str, int]:
    """How many tasks the packs of a folder have, by environment; a pack that cannot be read counts nothing: the sidecar says why."""
    from registry.packs.reading import pack_manifest

    counted: dict[str, int] = {}
    for file in sorted(packs.glob("[!.]*/pack.toml")):
        with suppress(PackageError):
            manifest = pack_manifest(file.parent)
            counted[manifest.environment] = counted.get(manifest.environment, 0) + manifest.tasks
    return counted
