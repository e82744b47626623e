"""Where control plane and sidecar are, who may ask them, and the error when one says no."""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, NamedTuple
from urllib.parse import quote

import httpx

from registry.home import find_home
from registry.package.noise import NoiseWanted
from registry.package.user import UserWanted
from server.config import read_settings
from server.running import find_running
from server.tokens import read_tokens
from server.told import silent, told

CONTROL_URL = "http://127.0.0.1:8801"
SIDECAR_URL = "http://127.0.0.1:8802"
Plane = Literal["control plane", "sidecar"]
Named = Literal["episode", "run", "environment", "curriculum"]
_NAME = re.compile(r"[A-Za-z0-9_~.-]{1,200}", re.ASCII)
_ADVICE: dict[Named, str] = {
    "episode": "Give Run.episode or Episode.key.",
    "run": "Give Run.run.",
    "environment": "Give the id of one that environments() tells.",
    "curriculum": "Choose another name.",
}


class FarmError(Exception):
    """The farm or the sidecar said no, or nothing; `str()` is its sentence.

    Attributes:
        code: Of the error, such as `EPISODE_NOT_FOUND`; `UNREACHABLE` when no reply came.
        status: Of the HTTP reply; 0 when there was none, or when the error is of one item of many.
    """

    def __init__(self, code: str, message: str, status: int) -> None:
        super().__init__(message)
        self.code = code
        self.status = status


class Ask(NamedTuple):
    """One request, ready to be sent."""

    method: str
    url: str
    headers: dict[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Planes:
    """Addresses and tokens."""

    control_url: str
    control_token: str
    sidecar_url: str
    grader_token: str

    @classmethod
    def of_home(cls, home: Path | None, control_url: str, sidecar_url: str) -> "Planes":
        """Those of the farm that runs on this machine.

        Raises:
            UserError: There is no token file: no farm was ever started with this home.
        """
        settings = read_settings(home=home)
        place = find_home(settings.home)
        running = find_running(place, settings)
        tokens = read_tokens(settings.tokens or place.tokens)
        return cls(
            control_url=control_url or running.control_url,
            control_token=tokens.control,
            sidecar_url=sidecar_url or running.sidecar_url,
            grader_token=tokens.grader,
        )

    def ask(self, plane: Plane, method: str, path: str) -> Ask:
        """The request with its address and its token."""
        url, token = (self.control_url, self.control_token) if plane == "control plane" else (self.sidecar_url, self.grader_token)
        return Ask(method, url.rstrip("/") + path, {"Authorization": f"Bearer {token}"})

    def away(self, plane: Plane, error: httpx.HTTPError) -> FarmError:
        """The error when no reply came."""
        found = silent(error, plane, self.control_url if plane == "control plane" else self.sidecar_url)
        return FarmError(found.code, found.message, 0)


def part(what: Named, given: str) -> str:
    """A name as one part of a path.

    Raises:
        FarmError: It can be no such name; nothing was asked.
    """
    if _NAME.fullmatch(given) and given.strip("."):
        return quote(given, safe="")
    sentence = f"{what}: expected 1 to 200 of the characters A-Z a-z 0-9 _ - . ~, got {given[:80]!r}. {_ADVICE[what]}"
    raise FarmError("INVALID_REQUEST", sentence, 0)


def narrowed(environment: str, kind: str, level: int | None, split: str) -> dict[str, str | int]:
    """The filters that are given."""
    given = {"environment": environment, "kind": kind, "split": split}
    return {**{name: value for name, value in given.items() if value}, **({} if level is None else {"level": level})}


def told_terms(noise: NoiseWanted | None, user: UserWanted | None) -> dict[str, Any]:
    """Members of a request for runs that say what disturbs them and who their user is; none for what was left out."""
    given: dict[str, NoiseWanted | UserWanted | None] = {"noise": noise, "user": user}
    return {name: one.model_dump(mode="json") for name, one in given.items() if one is not None}


def answer(plane: Plane, reply: httpx.Response) -> Any:
    """The JSON of a reply.

    Raises:
        FarmError: It says no.
    """
    if reply.is_success:
        return reply.json()
    found = told(reply, plane)
    raise FarmError(found.code, found.message, reply.status_code)
