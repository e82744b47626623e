"""Runs as trajectories of the Agent Trajectory Interchange Format, one JSON document each.

Source: https://github.com/laude-institute/harbor/blob/main/docs/rfcs/0001-trajectory-format.md
"""

from typing import Any

from evals.exports.turns import Told, arguments, facts, observed
from evals.metrics.records import Call, Manifest

VERSION = "ATIF-v1.4"


def atif(one: Told, manifest: Manifest) -> dict[str, Any]:
    """The run as a trajectory: the instruction, a step for each call with what was observed and changed, the last words."""
    steps: list[dict[str, Any]] = [{"source": "user", "message": one.run.instruction}]
    steps += [_step(one, call) for call in one.run.calls]
    if one.attempt.final:
        steps.append({"source": "agent", "message": one.attempt.final})
    return {
        "schema_version": VERSION,
        "session_id": one.run.run,
        "agent": _agent(manifest),
        "steps": [{"step_id": number, **step} for number, step in enumerate(steps, start=1)],
        "final_metrics": _metrics(one, len(steps)),
        "extra": {**facts(one), "report": one.run.report},
    }


def _agent(manifest: Manifest) -> dict[str, Any]:
    """`model:PROVIDER/NAME` names the model too; a version is not known of agents that are not ours."""
    kind, _, rest = manifest.agent.partition(":")
    agent: dict[str, Any] = {"name": manifest.agent, "version": manifest.envfarm or "unknown"}
    return {**agent, "model_name": rest} if kind == "model" and rest else agent


def _step(one: Told, call: Call) -> dict[str, Any]:
    name = one.call_id(call)
    extra: dict[str, Any] = {"outcome": call.outcome}
    if call.changes:
        extra["changes"] = [change.model_dump(mode="json") for change in call.changes]
    if call.noise:
        extra["noise"] = call.noise
    return {
        "source": "agent",
        "message": "",
        "tool_calls": [{"tool_call_id": name, "function_name": call.tool, "arguments": arguments(call)}],
        "observation": {"results": [{"source_call_id": name, "content": observed(call)}]},
        "extra": extra,
    }


def _metrics(one: Told, steps: int) -> dict[str, Any]:
    found: dict[str, Any] = {"total_steps": steps}
    if one.attempt.tokens is not None:
        found |= {"total_prompt_tokens": one.attempt.tokens.input, "total_completion_tokens": one.attempt.tokens.output}
    if one.attempt.cost is not None:
        found["total_cost_usd"] = one.attempt.cost
    return {**found, "extra": {"reward": one.attempt.reward, "partial": one.attempt.partial}}
