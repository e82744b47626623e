"""The calls of a branch as the log of another episode."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import orjson

from registry.dispatch.harness import SUBMIT
from registry.dispatch.outcome import Outcome
from registry.episode.rebuild import first_calls, of_control
from registry.record import Written, told_by, write_record


@dataclass(frozen=True, slots=True, kw_only=True)
class Copied:
    """Records for a new log, and whether an accepted submission is among them."""

    records: tuple[Written, ...]
    submitted: bool


def copy_calls(start: str, path: Sequence[bytes], calls: int) -> Copied:
    """The first calls of a path, numbered from 1 on branch 0; nothing is executed.

    Args:
        start: The chain's start, the same for both episodes.
        path: Bodies of records, oldest first.
        calls: How many to copy; there are so many.
    """
    bodies = [(body, told_by(body)) for body in first_calls(path, calls)]
    kept = [(body, told) for body, told in bodies if not of_control(told)]
    submitted = any(told["tool"] == SUBMIT and told["outcome"] == "ok" for _, told in kept)
    if not kept or kept[-1][1]["seq"] == len(kept):
        # Never rewound up to here: the records are the same byte by byte.
        return Copied(records=tuple(Written(told["seq"], told["digest"], body) for body, told in kept), submitted=submitted)
    return Copied(records=_chained(start, [told for _, told in kept]), submitted=submitted)


def _chained(chain: str, calls: Sequence[Mapping[str, Any]]) -> tuple[Written, ...]:
    written: list[Written] = []
    for seq, told in enumerate(calls, start=1):
        arguments = orjson.dumps(told["arguments"])
        noise = {name: told[name] for name in ("noise", "others") if name in told}
        made = write_record(chain, seq=seq, parent=seq - 1, branch=0, tool=told["tool"], arguments=arguments, outcome=_outcome(told), noise=noise)
        chain = made.digest
        written.append(made)
    return tuple(written)


def _outcome(told: Mapping[str, Any]) -> Outcome:
    writes = tuple((table, op, key, columns) for table, op, key, columns in told["writes"])
    if told["outcome"] == "ok":
        return Outcome(kind="ok", text=orjson.dumps(told["result"]).decode(), writes=writes)
    return Outcome(kind=told["outcome"], code=told["result"]["code"], text=told["result"]["text"], writes=writes)
