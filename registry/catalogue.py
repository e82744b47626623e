"""The catalogue of built environment packages."""

import re
from collections import OrderedDict
from dataclasses import dataclass
from pathlib import Path

from registry.environment import MANIFEST, Environment, read_manifest
from registry.errors import EnvNotFound
from registry.package.errors import PackageError
from registry.template import TemplateCache

MEGABYTE = 1024 * 1024
_ID = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,99}", re.ASCII)


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """What the manifest of a package says; its files are not checked before it is loaded."""

    id: str
    title: str
    digest: str
    generator: str
    worlds: tuple[str, ...]
    folder: Path


class Catalogue:
    """Environment packages in one folder, found by the manifests in it, loaded when first used.

    Args:
        folder: Holds one folder per package; it may not exist yet.
        loaded: How many environments stay loaded.
        template_bytes: Memory for initial databases.
    """

    def __init__(self, folder: Path, *, loaded: int = 256, template_bytes: int = 64 * MEGABYTE) -> None:
        self._folder = folder
        self._limit = loaded
        self._templates = TemplateCache(template_bytes)
        self._environments: OrderedDict[str, Environment] = OrderedDict()
        self._summaries: dict[str, Summary] = {}

    def ids(self) -> tuple[str, ...]:
        """Ids of all packages, sorted. Names of folders: a package whose manifest names another id is refused when it is read.

        Those that are being made are left out: their folders are hidden.
        """
        if not self._folder.is_dir():
            return ()
        return tuple(sorted(path.parent.name for path in self._folder.glob(f"[!.]*/{MANIFEST}")))

    def summary(self, environment: str) -> Summary:
        """The manifest's facts.

        Raises:
            EnvNotFound: There is no such package.
            PackageError: Its manifest cannot be used.
        """
        if environment not in self._summaries:
            folder = self._place(environment)
            manifest, digest = read_manifest(folder)
            if manifest.id != environment:
                raise PackageError(f"{folder / MANIFEST}: expected id {environment!r} as the folder, got {manifest.id!r}. Rename the folder.")
            worlds = tuple(sorted(manifest.worlds))
            self._summaries[environment] = Summary(
                id=manifest.id, title=manifest.title, digest=digest, generator=manifest.generator, worlds=worlds, folder=folder
            )
        return self._summaries[environment]

    def load(self, environment: str) -> Environment:
        """The environment, every file compared with its hash; kept loaded.

        Raises:
            EnvNotFound: There is no such package.
            PackageError: It cannot be used.
        """
        found = self._environments.get(environment)
        if found is None:
            found = Environment(self.summary(environment).folder, self._templates)
            self._environments[environment] = found
            if len(self._environments) > self._limit:
                self._environments.popitem(last=False)
        self._environments.move_to_end(environment)
        return found

    def refresh(self) -> None:
        """Forgets what was read, so that packages built since are seen."""
        self._summaries.clear()
        self._environments.clear()

    def _place(self, environment: str) -> Path:
        if not _ID.fullmatch(environment) or not (self._folder / environment / MANIFEST).is_file():
            raise EnvNotFound(environment, self.ids(), self._folder)
        return self._folder / environment


def open_folder(folder: Path | str, *, template_bytes: int = 64 * MEGABYTE) -> Environment:
    """The environment of one package folder, wherever it lies; every file compared with its hash."""
    return Environment(Path(folder), TemplateCache(template_bytes))
