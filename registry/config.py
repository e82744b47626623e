"""Settings of the registry, read once from the environment and passed down."""

from pathlib import Path
from typing import Literal

from pydantic import Field
from pydantic_settings import BaseSettings, SettingsConfigDict

from registry.home import Home, find_home

MEGABYTE = 1024 * 1024


class RegistrySettings(BaseSettings):
    """Settings with prefix `ENVFARM_`. None of them changes what a call answers: that must be the same at each replay."""

    model_config = SettingsConfigDict(env_prefix="ENVFARM_", frozen=True, extra="ignore", env_ignore_empty=True)

    home: Path | None = Field(default=None, description="Root of all built and recorded files.")
    worker: int = Field(default=0, ge=0, le=9999, description="Number of this worker, in front of the keys that it makes; 0: the only one.")
    store: str = Field(default="", description="URL of a PostgreSQL database for the records of episodes; empty: SQLite in the home.", repr=False)
    store_file: Path | None = Field(default=None, description="File that holds this URL, which has a password in it.")
    sync: Literal["normal", "full"] = Field(default="normal", description="normal survives kill -9; full survives power loss too.")
    memory_bytes: int = Field(
        default=300_000_000, ge=0, description="Bytes of hot databases that are kept; older ones are rebuilt by replay on their next call."
    )
    template_bytes: int = Field(default=64 * MEGABYTE, ge=0, description="Memory for initial databases that episodes start from.")
    environments_loaded: int = Field(default=256, ge=1, description="Environments kept loaded; others are read again when used.")
    max_episodes: int = Field(default=100_000, ge=1, description="Open episodes at a time; more are refused.")
    noise_wait_ms: int = Field(
        default=0, ge=0, le=60_000, description="Milliseconds for which an answer is really held back at most, of those that noise gives it."
    )

    def paths(self) -> Home:
        """The home these settings name."""
        return find_home(self.home)
