"""Replay of a log into a hot episode, with every step compared to what was recorded."""

from collections.abc import Sequence

from registry.dispatch.tool_call import Terms
from registry.episode.hot import Engine, HotEpisode
from registry.episode.record import CLOSE, LogRecord, branch_path, chain_start, is_control, verify_chain
from registry.errors import EpisodeCorrupt
from registry.template import Template


def rebuild(engine: Engine, template: Template, terms: Terms, records: Sequence[LogRecord]) -> HotEpisode:
    """The episode after its records.

    Args:
        engine: Of the environment that the records were made in.
        template: The initial state.
        terms: As the calls were made under.
        records: The whole log.

    Raises:
        EpisodeCorrupt: The chain of digests is broken, or a call came to something else than its record says.
    """
    start = chain_start(engine.environment.digest, template.digest)
    broken = verify_chain(start, records)
    if broken:
        raise EpisodeCorrupt(f"log: expected record {broken} to continue the chain of digests, got another digest. The records were changed.")
    hot = HotEpisode(engine, template, terms, start)
    try:
        for record in branch_path(records):
            _repeat(hot, record)
        if records:
            last = records[-1]
            hot.place(last.seq, last.branch, last.digest)
    except EpisodeCorrupt:
        hot.close()
        raise
    return hot


def _repeat(hot: HotEpisode, record: LogRecord) -> None:
    if is_control(record):
        hot.closed = hot.closed or record.tool == CLOSE
        return
    outcome = hot.call(record.tool, record.arguments).outcome
    agrees = outcome.kind == record.outcome and outcome.writes == record.writes
    if agrees and outcome.kind in ("ok", "refused"):
        # A defect's text names the place in the log, which differs on a branch; what was no JSON is logged by its fault, which reads otherwise.
        agrees = (outcome.result == record.result) if outcome.kind == "ok" else (outcome.text == record.result["text"])
    if not agrees:
        raise EpisodeCorrupt(f"log: expected call {record.seq} ({record.tool}) to be {record.outcome} as recorded, got {outcome.kind} or other rows.")
