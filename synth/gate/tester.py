"""Rounds of random calls against real tools, with the interpreter as the judge of every one."""

import datetime as dt
from collections.abc import Callable
from dataclasses import dataclass
from random import Random
from typing import Any

import jsonschema_rs

from registry.dispatch.outcome import Outcome
from registry.environment import Environment
from registry.episode import LocalEpisode
from synth.data.invariants import Invariants
from synth.gate.calls import Calls
from synth.gate.compare import broken_disagree, changes_disagree, disagreements
from synth.gate.standing import Standing
from synth.reference.interpret import Reference
from synth.reference.prediction import net_changes
from synth.reference.state import State

Call = tuple[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """A sequence of calls that shows something wrong: the last one shows it."""

    calls: tuple[Call, ...]
    problems: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Tested:
    """What the rounds came to.

    Attributes:
        passed: Rounds without any failure.
        outcomes: How many calls came to each outcome.
        failures: At most a few, each with the smallest sequence found.
    """

    rounds: int
    passed: int
    calls: int
    outcomes: dict[str, int]
    failures: tuple[Failure, ...]


class Tester:
    """Plays rounds on one environment.

    Args:
        environment: The loaded package.
        reference: The interpreter of its seed.
        start: The state in which each round starts; that of `standing`, so that only what a round changes is looked at.
        standing: Its invariants, if they are known already.
        seen: Told of every call before it is made: the state, the tool, the arguments.
    """

    def __init__(
        self,
        environment: Environment,
        reference: Reference,
        start: State,
        standing: Standing | None = None,
        seen: Callable[[State, str, Any], None] | None = None,
    ) -> None:
        self.seen = seen
        self._environment = environment
        self._reference = reference
        self._start = start
        self._calls = Calls(reference, Random(0))
        self._standing = standing or Standing(reference, self._start, reference.now)
        self._episode: LocalEpisode | None = None
        self._invariants: Invariants | None = None
        self._outputs = {
            tool["name"]: jsonschema_rs.validator_for(tool["outputSchema"]) for tool in environment.tools if tool.get("outputSchema") is not None
        }

    def test(self, rounds: int, length: int, seed: int) -> Tested:
        """Plays rounds of so many calls each."""
        outcomes: dict[str, int] = {}
        failures: list[Failure] = []
        passed = 0
        for number in range(rounds):
            calls, problems = self._round(Random(f"{self._environment.id}/{seed}/{number}"), length, outcomes)
            passed += not problems
            if problems and len(failures) < 5:
                failures.append(self.smallest(calls, problems))
        return Tested(rounds=rounds, passed=passed, calls=sum(outcomes.values()), outcomes=dict(sorted(outcomes.items())), failures=tuple(failures))

    def _round(self, random: Random, length: int, outcomes: dict[str, int]) -> tuple[list[Call], list[str]]:
        """One round: its calls up to the first failure, and what failed."""
        play = _Play(self)
        maker = self._calls.drawing(random)
        tools = self._reference.domain.tools
        calls: list[Call] = []
        for _ in range(length):
            tool = random.choice(tools)
            make = maker.hostile if random.random() < 0.3 else maker.valid
            calls.append((tool.name, make(play.state, tool, play.now)))
            if self.seen is not None:
                self.seen(play.state, *calls[-1])
            problems = play.step(*calls[-1])
            outcomes[play.kind] = outcomes.get(play.kind, 0) + 1
            if problems:
                return calls, problems
        return calls, play.end(calls)

    def smallest(self, calls: list[Call], problems: list[str]) -> Failure:
        """The shortest sequence found, by leaving out calls, that still fails."""
        kept = list(calls)
        for at in range(len(calls) - 2, -1, -1):
            shorter = kept[:at] + kept[at + 1 :]
            found = self.replay(shorter)
            if found:
                kept, problems = shorter, found
        return Failure(calls=tuple(kept), problems=tuple(problems))

    def replay(self, calls: list[Call]) -> list[str]:
        """What fails when these calls are made in a fresh episode: at one of them, or at the end."""
        play = _Play(self)
        for tool, arguments in calls:
            problems = play.step(tool, arguments)
            if problems:
                return problems
        return play.end(calls)

    def fresh_episode(self) -> LocalEpisode:
        """An episode in the start state: always the same one, reset."""
        if self._episode is None:
            self._episode = LocalEpisode(self._environment, scenario=self._start.world_rows(), call_limit=0)
        else:
            self._episode.reset()
        return self._episode

    def broken_told(self, names: list[str], state: State, now: dt.datetime, tool: str) -> list[str]:
        """Invariants that a call of a tool broke, each with its place, the rows for which it does not hold, and what to do."""
        if not names:
            return []
        if self._invariants is None:
            self._invariants = Invariants(self._reference.domain, self._reference.statements)
        rows = {one.invariant.name: one.named for one in self._invariants.broken(self._reference.run(state, now))}
        made = f"{tool} ({self._reference.domain_tool(tool).where})" if tool else "the tools"
        return [
            f"{one.where}: invariants.{one.name}: expected to hold after every call that {one.doc!r}, "
            f"got {rows.get(one.name) or 'rows for which it does not'} after a call of {made}. "
            f"Forbid such a call with a rule of the tool, or change the invariant."
            for one in self._reference.domain.invariants
            if one.name in names
        ]

    def output_problem(self, tool: str, outcome: Outcome) -> list[str]:
        """Whether a result fits the output schema of its tool."""
        validator = self._outputs.get(tool)
        if outcome.kind != "ok" or validator is None or validator.is_valid(outcome.result):
            return []
        return [f"result: expected what the output schema of {tool} allows, got {str(outcome.result)[:300]}"]


class _Play:
    """One episode and the state that the interpreter predicts for it."""

    def __init__(self, tester: Tester) -> None:
        self._tester = tester
        self._episode = tester.fresh_episode()
        self._calls = 0
        self.kind = ""
        self.state = tester._start

    @property
    def now(self) -> dt.datetime:
        """What the next call sees as the time."""
        return self._tester._reference.now + dt.timedelta(seconds=self._calls)

    def step(self, tool: str, arguments: Any) -> list[str]:
        """Makes one call; gives what is wrong with it."""
        reference = self._tester._reference
        predicted = reference.predict(self.state, tool, arguments, self.now)
        problems = []
        if predicted.kind != "invalid" and not reference.domain_tool(tool).read_only:
            expected = reference.broken(self.state, tool, arguments, self.now)
            problems = broken_disagree(expected, lambda: self._episode.broken(tool, arguments))
        outcome = self._episode.call(tool, arguments)
        self._calls += 1
        self.kind = outcome.kind
        before, self.state = self.state, predicted.state
        problems += [*disagreements(outcome, predicted), *self._tester.output_problem(tool, outcome)]
        if not problems and outcome.kind != "ok" and outcome.writes:
            problems = [f"a call that came to {outcome.kind} wrote {outcome.writes}"]
        problems = [f"tools.{tool}: {one}" for one in problems]
        names = self._tester._standing.broken(self.state, before)
        return problems + self._tester.broken_told(names, self.state, self.now, tool)

    def end(self, calls: list[Call]) -> list[str]:
        """What is wrong after the last call: the state, the invariants, the replay."""
        reference, start = self._tester._reference, self._tester._start
        problems = changes_disagree(net_changes(reference.tables, start, self.state), self._episode.changes)
        problems += self._tester.broken_told(self._tester._standing.broken(self.state), self.state, self.now, calls[-1][0] if calls else "")
        if problems:
            return problems
        digests = self._episode.digest, self._episode.state_digest
        self._episode.reset()
        self._episode.replay(calls)
        if digests != (self._episode.digest, self._episode.state_digest):
            problems.append("the same calls came to another digest when they were replayed")
        return problems
