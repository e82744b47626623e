"""Runs the instances that the search found on the real tools: exactly the predicted change, or the declared refusal and no change."""

from collections.abc import Iterable
from dataclasses import dataclass

from registry.environment import Environment
from registry.episode import LocalEpisode
from synth.gate.compare import broken_disagree, changes_disagree, disagreements
from synth.gate.instance import Instance
from synth.gate.seek import Sought
from synth.reference.interpret import Reference


@dataclass(frozen=True, slots=True, kw_only=True)
class Executed:
    """What executing came to.

    Attributes:
        successes: Calls that changed (or gave) exactly what was predicted.
        refusals: Calls that were refused with the predicted code, sentence and evidence, and changed nothing.
        unexpected: Everything else, one sentence each.
    """

    successes: int
    refusals: int
    unexpected: tuple[str, ...]


def execute(environment: Environment, reference: Reference, sought: Iterable[Sought]) -> Executed:
    """Runs every instance once."""
    pending: dict[int, list[tuple[str, Instance]]] = {}
    for one in sought:
        for instance in one.instances():
            pending.setdefault(id(instance.state), []).append((one.tool.name, instance))
    kinds = {"ok": 0, "refused": 0}
    unexpected: list[str] = []
    for group in pending.values():
        episode = LocalEpisode(environment, scenario=group[0][1].state.world_rows(), call_limit=0)
        for tool, instance in group:
            kind, problems = _run(episode, reference, tool, instance)
            unexpected.extend(f"{tool} {instance.arguments}: {problem}" for problem in problems)
            if not problems:
                kinds[kind] += 1
            episode.reset()
        episode.close()
    return Executed(successes=kinds["ok"], refusals=kinds["refused"], unexpected=tuple(unexpected))


def _run(episode: LocalEpisode, reference: Reference, tool: str, instance: Instance) -> tuple[str, list[str]]:
    predicted = reference.predict(instance.state, tool, instance.arguments, reference.now)
    if predicted.kind not in ("ok", "refused"):
        return predicted.kind, [f"expected success or a refusal, got {predicted.kind}: {predicted.text}"]
    expected = reference.broken(instance.state, tool, instance.arguments, reference.now)
    problems = broken_disagree(expected, episode.broken(tool, instance.arguments))
    outcome = episode.call(tool, instance.arguments)
    problems += disagreements(outcome, predicted)
    problems += changes_disagree(predicted.changes() if predicted.kind == "ok" else (), episode.changes())
    return predicted.kind, problems
