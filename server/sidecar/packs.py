"""The task packs in one folder."""

from dataclasses import dataclass, field
from pathlib import Path

from registry.package.digest import file_digest
from registry.package.errors import PackageError
from registry.package.pack import WorldRow
from registry.packs.reading import GOLD_MANIFEST, Pack, Task, file_bytes, read_pack
from server.sidecar.errors import TaskNotFound


@dataclass(slots=True)
class Packs:
    """All packs of a folder, read again when one of their manifests changes.

    Args:
        folder: Holds one folder per pack; it may not exist yet.
    """

    folder: Path
    _read: dict[Path, tuple[str, Pack]] = field(default_factory=dict)

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
        found = [pack.tasks[name] for pack in self._packs() if name in pack.tasks]
        if not found:
            raise TaskNotFound(name, [one.public.task for one in self.tasks()])
        return found[-1]

    def world(self, task: Task) -> tuple[WorldRow, ...]:
        """The rows of the world that the task starts from, before its patch."""
        pack = next(pack for pack in self._packs() if pack.manifest.id == task.pack)
        if task.public.world not in pack.worlds:
            raise PackageError(f"task {task.public.task}: expected a world of its pack, got {task.public.world[:80]!r}. Rebuild the pack.")
        return pack.worlds[task.public.world]

    def by_digest(self) -> dict[str, Pack]:
        """Every pack, by the digest of its two manifests, ordered by folder.

        Raises:
            PackageError: A pack cannot be used.
        """
        self._packs()
        return dict(self._read.values())

    def _packs(self) -> list[Pack]:
        folders = sorted(path.parent for path in self.folder.glob("*/pack.toml"))
        self._read = {folder: self._current(folder) for folder in folders}
        return [pack for _, pack in self._read.values()]

    def _current(self, folder: Path) -> tuple[str, Pack]:
        digest = file_digest(file_bytes(folder / "pack.toml") + file_bytes(folder / GOLD_MANIFEST))
        held = self._read.get(folder)
        return held if held is not None and held[0] == digest else (digest, read_pack(folder))
