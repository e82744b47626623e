"""Replay of a branch into a hot episode, with every step compared to what was recorded."""

from collections.abc import Mapping, Sequence
from typing import Any

import orjson

from registry.dispatch.harness import ASK
from registry.dispatch.tool_call import USER_UNAVAILABLE, Terms
from registry.episode.hot import Engine, HotEpisode
from registry.errors import EpisodeCorrupt
from registry.record import CLOSE, REWIND, Written, told_by
from registry.template import Template


def rebuild(engine: Engine, template: Template, terms: Terms, path: Sequence[bytes]) -> HotEpisode:
    """The episode after the last record of the path.

    Args:
        engine: Of the environment that the records were made in.
        template: The initial state.
        terms: As the calls were made under.
        path: Bodies of the last record and its ancestors, oldest first.

    Raises:
        EpisodeCorrupt: The chain of digests is broken, or a call came to something else than its record says.
    """
    hot = HotEpisode(engine, template, terms)
    try:
        for body in path:
            _repeat(hot, body)
    except BaseException:
        hot.close()
        raise
    return hot


def first_calls(path: Sequence[bytes], calls: int) -> Sequence[bytes]:
    """The part of a path that holds the first calls and no more (the records of the control plane before them too)."""
    number = 0
    for index, body in enumerate(path):
        if number == calls:
            return path[:index]
        number += not of_control(told_by(body))
    return path


def _repeat(hot: HotEpisode, body: bytes) -> None:
    """Makes the record again, at its place in the log: it must come out byte by byte."""
    told = told_by(body)
    if told["parent"] != hot.seq:
        raise EpisodeCorrupt(f"log: expected a record that follows record {hot.seq}, got one after {told['parent']}. The records were changed.")
    made = _made(hot, told)
    if made.body == body or orjson.loads(made.body) == told:
        return
    if made.digest == told["digest"]:
        raise EpisodeCorrupt(f"log: expected call {made.seq} ({told['tool']}) to give the recorded result, got another one.")
    raise EpisodeCorrupt(
        f"log: expected record {made.seq} ({told['tool']}, {told['outcome']}) to be made again with its digest, got another digest. "
        "The records were changed, or the environment does not repeat itself."
    )


def _made(hot: HotEpisode, told: dict[str, Any]) -> Written:
    hot.at(told["seq"], told["branch"])
    if of_control(told):
        hot.closed = hot.closed or told["tool"] == CLOSE
        return hot.control(told["tool"], orjson.dumps(told["arguments"]))
    return (hot.call_unanswered if _unanswered(told) else hot.call)(told["tool"], told["arguments"]).record


def _unanswered(told: Mapping[str, Any]) -> bool:
    """Whether the user simulator failed: it may answer by now."""
    result = told["result"]
    return told["tool"] == ASK and told["outcome"] == "error" and isinstance(result, dict) and result.get("code") == USER_UNAVAILABLE


def of_control(told: Mapping[str, Any]) -> bool:
    """Whether the control plane made this record; what an agent calls `$…` is no tool, so its outcome is never ok."""
    return told["outcome"] == "ok" and told["tool"] in (CLOSE, REWIND)
