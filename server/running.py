"""Where the running farm of a home is: written by `envfarm up`, read by the commands that talk to it."""

import contextlib
import os
from pathlib import Path

from pydantic import BaseModel, ConfigDict, ValidationError

from registry.home import Home
from server.config import Settings
from server.errors import UserError


class Running(BaseModel):
    """Addresses of one farm, none of which ends with a slash, and whether agents may open episodes by themselves."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    pid: int
    agent_url: str
    control_url: str
    sidecar_url: str
    free_play: bool = True


def place(home: Home) -> Path:
    """The file of a home."""
    return home.root / "farm.json"


def write_running(home: Home, running: Running) -> None:
    """Notes the farm; replaces what an earlier one left."""
    path = place(home)
    beside = path.with_name(f"{path.name}.{os.getpid()}")
    with contextlib.suppress(OSError):  # a home that is read-only, as in a container: its commands find the farm by their settings
        path.parent.mkdir(parents=True, exist_ok=True)
        beside.write_text(running.model_dump_json(indent=2) + "\n", encoding="utf-8")
        beside.replace(path)


def forget_running(home: Home, pid: int) -> None:
    """Removes the note, unless another farm has written its own since."""
    noted = _read(home)
    if noted is not None and noted.pid == pid:
        place(home).unlink(missing_ok=True)


def find_running(home: Home, settings: Settings) -> Running:
    """The farm to talk to: what the settings name, else what the home notes, else the usual ports."""
    noted = _read(home)

    def usual(host: str, port: int) -> str:
        return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"

    return Running(
        pid=noted.pid if noted else 0,
        agent_url=settings.public_url.rstrip("/") or (noted.agent_url if noted else usual(settings.host, settings.port)),
        control_url=settings.control_url.rstrip("/") or (noted.control_url if noted else usual(settings.control_host, settings.control_port)),
        sidecar_url=settings.sidecar_url.rstrip("/") or (noted.sidecar_url if noted else usual(settings.sidecar_host, settings.sidecar_port)),
        free_play=noted.free_play if noted else settings.free,
    )


def free_to_open(farm: Running, environment: str, advice: str) -> None:
    """Refuses to tell the address of an environment where agents may not open episodes: nobody would answer there.

    Raises:
        UserError: They may not; ends with the advice.
    """
    if not farm.free_play:
        raise UserError(f"{environment}: expected a farm that lets agents open episodes, got one without free play. {advice}")


def _read(home: Home) -> Running | None:
    try:
        return Running.model_validate_json(place(home).read_text(encoding="utf-8"))
    except (OSError, ValidationError):
        return None
