"""What an episode is made from, and what can be known of it."""

import secrets
from dataclasses import dataclass
from typing import Literal

import orjson
from pydantic import BaseModel, ConfigDict

from registry.dispatch.tool_call import Terms
from registry.dispatch.user import PLAIN
from registry.package.change import RowChange
from registry.package.noise import NoiseSpec
from registry.package.pack import HeldBack, WorldRow
from registry.package.user import UserWanted
from registry.record import LogRecord

Status = Literal["open", "closed", "interrupted", "invalid"]


@dataclass(frozen=True, slots=True, kw_only=True)
class EpisodeSpec:
    """A request for an episode.

    Attributes:
        environment: Id of a built environment.
        key: None for a new one of 256 random bits; callers may choose keys only in free play or on the control plane.
        world: A world of the package; not used with a scenario.
        scenario: All rows of the initial state, in stored form.
        scenario_digest: Names the rows of an earlier episode instead: sha256 of their canonical JSON.
        instruction: The task as the agent reads it.
        call_limit: 0 for none.
        rewindable: Whether a rewound run may be scored (kept for the scorer).
        free_play: A submission does not close it, and there is no call limit.
        noise: What disturbs its calls; None, or the profile `none`, for nothing.
        user: How the user of a multi-turn task speaks.
    """

    environment: str
    key: str | None = None
    world: str = "0"
    scenario: tuple[WorldRow, ...] | None = None
    scenario_digest: str = ""
    instruction: str = ""
    call_limit: int = 200
    rewindable: bool = False
    multi_turn: bool = False
    held_back: tuple[HeldBack, ...] = ()
    free_play: bool = False
    noise: NoiseSpec | None = None
    user: UserWanted = PLAIN


@dataclass(frozen=True, slots=True, kw_only=True)
class EpisodeInfo:
    """One episode as it stands.

    Attributes:
        calls: Calls on the present branch.
        status: `invalid` before `interrupted` before `closed` before `open`.
        reason: Why it is invalid.
        branch: How often it was rewound or reset.
        origin: `KEY@CALLS` of the episode it was forked from, or empty.
        digest: Of the log.
        state_digest: Of all rows.
    """

    key: str
    environment: str
    environment_digest: str
    world: str
    instruction: str
    status: Status
    reason: str
    calls: int
    branch: int
    call_limit: int
    rewindable: bool
    multi_turn: bool
    free_play: bool
    origin: str
    digest: str
    state_digest: str


@dataclass(frozen=True, slots=True, kw_only=True)
class EpisodeLog:
    """All records in order, those of left branches too."""

    records: tuple[LogRecord, ...]
    digest: str
    state_digest: str


@dataclass(frozen=True, slots=True, kw_only=True)
class EpisodeChanges:
    """Net row changes since the start, ordered by table, then key."""

    changes: tuple[RowChange, ...]
    state_digest: str


@dataclass(frozen=True, slots=True, kw_only=True)
class EpisodeSnapshot:
    """All rows, ordered by table (as in the environment), then id."""

    rows: tuple[WorldRow, ...]
    state_digest: str


@dataclass(frozen=True, slots=True, kw_only=True)
class EpisodeEnd:
    """An episode that takes no more calls, with all that a grader asks of it: of one moment, so that nothing lies between its parts.

    Of one that is invalid or interrupted, log and changes are empty.
    """

    info: EpisodeInfo
    log: EpisodeLog
    changes: EpisodeChanges


class KeptSpec(BaseModel):
    """The specification as the store keeps it; the scenario lies beside it under its digest."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    environment: str
    environment_digest: str
    start_digest: str
    world: str
    instruction: str
    call_limit: int
    rewindable: bool
    multi_turn: bool
    held_back: tuple[HeldBack, ...]
    free_play: bool
    origin: str = ""
    noise: NoiseSpec | None = None
    user: UserWanted = PLAIN

    def terms(self) -> Terms:
        """What holds for its calls."""
        limit = 0 if self.free_play else self.call_limit
        return Terms(
            call_limit=limit,
            multi_turn=self.multi_turn,
            held_back=self.held_back,
            closes=not self.free_play,
            noise=self.noise,
            persona=self.user,
        )


def new_key() -> str:
    """A key that nobody can guess: 256 random bits."""
    return secrets.token_urlsafe(32)


def pack_rows(rows: tuple[WorldRow, ...]) -> bytes:
    """The rows of a scenario as canonical JSON."""
    return orjson.dumps(rows, option=orjson.OPT_SORT_KEYS)


def unpack_rows(body: bytes) -> tuple[WorldRow, ...]:
    """The rows that `pack_rows` wrote."""
    return tuple((table, values) for table, values in orjson.loads(body))
