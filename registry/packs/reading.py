"""One task pack on disk, every file compared with its hash."""

import json
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import orjson
from pydantic import BaseModel, ValidationError

from registry.package.digest import file_digest
from registry.package.errors import PackageError
from registry.package.manifest import FORMAT, PackManifest, Split
from registry.package.pack import Gold, TaskKind, TaskPublic, WorldRow

GOLD_MANIFEST = "gold/manifest.json"
Read = Callable[[Path], bytes]
_Shape = TypeVar("_Shape", bound=BaseModel)


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """One task with both of its parts, the digest of the environment that it was made for, and a name for the content of its scenario."""

    public: TaskPublic
    gold: Gold
    pack: str
    split: Split
    environment_digest: str
    scenario: str

    @property
    def environment(self) -> str:
        """Id of its environment."""
        return self.public.environment

    @property
    def kind(self) -> TaskKind:
        """What is asked for."""
        return self.gold.kind

    @property
    def level(self) -> int:
        """How hard it is, 1 to 5."""
        return self.gold.level


@dataclass(frozen=True, slots=True)
class Pack:
    """One pack, read and checked."""

    manifest: PackManifest
    tasks: Mapping[str, Task]
    worlds: Mapping[str, tuple[WorldRow, ...]]


def read_pack(folder: Path, read: Read | None = None) -> Pack:
    """One pack; every file that its two manifests list is compared with its hash.

    Args:
        folder: Of the pack.
        read: Gives the bytes of a file, for a pack that is not on disk.

    Raises:
        PackageError: A file is missing, was changed, or is not of the format.
    """
    read = read or file_bytes
    manifest = pack_manifest(folder, read)
    public = {name: _checked(folder, name, digest, read) for name, digest in sorted(manifest.public.items())}
    listed = _hashes(folder / GOLD_MANIFEST, read)
    gold = {name: _checked(folder, name, digest, read) for name, digest in sorted(listed.items())}
    worlds = {Path(name).stem: _world(folder / name, data) for name, data in public.items() if name.startswith("public/worlds/")}
    tasks = {}
    for name, data in public.items():
        if name.startswith("public/worlds/"):
            continue
        task = _parsed(TaskPublic, folder / name, data)
        gold_name = f"gold/{task.task}.json"
        if gold_name not in gold or task.environment != manifest.environment:
            raise PackageError(f"{folder / name}: expected a task of {manifest.environment} with {gold_name}, got none. Rebuild the pack.")
        judged = _parsed(Gold, folder / gold_name, gold[gold_name])
        world = manifest.public.get(f"public/worlds/{task.world}.jsonl")
        scenario = file_digest(f"{world} {json.dumps(task.patch, sort_keys=True)}".encode())
        tasks[task.task] = Task(
            public=task,
            gold=judged,
            pack=manifest.id,
            split=manifest.split,
            environment_digest=manifest.environment_digest,
            scenario=scenario,
        )
    return Pack(manifest, tasks, worlds)


def pack_manifest(folder: Path, read: Read | None = None) -> PackManifest:
    """The manifest of a pack, none of whose other files is read.

    Raises:
        PackageError: It is missing, or not of the format.
    """
    path = folder / "pack.toml"
    try:
        table = tomllib.loads((read or file_bytes)(path).decode("utf-8"))
        manifest = PackManifest.model_validate(table)
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, ValidationError) as error:
        raise PackageError(f"{path}: expected a pack manifest, got {str(error).splitlines()[0]}. Rebuild the pack.") from error
    if manifest.format != FORMAT:
        raise PackageError(f"{path}: expected format {FORMAT!r}, got {manifest.format!r}. Rebuild the pack with this version of envfarm.")
    return manifest


def file_bytes(path: Path) -> bytes:
    """Content of a file of a pack; PackageError where it cannot be read."""
    try:
        return path.read_bytes()
    except OSError as error:
        raise PackageError(f"{path}: expected a readable file, got {type(error).__name__}. Rebuild the pack.") from error


def _checked(folder: Path, name: str, digest: str, read: Read) -> bytes:
    if Path(name).is_absolute() or ".." in Path(name).parts:
        raise PackageError(f"{folder}: expected names of files inside the pack, got {name[:80]!r}. Do not use this pack.")
    data = read(folder / name)
    found = file_digest(data)
    if found != digest:
        raise PackageError(f"{folder / name}: expected sha256 {digest}, got {found}. The file was changed after the build: rebuild the pack.")
    return data


def _hashes(path: Path, read: Read) -> dict[str, str]:
    try:
        listed = json.loads(read(path))
    except ValueError as error:
        raise PackageError(f"{path}: expected JSON, got {error}. Rebuild the pack.") from error
    if not isinstance(listed, dict) or not all(isinstance(digest, str) for digest in listed.values()):
        raise PackageError(f"{path}: expected an object of file names and hashes, got something else. Rebuild the pack.")
    return listed


def _world(path: Path, data: bytes) -> tuple[WorldRow, ...]:
    try:
        return tuple((table, values) for table, values in (orjson.loads(line) for line in data.splitlines()))
    except ValueError as error:
        raise PackageError(f"{path}: expected lines with a table and its values, got {error}. Rebuild the pack.") from error


def _parsed(shape: type[_Shape], path: Path, data: bytes) -> _Shape:
    try:
        return shape.model_validate_json(data)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        raise PackageError(f"{path}: expected a {shape.__name__}, got {where}: {first['msg']}. Rebuild the pack.") from error
