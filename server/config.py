"""Settings of a farm process: read once, from the environment and the command line, passed down as an argument."""

import os
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar
from urllib.parse import urlsplit

from pydantic import BeforeValidator, Field, ValidationError
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict, SettingsError

from registry.config import RegistrySettings
from server.errors import WrongUsage

Source = Literal["default", "environment", "option"]


def _words(value: Any) -> Any:
    return tuple(word.strip() for word in value.split(",") if word.strip()) if isinstance(value, str) else value


Words = Annotated[tuple[str, ...], NoDecode, BeforeValidator(_words)]
"""A list in one variable: words with commas."""

Kind = TypeVar("Kind", bound=BaseSettings)

LOOPBACK = ("127.0.0.1", "localhost", "::1")
LAST_STEPS = 0.7
"""Seconds for what is left to do when nobody is connected any more."""


class Settings(BaseSettings):
    """Variables `ENVFARM_…`; options of a command win over them."""

    model_config = SettingsConfigDict(env_prefix="ENVFARM_", frozen=True, extra="ignore", env_ignore_empty=True)

    home: Path | None = Field(
        None,
        description="Where environments, packs, records and tokens are kept; empty: .envfarm/ of the checkout that envfarm runs from, "
        "else the user's data folder.",
    )
    tokens: Path | None = Field(None, description="File with the bearer tokens that commands use; empty: tokens in the home.")
    token_hashes: Path | None = Field(
        None, description="File with the hashes that farm and sidecar compare tokens with; empty: token_hashes in the home."
    )
    host: str = Field("127.0.0.1", description="Address on which the agent plane listens.")
    port: int = Field(8800, ge=0, le=65535, description="Port of the agent plane.")
    workers: int = Field(1, ge=1, le=64, description="Processes that serve agents; each has a port, records and a log file of its own.")
    worker_port: int = Field(8811, ge=0, le=65535, description="Port of the first of several workers, the others follow; 0 takes free ones.")
    control_host: str = Field("127.0.0.1", description="Address on which the control plane listens.")
    control_port: int = Field(8801, ge=0, le=65535, description="Port of the control plane.")
    sidecar_host: str = Field("127.0.0.1", description="Address on which the sidecar listens.")
    sidecar_port: int = Field(8802, ge=0, le=65535, description="Port of the sidecar.")
    control_url: str = Field("", description="Where commands find the control plane; empty: control_host and control_port.")
    sidecar_url: str = Field("", description="Where commands find the sidecar; empty: sidecar_host and sidecar_port.")
    public_url: str = Field("", description="How agents reach the agent plane, with any prefix; empty: host and port.")
    root_path: str = Field("", description="Path prefix under which a reverse proxy serves the agent plane; empty: the path of public_url.")
    namespace: str = Field(
        "local.envfarm", pattern=r"^[a-zA-Z0-9.-]{1,100}$", description="Reverse-DNS name before the names of environments in /v0.1/servers."
    )
    allowed_hosts: Words = Field((), description="More values of the Host header that are served, with commas; * serves all.")
    allowed_origins: Words = Field((), description="More values of the Origin header that are served, with commas; * serves all.")
    free_play: bool | None = Field(None, description="Whether an agent may open free-play episodes; empty: only on loopback.")
    elicitation: bool = Field(
        default=False, description="Whether ask_user asks the person at the client, where it can, instead of the task's own user."
    )
    simulator_url: str = Field(
        "", description="Endpoint, like OpenAI's, of a model that words the answers of ask_user; empty: they are said as they are."
    )
    simulator_model: str = Field("", description="Name of the model there.")
    max_body: int = Field(1_048_576, ge=1024, description="Largest request body in bytes.")
    max_depth: int = Field(64, ge=8, description="Deepest nesting of a JSON request body.")
    max_free_episodes: int = Field(1_000, ge=1, description="Most free-play episodes that are open at once.")
    max_calls_per_second: float = Field(0, ge=0, description="Tool calls per second and episode, bursts of ten seconds; 0: no limit.")
    max_running: int = Field(512, ge=1, description="Most requests that run at once, streams not counted.")
    max_sessions: int = Field(20_000, ge=1, description="Most sessions of the older protocol that are open at once.")
    max_sessions_each: int = Field(256, ge=1, description="Most of them that one episode has; opening another ends its oldest.")
    max_connections: int = Field(16_384, ge=16, description="Most connections to the agent plane; requests on further ones answer 503.")
    max_streams: int = Field(4_096, ge=1, description="Most event streams that are open at once.")
    log_level: Literal["DEBUG", "INFO", "WARNING", "ERROR"] = Field("WARNING", description="What goes to stderr, as JSON lines.")
    drain: float = Field(0, ge=0, description="Seconds for which a farm that is told to stop serves on, while /readyz says that it is not ready.")
    idle_hours: float = Field(0, ge=0, description="Hours without a call after which an open episode is closed; 0: never.")
    age_hours: float = Field(0, ge=0, description="Hours after which an open episode is closed, used or not; 0: never.")
    keep_days: float = Field(0, ge=0, description="Days after which an episode that is closed or invalid is forgotten; 0: never.")
    otel_endpoint: str = Field("", description="Where an OpenTelemetry collector takes traces over HTTP; needs the extra otel; empty: none.")
    model_url: str = Field("", description="Endpoint of language models, OpenAI-compatible or Anthropic's, with /v1; empty: none.")
    model_key: str = Field("", repr=False, description="Key for that endpoint; empty: none.")
    model_name: str = Field("", description="Model that commands ask when --model names none.")
    model_price_in: float = Field(0, ge=0, description="What a million tokens cost that the model reads, for the ledger.")
    model_price_out: float = Field(0, ge=0, description="What a million tokens cost that the model writes, for the ledger.")
    grace: float = Field(2.0, gt=0, description="Seconds that running calls and open streams get when the farm stops.")

    @property
    def last_second(self) -> float:
        """Seconds after the signal to stop at which the process ends, whatever is still open."""
        return self.drain + self.grace + LAST_STEPS

    @property
    def prefix(self) -> str:
        """The path prefix of the agent plane, without a slash at the end."""
        return (self.root_path or urlsplit(self.public_url).path).rstrip("/")

    @property
    def free(self) -> bool:
        """Whether free play is on."""
        return self.host in LOOPBACK if self.free_play is None else self.free_play


def sources(settings: BaseSettings, options: frozenset[str] = frozenset()) -> dict[str, Source]:
    """Where each effective value came from.

    Args:
        settings: As read.
        options: Names that were given on the command line.
    """
    given = settings.model_fields_set

    def one(name: str) -> Source:
        if name in options:
            return "option"
        return "environment" if name in given else "default"

    return {name: one(name) for name in type(settings).model_fields}


def read_settings(**options: Any) -> Settings:
    """Settings of the environment, under the options that are not None.

    Raises:
        WrongUsage: a variable or option has a value that does not fit.
    """
    return _read(Settings, {name: value for name, value in options.items() if value is not None})


def read_engine_settings() -> RegistrySettings:
    """Settings of the episode engine.

    Raises:
        WrongUsage: a variable has a value that does not fit.
    """
    return _read(RegistrySettings, {})


def _read(kind: type[Kind], given: dict[str, Any]) -> Kind:
    try:
        return kind(**given)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        name = str(first["loc"][0])
        where = f"--{name.replace('_', '-')}" if name in given else f"ENVFARM_{name.upper()}"
        raise WrongUsage(f"{where}: {first['msg']}, got {first['input']!r}. See `envfarm config`.") from error
    except SettingsError as error:
        raise WrongUsage(f"{error}. See `envfarm config`.") from error


def child_variables(settings: Settings, **more: str) -> dict[str, str]:
    """The environment of a process that this one starts: ours, with the settings that were given as options."""
    given = {f"ENVFARM_{name.upper()}": _variable(getattr(settings, name)) for name in settings.model_fields_set}
    return {**os.environ, **given, **more}  # noqa: TID251 (the one place that reads it)


USUAL = ("PATH", "LANG", "LC_ALL", "TZ", "TERM")


def agent_variables(names: tuple[str, ...]) -> dict[str, str]:
    """Variables of ours that a program gets which plays as an agent: what every program needs, and those that the user names.

    Raises:
        WrongUsage: One is not set, or tells where farm, packages or tokens are.
    """
    for name in names:
        if name.startswith("ENVFARM_") or name not in os.environ:  # noqa: TID251 (the one place that reads it)
            raise WrongUsage(f"--pass: expected a variable that is set and is not envfarm's own, got '{name[:80]}'. Set it, or leave it out.")
    return {name: os.environ[name] for name in (*USUAL, *names) if name in os.environ}  # noqa: TID251 (the one place that reads it)


def codex_folder() -> Path | None:
    """The folder that the user has chosen for Codex; None when it is the usual one."""
    chosen = os.environ.get("CODEX_HOME", "")  # noqa: TID251 (the one place that reads it)
    return Path(chosen).expanduser().absolute() if chosen else None


def _variable(value: Any) -> str:
    return ",".join(value) if isinstance(value, tuple) else "" if value is None else str(value)
