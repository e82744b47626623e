"""Records of the log, chained by their digests."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import orjson

from registry.dispatch.outcome import Outcome, OutcomeKind, Write
from registry.errors import EpisodeCorrupt
from registry.package.digest import canonical

MEMBERS = frozenset({"seq", "parent", "branch", "tool", "arguments", "outcome", "result", "writes", "digest"})
REWIND = "$rewind"
"""The record that starts a branch; its parent is the last record that the branch keeps."""
CLOSE = "$close"
"""The record of a closing by the control plane."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LogRecord:
    """One line of the log.

    Attributes:
        seq: 1, 2, 3, … over the whole log.
        parent: The record before it on its branch, 0 for the first.
        branch: 0, and one more after each rewind.
        result: The result when ok, else `{"code", "text"}`; not part of the digest.
        digest: sha256 of the parent's digest (see `chain_start` for the first) and this record without result, as canonical JSON. So the
            present branch proves itself, however many branches were left.
        noise: What the episode's noise did to the call, and how long the answer took; a record without noise does not have this member.
        others: What another actor wrote just before the call; likewise.
    """

    seq: int
    parent: int
    branch: int
    tool: str
    arguments: Any
    outcome: OutcomeKind
    result: Any
    writes: tuple[Write, ...]
    digest: str
    noise: str = ""
    others: tuple[Write, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """The record as a JSON object."""
        told: dict[str, Any] = {
            "seq": self.seq,
            "parent": self.parent,
            "branch": self.branch,
            "tool": self.tool,
            "arguments": self.arguments,
            "outcome": self.outcome,
            "result": self.result,
            "writes": [list(write) for write in self.writes],
            "digest": self.digest,
        }
        if self.noise:
            told["noise"] = self.noise
        if self.others:
            told["others"] = [list(write) for write in self.others]
        return told

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> "LogRecord":
        """The record that `to_json` wrote; KeyError or TypeError if it is none."""
        return cls(**{**value, "writes": _writes(value["writes"]), "others": _writes(value.get("others", ()))})


def _writes(told: Any) -> tuple[Write, ...]:
    return tuple((table, op, key, dict(columns)) for table, op, key, columns in told)


class Written(NamedTuple):
    """A record as bytes for the store (the sealed members, then digest and result), and its digest."""

    seq: int
    digest: str
    body: bytes


def chain_start(environment_digest: str, state_digest: str) -> str:
    """The digest that the first record continues: names the package and the initial state."""
    return hashlib.sha256(canonical({"environment": environment_digest, "state": state_digest})).hexdigest()


NO_NOISE: Mapping[str, Any] = {}


def write_record(
    previous: str, *, seq: int, parent: int, branch: int, tool: str, arguments: bytes, outcome: Outcome, noise: Mapping[str, Any] = NO_NOISE
) -> Written:
    """The next record of a log.

    Args:
        previous: Digest of its parent, or the chain's start.
        arguments: Canonical JSON.
        noise: Members `noise` and `others`, those that are not empty.
    """
    told: dict[str, Any] = {
        "arguments": orjson.Fragment(arguments),
        "branch": branch,
        "outcome": outcome.kind,
        "parent": parent,
        "seq": seq,
        "tool": tool,
        "writes": outcome.writes,
    }
    sealed = canonical({**told, **noise} if noise else told)
    digest = hashlib.sha256(previous.encode() + sealed).hexdigest()
    result = outcome.text.encode() if outcome.kind == "ok" else canonical({"code": outcome.code, "text": outcome.text})
    return Written(seq, digest, b'%b,"digest":"%b","result":%b}' % (sealed[:-1], digest.encode(), result))


def read_record(body: bytes) -> LogRecord:
    """The record of a stored body."""
    return LogRecord.from_json(told_by(body))


def parent_of(body: bytes) -> int:
    """Seq of the parent of a stored record.

    Raises:
        EpisodeCorrupt: The body is not whole.
    """
    return int(told_by(body)["parent"])


def told_by(body: bytes) -> dict[str, Any]:
    """The JSON of a stored record.

    Raises:
        EpisodeCorrupt: The body is not whole.
    """
    try:
        told = orjson.loads(body)
    except ValueError:
        told = None
    if not isinstance(told, dict) or not told.keys() >= MEMBERS:
        raise EpisodeCorrupt(f"log: expected a whole record, got {body[:40]!r}. The records were changed or damaged.")
    return told


def digest_of(previous: str, record: LogRecord) -> str:
    """The digest that this record must have after its parent's, `previous`."""
    told = record.to_json()
    del told["result"], told["digest"]
    return hashlib.sha256(previous.encode() + canonical(told)).hexdigest()


def is_control(record: LogRecord) -> bool:
    """Whether the control plane made this record; what an agent calls `$…` is no tool, so its outcome is never ok."""
    return record.tool.startswith("$") and record.outcome == "ok"


def branch_path(records: Sequence[LogRecord]) -> tuple[LogRecord, ...]:
    """The present branch in order: the last record and its ancestors, but for the records that start branches."""
    return tuple(record for record in ancestry(records) if not (is_control(record) and record.tool == REWIND))


def ancestry(records: Sequence[LogRecord]) -> tuple[LogRecord, ...]:
    """The last record and its ancestors, oldest first."""
    by_seq = {record.seq: record for record in records}
    path: list[LogRecord] = []
    at = records[-1].seq if records else 0
    while at:
        path.append(by_seq[at])
        at = by_seq[at].parent
    return tuple(reversed(path))


def control_outcome() -> Outcome:
    """The outcome of a control record."""
    return Outcome(kind="ok", text="null")
