"""`env.toml` and `pack.toml`: what a package and a task pack say of themselves."""

from typing import Literal

from pydantic import BaseModel, ConfigDict

FORMAT = "1"
Split = Literal["train", "val", "test"]
"""Which use a pack is for: no world of one is a world of another."""


class EnvManifest(BaseModel):
    """`env.toml`. `files` maps each file but env.toml and quality.json to its sha256; `worlds` each world's name to its state digest.

    The environment digest is the sha256 of the bytes of env.toml.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    format: str
    id: str
    title: str
    generator: str
    seed_sha256: str
    files: dict[str, str]
    worlds: dict[str, str]


class PackManifest(BaseModel):
    """`pack.toml` of a task pack; `tasks` were made of the `asked` ones. `discarded` counts the tries that came to nothing, by reason.

    `public` maps each public file to its sha256; `unused_tools` are those of the environment that no task's gold calls, `unused` says why.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    format: str
    id: str
    environment: str
    environment_digest: str
    split: Split
    generator: str
    seed: int
    asked: int
    tasks: int
    unused_tools: tuple[str, ...] = ()
    discarded: dict[str, int] = {}
    unused: dict[str, str] = {}
    public: dict[str, str]
