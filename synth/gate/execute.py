"""Runs the instances that the search found on the real tools: exactly the predicted change, or the declared refusal and no change."""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from registry.environment import Environment
from registry.episode import LocalEpisode
from synth.gate.compare import broken_disagree, changes_disagree, disagreements
from synth.gate.instance import Instance
from synth.gate.likeness import Change
from synth.gate.seek import Sought
from synth.gate.standing import changed_rows
from synth.reference.interpret import Reference
from synth.reference.prediction import net_changes
from synth.reference.state import State

MOST_SHRUNK = 60


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


def execute(environment: Environment, reference: Reference, start: State, sought: Iterable[Sought]) -> Executed:
    """Runs every instance once.

    Args:
        start: The state from which the search began.
    """
    kinds = {"ok": 0, "refused": 0}
    unexpected: list[str] = []
    episode = LocalEpisode(environment, scenario=start.world_rows(), call_limit=0)
    for one in sought:
        for instance in one.instances():
            episode.reset()
            kind, problems = run(episode, reference, start, one.tool.name, instance)
            if problems:
                small, problems = smallest(episode, reference, start, one.tool.name, instance, problems)
                where = told_changes(start, small.state)
                unexpected.extend(f"{one.tool.name}({instance.arguments!r}){where}: {problem}" for problem in problems)
            else:
                kinds[kind] += 1
    episode.close()
    return Executed(successes=kinds["ok"], refusals=kinds["refused"], unexpected=tuple(unexpected))


def run(episode: LocalEpisode, reference: Reference, start: State, tool: str, instance: Instance) -> tuple[str, list[str]]:
    """Outcome of one instance in a fresh episode, and what is wrong with it."""
    predicted = reference.predict(instance.state, tool, instance.arguments, reference.now)
    if predicted.kind not in ("ok", "refused"):
        return predicted.kind, [f"expected success or a refusal, got {predicted.kind}: {predicted.text}"]
    into(episode, start, instance.state)
    expected = reference.broken(instance.state, tool, instance.arguments, reference.now)
    problems = broken_disagree(expected, lambda: episode.broken(tool, instance.arguments))
    outcome = episode.call(tool, instance.arguments)
    problems += disagreements(outcome, predicted)
    problems += changes_disagree(net_changes(reference.tables, start, predicted.state), episode.changes)
    return predicted.kind, problems


def smallest(
    episode: LocalEpisode, reference: Reference, start: State, tool: str, instance: Instance, problems: list[str]
) -> tuple[Instance, list[str]]:
    """The instance with as few rows changed as still show something wrong, and what that is."""
    changes = list(changed_rows(start, instance.state))
    for one in list(changes) if len(changes) <= MOST_SHRUNK else ():
        fewer = [other for other in changes if other is not one]
        state = with_changes(start, fewer, instance.state)
        if reference.predict(state, tool, instance.arguments, reference.now).kind not in ("ok", "refused"):
            continue
        tried = replace(instance, state=state)
        episode.reset()
        _, found = run(episode, reference, start, tool, tried)
        if found:
            changes, instance, problems = fewer, tried, found
    return instance, problems


def with_changes(start: State, changes: Iterable[Change], counted: State) -> State:
    """The start state with these changes of rows, and the counters of another state."""
    state = start.fork()
    state.counters = dict(counted.counters)
    for table, key, before, after in changes:
        if before is not None:
            state.delete(table, key)
        if after is not None:
            state.insert(table, after)
    return state


def told_changes(start: State, state: State) -> str:
    """How a state differs from the start, for a person."""
    told = []
    for table, key, before, after in changed_rows(start, state):
        if after is None:
            told.append(f"without {table} {key}")
        else:
            values = {name: value for name, value in after.items() if before is None or before[name] != value}
            told.append(f"with {table} {key} as {values}")
    return f" in world 0 {', '.join(told)}" if told else " in world 0"


def into(episode: LocalEpisode, start: State, state: State) -> None:
    """Brings a fresh episode into a state that came from its start."""
    if state is not start:
        numbers = {place: number for place, number in state.counters.items() if start.counters.get(place) != number}
        episode.patch([(table, key, row) for table, key, _, row in changed_rows(start, state)], numbers)
