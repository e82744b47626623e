"""What an agent must never see, and raw ways of asking for it."""

import asyncio
import json
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

import httpx

from tests.farm import TestFarm
from tests.interaction.wire_lines import modern

CANARIES = {
    "gold": "canary-of-gold-7731",
    "task": "canary-of-a-foreign-task-7732",
    "held": "canary-of-what-is-held-back-7733",
    "note": "canary-of-a-foreign-note-7734",
    "variable": "canary-of-the-environment-7735",
    "file": "canary-of-a-file-7736",
}
JSON = {"content-type": "application/json", "accept": "application/json, text/event-stream"}
SECONDS = 10.0


def add_secrets(home) -> None:
    """A task pack with gold, a file beside the packages, files that an agent may hope for."""
    gold = home / "packs" / "small-pack" / "gold"
    gold.mkdir(parents=True)
    (gold / "gold.jsonl").write_text(CANARIES["gold"])
    (home / "environments" / "small" / "worlds" / "secret.txt").write_text(CANARIES["file"])
    (home / "secret.txt").write_text(CANARIES["file"])


def headers_of(message) -> dict[str, str]:
    name = message["params"].get("name") or message["params"].get("uri")
    told = {"mcp-method": message["method"], "mcp-name": name}
    fit = {key: value for key, value in told.items() if value and str(value).isascii() and str(value).isprintable() and value == value.strip()}
    return {**JSON, "mcp-protocol-version": "2026-07-28", **fit}


@dataclass(kw_only=True)
class Prey:
    """The farm, the attacker's own address, and what he has no right to."""

    farm: TestFarm
    mine: str
    foreign: str
    http: httpx.AsyncClient
    digests: dict[str, str] = field(default_factory=dict)

    @classmethod
    async def plant(cls, farm: TestFarm, control: httpx.AsyncClient, http: httpx.AsyncClient) -> "Prey":
        mine = (await control.post("/v1/episodes", json={"environment": "small", "call_limit": 0})).json()["key"]
        held = [{"topic": "day", "asks": ["which day"], "answer": CANARIES["held"]}]
        wanted = {"environment": "small", "instruction": CANARIES["task"], "multi_turn": True, "held_back": held}
        foreign = (await control.post("/v1/episodes", json=wanted)).json()["key"]
        prey = cls(farm=farm, mine=mine, foreign=foreign, http=http)
        await prey.call("add_note", {"owner_id": "OWN-1", "text": CANARIES["note"]}, key=foreign)
        prey.digests[foreign] = (await control.get(f"/v1/episodes/{foreign}")).json()["state_digest"]
        return prey

    @property
    def port(self) -> int:
        return int(urlsplit(self.farm.agent_url).port or 0)

    @property
    def path(self) -> str:
        return f"/env/small/e/{self.mine}/mcp"

    def secrets(self) -> list[str]:
        """Texts that may stand in no answer."""
        tokens = json.loads((self.farm.home / "tokens").read_text())
        return [*CANARIES.values(), *tokens.values(), self.foreign, str(self.farm.home), "Traceback", "site-packages", ".py"]

    def check(self, answer: bytes | str, what: object = "") -> None:
        """Nothing secret is in the answer."""
        text = answer.decode("utf-8", "replace") if isinstance(answer, bytes) else answer
        assert [secret for secret in self.secrets() if secret in text] == [], (what, text[:500])

    async def post(self, message: Any, *, path: str | None = None, **headers: str) -> httpx.Response:
        body = json.dumps(message).encode()
        return await self.http.post(path or self.path, content=body, headers={**headers_of(message), **headers})

    async def ask(self, method: str, **params: Any) -> dict[str, Any]:
        """The answer to one request on the attacker's own episode, with nothing secret in it."""
        response = await self.post(modern(1, method, **params))
        self.check(response.text, (method, params))
        answer: dict[str, Any] = response.json()
        return answer

    async def call(self, tool: Any, arguments: Any, key: str | None = None) -> dict[str, Any]:
        path = f"/env/small/e/{key or self.mine}/mcp"
        answer: dict[str, Any] = (await self.post(modern(1, "tools/call", name=tool, arguments=arguments), path=path)).json()
        return answer

    async def ordinary_call(self) -> int:
        return (await self.post(modern(9, "tools/call", name="search_owners", arguments={}))).status_code

    async def raw(self, data: bytes) -> bytes:
        """All that comes back for these bytes until the farm closes, which it is asked to."""
        reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
        try:
            writer.write(data)
            return await asyncio.wait_for(reader.read(), SECONDS)
        except ConnectionError:
            return b""
        finally:
            writer.close()

    async def get(self, target: str, method: str = "GET", **headers: str) -> bytes:
        """The raw answer to a request target that no client library would send."""
        given = {"host": "localhost", "connection": "close", **headers}
        lines = "".join(f"{name}: {value}\r\n" for name, value in given.items())
        return await self.raw(f"{method} {target} HTTP/1.1\r\n{lines}\r\n".encode("utf-8", "surrogateescape"))


def status(answer: bytes) -> int:
    """The status of a raw answer; 0 if the connection was closed without one."""
    return int(answer.split(b" ", 2)[1]) if answer.startswith(b"HTTP/1.") else 0
