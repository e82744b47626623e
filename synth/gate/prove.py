"""Proves one environment by executing it: coverage of every tool, rounds of a tester, the graph held against calls."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from registry.environment import Environment
from registry.package.change import Stored
from synth.gate.chains import Chained, Chains
from synth.gate.execute import Executed, execute
from synth.gate.faults import all_faults
from synth.gate.goals import Goal
from synth.gate.mutants import Deep, Mutants, Mutated, Recording
from synth.gate.seek import Sought, place, seek_all, unshown_goals
from synth.gate.standing import Standing
from synth.gate.tester import Failure, Tested, Tester
from synth.graph.edges import graph
from synth.lang.domain import Domain
from synth.reference.interpret import Reference

ROUNDS = 100
LENGTH = 8
KINDS = ("success", "rule", "branch", "boundary")
Stage = Callable[[str], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Proof:
    """What the gate found.

    Attributes:
        problems: Why the environment is refused, one sentence each; empty when it passed.
        quality: Counts for quality.json.
        mutants: What became of faulty tools, if that was asked for.
    """

    environment: str
    problems: tuple[str, ...] = ()
    quality: dict[str, Any] = field(default_factory=dict)
    mutants: Mutated | None = None

    @property
    def passed(self) -> bool:
        """Whether the environment may be registered."""
        return not self.problems


def prove(
    domain: Domain,
    environment: Environment,
    rows: Iterable[tuple[str, Mapping[str, Stored]]],
    *,
    rounds: int = ROUNDS,
    stage: Stage = lambda name: None,
    deep: Deep | None = None,
) -> Proof:
    """Puts one environment through the gate.

    Args:
        domain: Its seed, resolved.
        environment: The package made from it, loaded.
        rows: A world of the seed in which everything starts.
        rounds: Rounds of the tester.
        stage: Told what is done next.
        deep: Put faults into the tools too, and see whether the calls of the gate show them.
    """
    reference = Reference(domain)
    start = reference.state(rows)
    places = {one.name: one.where for one in domain.invariants}
    unsound = [
        f"{places[name]}: invariants.{name}: expected a world in which it holds, got one in which it does not. Change the data, or the invariant."
        for name in reference.invariants(start)
    ]
    if unsound:
        return Proof(environment=domain.id, problems=tuple(unsound))
    standing = Standing(reference, start, reference.now)
    stage("instances")
    sought = seek_all(reference, start, standing, domain.sha256)
    faults = all_faults(domain, reference, start, sought)
    stage("tools on instances")
    executed = execute(environment, reference, start, sought)
    stage("tester")
    recorded = Recording(reference, start, standing, sought)
    tested = Tester(environment, reference, start, standing, recorded.add if deep else None).test(rounds, LENGTH, seed=0)
    stage("graph")
    chained = Chains(environment, reference, graph(domain), start, standing).check(sought, domain.sha256)
    problems = [*faults, *executed.unexpected, *map(told, tested.failures), *chained.unshown, *dict.fromkeys(chained.unexplained)]
    mutated = None
    if deep is not None and not problems:
        stage("mutants")
        mutated = Mutants(environment, deep, start, recorded).run()
        problems = list(mutated.problems)
    return Proof(environment=domain.id, problems=tuple(problems), quality=_quality(sought, executed, tested, chained), mutants=mutated)


def told(failure: Failure) -> str:
    """A failure of the tester: what is wrong, and the smallest sequence of calls that shows it; the last call is the one."""
    calls = "; ".join(f"{tool}({arguments!r})" for tool, arguments in failure.calls) or "no call at all"
    return f"{' / '.join(failure.problems)} (found by {calls})"


def _quality(sought: list[Sought], executed: Executed, tested: Tested, chained: Chained) -> dict[str, Any]:
    counted = {kind: _count(sought, kind) for kind in KINDS}
    total, shown = sum(one["wanted"] for one in counted.values()), sum(one["shown"] for one in counted.values())
    return {
        "coverage": shown / total if total else 1.0,
        "goals": counted,
        "instances": {"successes": executed.successes, "refusals": executed.refusals},
        "unexpected": len(executed.unexpected) + len(tested.failures),
        "rounds": tested.rounds,
        "pass_rate": tested.passed / tested.rounds if tested.rounds else 1.0,
        "calls": tested.outcomes,
        "graph": {
            "data_edges": chained.edges,
            "shown": chained.shown,
            "succeeded": chained.succeeded,
            "unshown": len(chained.unshown),
            "chains": chained.chains,
            "consumed": chained.consumed,
            "unexplained": len(chained.unexplained),
        },
    }


def _count(sought: list[Sought], kind: str) -> dict[str, int]:
    """Goals of a kind: wanted, shown, boundaries shown by the nearest value only, further ones that need not be."""
    missing = unshown_goals(sought)
    goals = [(one, goal) for one in sought for goal in one.goals if goal.kind == kind]
    required = {_key(goal) for _, goal in goals if not goal.optional}
    open_ones = {_key(goal) for goal in missing if goal.kind == kind}
    counted = {"wanted": len(required), "shown": len(required - open_ones)}
    if kind == "boundary":
        exact = {_key(goal) for one, goal in goals if goal in one.found}
        counted["nearest"] = len(required - open_ones - exact)
        counted["beyond"] = len({_key(goal) for one, goal in goals if goal.optional and goal in one.found})
    return counted


def _key(goal: Goal) -> object:
    return place(goal) if goal.shared else goal
