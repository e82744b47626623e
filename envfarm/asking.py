"""Where control plane and sidecar are, who may ask them, and the error when one says no."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, NamedTuple

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
