"""What the farm offers, as a registry of MCP servers that can only be read.

Source: https://github.com/modelcontextprotocol/registry, docs/reference/api/openapi.yaml (v0.1)
"""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, NamedTuple
from urllib.parse import parse_qs

from registry.catalogue import Catalogue, Summary
from registry.environment import MANIFEST
from registry.errors import EnvNotFound
from registry.package.errors import PackageError
from server.agent.server_json import server_json, version

PATH = re.compile(r"/v0\.1/servers(?:/(?P<space>[^/]+)/(?P<env>[^/]+)/versions(?:/(?P<version>[^/]+))?)?/?")
OFFICIAL = "io.modelcontextprotocol.registry/official"
PAGE = 30
LARGEST_PAGE = 100
LATEST = "latest"


class Answer(NamedTuple):
    """Status and JSON body."""

    status: int
    body: bytes


class _Wrong(Exception):
    """A parameter that cannot be read; the text is one sentence."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Query:
    limit: int
    cursor: str
    search: str
    since: datetime | None
    version: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Directory:
    """Lists the environments of a catalogue; each has one version, the one that is served.

    Args:
        catalogue: The environments.
        namespace: Reverse-DNS name of whoever runs the farm.
        agent_url: Where agents reach it.
    """

    catalogue: Catalogue
    namespace: str
    agent_url: str

    def answer(self, path: str, query: bytes) -> Answer | None:
        """The answer to a GET of `path`; None when it is no path of a registry."""
        found = PATH.fullmatch(path)
        if found is None:
            return None
        try:
            if found["env"] is None:
                return _json(200, self._page(_query(query)))
            one = self._summary(found["env"]) if found["space"] == self.namespace else None
        except _Wrong as error:
            return _json(400, {"error": str(error)})
        if one is None or found["version"] not in (None, LATEST, _version(one)):
            return _json(404, {"error": "Server not found"})
        return _json(200, self._shown(one) if found["version"] else {"servers": [self._shown(one)], "metadata": {"count": 1}})

    def _page(self, query: _Query) -> dict[str, Any]:
        names = [one for one in self.catalogue.ids() if one > query.cursor and query.search in f"{self.namespace}/{one}".lower()]
        shown: list[Summary] = []
        for name in names:
            one = self._summary(name)
            if one is not None and _fits(one, query):
                shown.append(one)
            if len(shown) > query.limit:
                break
        page = shown[: query.limit]
        metadata: dict[str, Any] = {"count": len(page)}
        if len(shown) > len(page):
            metadata["nextCursor"] = page[-1].id
        return {"servers": [self._shown(one) for one in page], "metadata": metadata}

    def _summary(self, environment: str) -> Summary | None:
        try:
            return self.catalogue.summary(environment)
        except (EnvNotFound, PackageError):
            return None

    def _shown(self, one: Summary) -> dict[str, Any]:
        built = f"{_built(one).isoformat(timespec='seconds').removesuffix('+00:00')}Z"
        official = {"status": "active", "publishedAt": built, "updatedAt": built, "isLatest": True}
        return {"server": server_json(self.namespace, one.id, one.title, _version(one), self.agent_url), "_meta": {OFFICIAL: official}}


def _query(query: bytes) -> _Query:
    given = {name: values[-1] for name, values in parse_qs(query.decode("latin-1"), keep_blank_values=True).items()}
    return _Query(
        limit=_limit(given),
        cursor=given.get("cursor", ""),
        search=given.get("search", "").lower(),
        since=_since(given),
        version=given.get("version", ""),
    )


def _limit(given: Mapping[str, str]) -> int:
    text = given.get("limit", str(PAGE))
    if not re.fullmatch(r"[0-9]{1,9}", text) or int(text) < 1:
        raise _Wrong(f"limit: expected 1 to {LARGEST_PAGE}, got {text[:40]!r}.")
    return min(int(text), LARGEST_PAGE)


def _since(given: Mapping[str, str]) -> datetime | None:
    text = given.get("updated_since")
    if text is None:
        return None
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        found = None
    if found is None or found.tzinfo is None:
        raise _Wrong(f"updated_since: expected a time such as 2026-01-31T10:00:00Z, got {text[:40]!r}.")
    return found


def _fits(one: Summary, query: _Query) -> bool:
    return query.version in ("", LATEST, _version(one)) and (query.since is None or _built(one) >= query.since)


def _built(one: Summary) -> datetime:
    return datetime.fromtimestamp(int((one.folder / MANIFEST).stat().st_mtime), UTC)


def _version(one: Summary) -> str:
    return version(one.generator, one.digest)


def _json(status: int, value: Any) -> Answer:
    return Answer(status, json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode())
