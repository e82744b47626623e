"""What a catalogue offers, at a glance."""

import json
import logging
from dataclasses import dataclass

from registry.catalogue import Catalogue, Summary
from registry.package.errors import PackageError

logger = logging.getLogger(__name__)

CHECKED = 100
"""Up to so many packages are loaded, and so compared with their hashes; of more than that only the manifests are read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Offered:
    """One environment that can be served."""

    id: str
    title: str
    digest: str
    worlds: tuple[str, ...]
    tools: int


def offered(catalogue: Catalogue) -> list[Offered]:
    """Every package that can be used, by id; the others are named in the log."""
    found = []
    names = catalogue.ids()
    for name in names:
        try:
            summary = catalogue.summary(name)
            tools = len(catalogue.load(name).tools) if len(names) <= CHECKED else _tools(summary)
        except PackageError as error:
            logger.warning("%s", error)
        else:
            found.append(Offered(id=summary.id, title=summary.title, digest=summary.digest, worlds=summary.worlds, tools=tools))
    return found


def _tools(summary: Summary) -> int:
    try:
        return len(json.loads((summary.folder / "tools.json").read_bytes()))
    except (OSError, ValueError) as error:
        raise PackageError(f"{summary.folder / 'tools.json'}: expected a list of tools, got {type(error).__name__}. Build it again.") from error
