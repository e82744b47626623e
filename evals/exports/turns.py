"""A run as turns of a conversation, which all conversational formats are made from."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import orjson

from evals.metrics.counting import count
from evals.metrics.folder import Evaluation
from evals.metrics.records import Attempt, Call, Run


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """One run to export: its attempt and what happened."""

    attempt: Attempt
    run: Run

    def call_id(self, call: Call) -> str:
        """A name for a call, the same each time."""
        return f"call_{self.run.run}_{call.seq}"


def told(evaluation: Evaluation, *, passed_only: bool = False) -> Iterator[Told]:
    """The runs that count, in order; those without a log (masked or broken before they began) are left out."""
    manifest = evaluation.manifest
    for one in count(evaluation.attempts, manifest.tasks, manifest.epochs).last:
        run = evaluation.run(one.run)
        if run is not None and not (passed_only and one.verdict != "PASS"):
            yield Told(attempt=one, run=run)


def observed(call: Call) -> str:
    """What the agent saw of a call: the result, or the refusal as MCP carries it."""
    if call.refusal is not None and call.refusal.code:
        return f"{call.refusal.code}: {call.refusal.message}".rstrip(": ")
    if isinstance(call.result, str):
        return call.result
    return call.outcome if call.result is None else _as_sent(call.result)


def _as_sent(result: Any) -> str:
    """The JSON of a result as the farm writes it, to the byte."""
    try:
        return orjson.dumps(result).decode()
    except TypeError:  # what is no result of a farm may hold what it never sends
        return json.dumps(result, ensure_ascii=False, separators=(",", ":"))


def arguments(call: Call) -> dict[str, Any]:
    """The arguments as an object; what an agent sent instead of one stands under `value`."""
    return call.arguments if isinstance(call.arguments, dict) else {} if call.arguments is None else {"value": call.arguments}


def facts(one: Told) -> dict[str, Any]:
    """What goes along with a run in every format."""
    attempt = one.attempt
    names = ("run", "task", "environment", "kind", "level", "epoch", "verdict", "reward", "partial")
    return {name: getattr(attempt, name) for name in names}
