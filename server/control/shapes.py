"""What the control plane takes and gives, as its OpenAPI document shows it."""

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from registry.dispatch.user import PLAIN
from registry.package.change import RowChange
from registry.package.noise import NoiseSpec
from registry.package.pack import HeldBack, WorldRow
from registry.package.user import UserWanted

Status = Literal["open", "closed", "interrupted", "invalid"]


class _Shape(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class NewEpisode(_Shape):
    """A request for an episode."""

    environment: str = Field(max_length=64, description="Id of a built environment.")
    world: str = Field("0", max_length=32, description="A world of the environment; not used with a scenario.")
    scenario: tuple[WorldRow, ...] | None = Field(None, description="All rows of the initial state: pairs of table and stored values.")
    scenario_digest: str = Field(
        "", pattern=r"^([0-9a-f]{64})?$", description="sha256 of the rows' canonical JSON, instead of rows that an episode here began with before."
    )
    instruction: str = Field("", max_length=100_000, description="The task as the agent reads it.")
    call_limit: int = Field(200, ge=0, le=1_000_000, description="Calls after which the episode refuses; 0 for no limit.")
    rewindable: bool = Field(default=False, description="Whether a rewound run may be scored.")
    multi_turn: bool = Field(default=False, description="Whether `ask_user` is offered.")
    held_back: tuple[HeldBack, ...] = Field((), description="What the user tells when asked.")
    user: UserWanted = Field(PLAIN, description="How the user of a multi-turn task speaks.")
    noise: NoiseSpec | None = Field(None, description="What disturbs the calls: profile and seed; with them the calls that another actor may make.")
    key: str | None = Field(None, pattern=r"^[A-Za-z0-9_-]{16,128}$", description="The key; made with 256 random bits when left out.")


class Episode(_Shape):
    """One episode."""

    key: str
    environment: str
    environment_digest: str
    state_digest: str
    mcp_url: str = Field(description="Where the agent connects: Streamable HTTP.")
    sse_url: str = Field(description="Where the agent connects: HTTP+SSE.")
    calls: int = Field(description="Calls on the present branch.")
    status: Status


class EpisodeLog(_Shape):
    """All records, branches too, in order."""

    records: tuple[dict[str, Any], ...]
    digest: str = Field(description="Digest of the last record of the present branch.")
    state_digest: str


class EpisodeChanges(_Shape):
    """Net row changes since the start."""

    changes: tuple[RowChange, ...]
    state_digest: str


class EpisodeEnd(_Shape):
    """A closed episode with its log and its net changes; both are empty where its status is not `closed`."""

    episode: Episode
    log: EpisodeLog
    changes: tuple[RowChange, ...]


class EpisodeRows(_Shape):
    """The whole state."""

    rows: tuple[WorldRow, ...]
    state_digest: str


class At(_Shape):
    """A place on the present branch."""

    at: int = Field(ge=0, description="How many calls the new episode begins with.")


class To(_Shape):
    """A place on the present branch."""

    to: int = Field(ge=0, description="How many calls are kept.")


class Collect(_Shape):
    """Limits in seconds; those that are left out are the farm's own. 0 is no limit."""

    idle: int | None = Field(None, ge=0, le=10**9, description="After so long without a call an open episode is closed.")
    age: int | None = Field(None, ge=0, le=10**9, description="After so long an open episode is closed, used or not.")
    kept: int | None = Field(None, ge=0, le=10**9, description="After so long without a call one that is closed or invalid is forgotten.")
    dry: bool = Field(default=False, description="Only tell.")


class SweptEpisodes(_Shape):
    """Keys of episodes."""

    closed: tuple[str, ...]
    removed: tuple[str, ...]


class EnvironmentSummary(_Shape):
    """One line of the catalogue."""

    id: str
    title: str
    digest: str
    worlds: tuple[str, ...]
    tools: int
    mcp_url: str | None = Field(description="The shared free-play episode, when free play is on.")


class EnvironmentList(_Shape):
    """The catalogue."""

    environments: tuple[EnvironmentSummary, ...]


class EnvironmentDetail(EnvironmentSummary):
    """One environment."""

    instructions: str
    policy: str
    tables: dict[str, int]
    columns: dict[str, dict[str, dict[str, Any]]] = Field(
        description="By table, the columns that rows, changes and scores hold in another form than tools show: "
        "`{kind, places}`; money and decimals are integers, value * 10**places, bools are 0 and 1."
    )
    tool_list: tuple[dict[str, Any], ...] = Field(description="Its own tools, as MCP tells them.")
    harness_tools: tuple[dict[str, Any], ...] = Field(description="Those of every episode: submit_answer, and in multi-turn tasks ask_user.")


class Failure(_Shape):
    """Why a request was not served."""

    code: str
    message: str


class Failed(_Shape):
    """The body of every error."""

    error: Failure
