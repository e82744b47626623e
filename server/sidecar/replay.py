"""The sidecar's own replay of a run: what it cannot reproduce it does not score."""

from dataclasses import dataclass

from registry.dispatch.harness import SUBMIT
from registry.dispatch.outcome import Outcome
from registry.dispatch.tool_call import USER_UNAVAILABLE
from registry.dispatch.user import PLAIN
from registry.environment import Environment
from registry.episode import LocalEpisode
from registry.package.change import RowChange
from registry.package.noise import NoiseSpec
from registry.package.pack import WorldRow
from registry.package.user import UserWanted
from registry.packs.reading import Task
from registry.record import REWIND, LogRecord, branch_path, digest_of, is_control
from registry.score import Submission
from server.sidecar.farm import Recorded

SIMULATOR = "simulator"
"""First word of the reason where the user simulator failed: such a run is masked."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Replayed:
    """What replay gave. `broken` says which boundary broke; empty when replay and farm agree in everything.

    `outcomes` has those of the calls on the present branch; None for calls after the control plane closed the episode.
    """

    outcomes: tuple[Outcome | None, ...] = ()
    changes: tuple[RowChange, ...] = ()
    submission: Submission | None = None
    broken: str = ""


def replay(episode: LocalEpisode, recorded: Recorded, *, rewindable: bool) -> Replayed:
    """Runs the calls of the farm's log on a clean copy and compares outcome, writes, result and digest of each, then changes and states.

    Args:
        episode: Fresh, of the same task and terms; closed here.
        recorded: What the farm says.
        rewindable: Whether the run may have been rewound.
    """
    outcomes: list[Outcome | None] = []
    try:
        broken = (
            _chain(episode.digest, recorded, rewindable=rewindable)
            or _calls(episode, branch_path(recorded.records), outcomes)
            or _end(episode, recorded)
        )
        if broken:
            return Replayed(broken=broken)
        return Replayed(outcomes=tuple(outcomes), changes=episode.changes(), submission=submission_of(episode.log()))
    finally:
        episode.close()


def fresh_episode(
    environment: Environment,
    task: Task,
    scenario: tuple[WorldRow, ...],
    *,
    call_limit: int,
    noise: NoiseSpec | None = None,
    user: UserWanted = PLAIN,
) -> LocalEpisode:
    """An episode of the task in this process, before its first call."""
    public = task.public
    return LocalEpisode(
        environment,
        scenario=scenario,
        scenario_name=task.scenario,
        call_limit=call_limit,
        multi_turn=public.multi_turn,
        held_back=public.held_back,
        noise=noise,
        user=user,
    )


def submission_of(records: tuple[LogRecord, ...]) -> Submission | None:
    """The first accepted `submit_answer` among the calls."""
    for record in records:
        if record.tool == SUBMIT and record.outcome == "ok":
            given = record.arguments
            return Submission(
                outcome=given["outcome"],
                answer=given.get("answer"),
                reason_code=given.get("reason_code"),
                evidence=tuple(given.get("evidence") or ()),
            )
    return None


def _chain(start: str, recorded: Recorded, *, rewindable: bool) -> str:
    """Whether the log is the one that its digests seal."""
    digests = {0: start}
    for number, record in enumerate(recorded.records, start=1):
        if is_control(record) and record.tool == REWIND and not rewindable:
            return f"log: record {number} rewinds the run, which this run does not allow"
        if record.outcome == "error" and record.result.get("code") == USER_UNAVAILABLE:
            return f"{SIMULATOR}: the user gave no answer to call {number}"
        if record.outcome == "defect":
            return f"log: call {number} ({record.tool}) met a defect of the environment"
        before = digests.get(record.parent, "")
        if record.seq != number or record.digest != digest_of(before, record):
            return f"log: record {number} does not have the digest of its content and of the record before it"
        digests[number] = record.digest
    return "" if recorded.digest == digests[len(recorded.records)] else "log: its digest is not that of its last record"


def _calls(episode: LocalEpisode, path: tuple[LogRecord, ...], outcomes: list[Outcome | None]) -> str:
    """Repeats the present branch, with the outcome of each call added; once the control plane has closed the episode, nothing may happen any more."""
    closed = False
    for record in path:
        if is_control(record):
            closed = True
        elif closed:
            if record.outcome == "ok" or record.writes:
                return f"log: call {record.seq} ({record.tool}) was served after the end of the episode"
            outcomes.append(None)
        else:
            outcomes.append(episode.call(record.tool, record.arguments))
            broken = _differs(episode.last(), record)
            if broken:
                return broken
    return ""


def _differs(ours: LogRecord, record: LogRecord) -> str:
    if (ours.outcome, ours.writes) != (record.outcome, record.writes):
        return f"replay: call {record.seq} ({record.tool}) came to {ours.outcome} here, to {record.outcome} or other writes there"
    if (ours.noise, ours.others) != (record.noise, record.others):
        return f"replay: call {record.seq} ({record.tool}) was disturbed in another way here"
    if record.outcome in ("ok", "refused", "error") and ours.result != record.result:
        return f"replay: call {record.seq} ({record.tool}) gave another result here"
    return ""


def _end(episode: LocalEpisode, recorded: Recorded) -> str:
    if episode.changes() != recorded.changes:
        return "replay: the net changes are not those of the farm"
    return "" if episode.state_digest == recorded.state_digest else "replay: the last state is not that of the farm"
