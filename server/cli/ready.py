"""What `envfarm up` says when it serves."""

import json as jsonlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from server.cli.answer import table
from server.cli.client_config import client_config
from server.offer import Offered
from server.running import Running

SHOWN = 20
"""Environments that are listed one by one."""
PASTED = 3
"""Environments in the configuration that is printed to be pasted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ready:
    """A farm that serves.

    Args:
        running: Its addresses; an empty sidecar address means that there is none.
        tokens: The token file.
        home: Root of its home.
        environments: What it serves.
        free_play: Whether agents may open episodes by themselves.
    """

    running: Running
    tokens: Path
    home: Path
    environments: Sequence[Offered]
    free_play: bool

    def as_json(self) -> dict[str, Any]:
        """For programs: everything that a client needs."""
        return {
            "ready": True,
            **self.running.model_dump(),
            "tokens": str(self.tokens),
            "home": str(self.home),
            "free_play": self.free_play,
            "environments": [{"id": one.id, "title": one.title, "tools": one.tools, "mcp_url": self._url(one)} for one in self.environments],
        }

    def as_text(self) -> str:
        """For people."""
        addresses = [("agent plane", self.running.agent_url), ("control plane", f"{self.running.control_url}  (documented at /docs)")]
        if self.running.sidecar_url:
            addresses.append(("sidecar", self.running.sidecar_url))
        addresses += [("tokens", str(self.tokens)), ("home", str(self.home))]
        parts = ["envfarm is ready", *(f"  {name.ljust(14)} {value}" for name, value in addresses), "", *self._environments()]
        if self.free_play and self.environments:
            parts += ["", *self._free_play()]
        parts += ["", "envfarm start TASK gives a task to an agent, envfarm score RUN says how it did. Ctrl-C stops."]
        return "\n".join(parts)

    def _url(self, one: Offered) -> str | None:
        return f"{self.running.agent_url}/env/{one.id}/mcp" if self.free_play else None

    def _environments(self) -> list[str]:
        if not self.environments:
            return [f"No environment is built yet in {self.home}: run envfarm build."]
        shown = self.environments[:SHOWN]
        rows = [(one.id, one.title, one.tools, self._url(one) or "") for one in shown]
        more = [f"and {len(self.environments) - SHOWN} more: envfarm list"] if len(self.environments) > SHOWN else []
        return [table(("environment", "title", "tools", "free play at" if self.free_play else ""), rows), *more]

    def _free_play(self) -> list[str]:
        entries: dict[str, Any] = {}
        for one in self.environments[:PASTED]:
            entries |= client_config("claude-desktop", one.id, url=self._url(one), home=self.home)["mcpServers"]
        first = self.environments[0].id
        return [
            "For Claude Desktop, paste into claude_desktop_config.json:",
            jsonlib.dumps({"mcpServers": entries}, ensure_ascii=False, indent=2),
            f"For Claude Code: claude mcp add --transport http {first} {self._url(self.environments[0])}",
        ]
