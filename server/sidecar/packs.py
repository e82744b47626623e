"""The task packs in one folder."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from registry.package.digest import file_digest
from registry.package.errors import PackageError
from registry.package.pack import WorldRow
from registry.packs.reading import GOLD_MANIFEST, Pack, Task, file_bytes, read_pack
from server.sidecar.errors import TaskNotFound

_Look = tuple[int, int, int, int]


class _Held(NamedTuple):
    """A pack, its digest, and what its two manifests looked like when it was read."""

    seen: tuple[_Look, _Look]
    digest: str
    pack: Pack


@dataclass(slots=True)
class Packs:
    """All packs of a folder, read again when one of their manifests changes.

    Args:
        folder: Holds one folder per pack; it may not exist yet.
    """

    folder: Path
    _read: dict[Path, _Held] = field(default_factory=dict)
    _tasks: dict[str, tuple[Path, Task]] = field(default_factory=dict)

    def tasks(self) -> tuple[Task, ...]:
        """Every task, ordered by environment, pack and id.

        Raises:
            PackageError: A pack cannot be used.
        """
        found = [task for pack in self._packs() for task in pack.tasks.values()]
        return tuple(sorted(found, key=lambda task: (task.public.environment, task.pack, task.public.task)))

    def task(self, name: str) -> Task:
        """The task of that id.

        Raises:
            TaskNotFound: No pack has it.
            PackageError: A pack cannot be used.
        """
        found = self._tasks.get(name)
        # Each request names a task: while its pack is as it was, the others are not looked at.
        if found is not None and (found[0] / "pack.toml").is_file() and self._read[found[0]].seen == _seen(found[0]):
            return found[1]
        self._packs()
        if name not in self._tasks:
            raise TaskNotFound(name, [one.public.task for one in self.tasks()], self.folder)
        return self._tasks[name][1]

    def world(self, task: Task) -> tuple[WorldRow, ...]:
        """The rows of the world that the task starts from, before its patch."""
        packs = [held.pack for held in self._read.values()] or self._packs()
        pack = next(pack for pack in packs if pack.manifest.id == task.pack)
        if task.public.world not in pack.worlds:
            raise PackageError(f"task {task.public.task}: expected a world of its pack, got {task.public.world[:80]!r}. Rebuild the pack.")
        return pack.worlds[task.public.world]

    def by_digest(self) -> dict[str, Pack]:
        """Every pack, by the digest of its two manifests, ordered by folder.

        Raises:
            PackageError: A pack cannot be used.
        """
        self._packs()
        return {held.digest: held.pack for held in self._read.values()}

    def _packs(self) -> list[Pack]:
        """The packs as they are now."""
        folders = sorted(path.parent for path in self.folder.glob("[!.]*/pack.toml"))
        read = {folder: self._current(folder) for folder in folders}
        packs = [held.pack for held in read.values()]
        if [*map(id, packs)] != [id(held.pack) for held in self._read.values()]:
            self._tasks = {name: (folder, task) for folder, held in read.items() for name, task in held.pack.tasks.items()}
        self._read = read
        return packs

    def _current(self, folder: Path) -> _Held:
        seen = _seen(folder)
        held = self._read.get(folder)
        if held is not None and held.seen == seen:
            return held
        digest = file_digest(file_bytes(folder / "pack.toml") + file_bytes(folder / GOLD_MANIFEST))
        if held is not None and held.digest == digest:
            return _Held(seen, digest, held.pack)
        return _Held(seen, digest, read_pack(folder))


def _seen(folder: Path) -> tuple[_Look, _Look]:
    return _look(folder / "pack.toml"), _look(folder / GOLD_MANIFEST)


def _look(path: Path) -> _Look:
    """What changes when a file is replaced or written."""
    try:
        found = path.stat()
    except OSError as error:
        raise PackageError(f"{path}: expected a readable file, got {type(error).__name__}. Rebuild the pack.") from error
    return (found.st_mtime_ns, found.st_ctime_ns, found.st_size, found.st_ino)
