"""The audit as the gate of a pack that is being made."""

from collections.abc import Mapping, MutableMapping
from pathlib import Path
from typing import Protocol

from registry.environment import Environment
from registry.packs.reading import read_pack
from synth.audit.audit import Audited, audit_pack
from synth.audit.case import Memory

MOST_RUNS = 6_000
"""So many runs are remembered before they are forgotten: those of some worlds, whose tasks are looked at beside each other at the end."""

Spent = MutableMapping[int, float]


def share(spent: Spent, audited: Audited) -> None:
    """Adds what an audit took: what concerns single tasks to their levels, the rest to all by the number of their tasks."""
    rest = audited.seconds - sum(audited.seconds_by_level.values())
    for name, number in audited.levels.items():
        level = int(name)
        spent[level] = spent.get(level, 0.0) + audited.seconds_by_level.get(level, 0.0) + rest * number / max(1, audited.tasks)


class Gate(Protocol):
    """Tells which tasks must not ship."""

    def __call__(self, files: Mapping[str, bytes], *, again: bool) -> Mapping[str, str]:
        """From the files of a pack to the tasks with something wrong, and what.

        Args:
            files: By path.
            again: Tasks were left out since the last time, and nothing else has changed.
        """


def gate_of(environment: Environment, spent: Spent | None = None) -> Gate:
    """The gate for packs of an environment: tasks in which the audit finds something, each with the first reason.

    Args:
        spent: Processor time by level of the tasks looked at is added to it.
    """
    memory = Memory()

    def gate(files: Mapping[str, bytes], *, again: bool) -> Mapping[str, str]:
        pack = read_pack(Path(), lambda path: files[path.as_posix()])
        found: dict[str, str] = {}
        if len(memory.runs) > MOST_RUNS:
            memory.clear()
        audited = audit_pack(environment, pack, alone=not again, memory=memory)
        if spent is not None:
            share(spent, audited)
        for finding in audited.findings:
            found.setdefault(finding.task, finding.reason)
        return found

    return gate
