"""The audit as the gate of a pack that is being made."""

from collections.abc import Mapping
from pathlib import Path
from typing import Protocol

from registry.environment import Environment
from registry.packs.reading import read_pack
from synth.audit.audit import audit_pack


class Gate(Protocol):
    """Tells which tasks must not ship."""

    def __call__(self, files: Mapping[str, bytes], *, again: bool) -> Mapping[str, str]:
        """From the files of a pack to the tasks with something wrong, and what.

        Args:
            files: By path.
            again: Tasks were left out since the last time, and nothing else has changed.
        """


def gate_of(environment: Environment) -> Gate:
    """The gate for packs of an environment: tasks in which the audit finds something, each with the first reason."""

    def gate(files: Mapping[str, bytes], *, again: bool) -> Mapping[str, str]:
        pack = read_pack(Path(), lambda path: files[path.as_posix()])
        found: dict[str, str] = {}
        for finding in audit_pack(environment, pack, alone=not again).findings:
            found.setdefault(finding.task, finding.reason)
        return found

    return gate
