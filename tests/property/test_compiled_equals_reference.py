"""Compiled tools and the interpreter, which share nothing but the seed, agree on every call of every seed."""

import datetime as dt
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from random import Random

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule, run_state_machine_as_test

from registry.episode import LocalEpisode
from synth.gate import tester as gate
from synth.gate.calls import Calls
from synth.gate.compare import broken_disagree, changes_disagree, disagreements
from synth.reference.interpret import Reference
from synth.reference.prediction import net_changes
from tests.property.built import SEEDS, built

HERE = Path(__file__).parent
OTHERS = (HERE / "seeds" / "workshop.yaml", HERE.parent / "data" / "whole_language.yaml")
ALL = [*SEEDS, *(pytest.param(one, id=one.stem) for one in OTHERS)]


def machine(seed: Path) -> type[RuleBasedStateMachine]:
    domain, world, environment = built(seed)
    reference = Reference(domain)
    start = reference.state(world.rows)
    tools = st.sampled_from(domain.tools)
    writing = st.sampled_from([tool for tool in domain.tools if not tool.read_only])
    chance = st.integers(0, 2**64).map(Random)

    class Machine(RuleBasedStateMachine):
        def __init__(self) -> None:
            super().__init__()
            self.episode = LocalEpisode(environment, scenario=world.rows, call_limit=0)
            self.state = start
            self.calls = 0

        @property
        def now(self) -> dt.datetime:
            return reference.now + dt.timedelta(seconds=self.calls)

        def call(self, tool, arguments):
            predicted = reference.predict(self.state, tool.name, arguments, self.now)
            if predicted.kind != "invalid":
                expected = reference.broken(self.state, tool.name, arguments, self.now)
                assert broken_disagree(expected, lambda: self.episode.broken(tool.name, arguments)) == []
            outcome = self.episode.call(tool.name, arguments)
            self.calls += 1
            self.state = predicted.state
            assert disagreements(outcome, predicted) == []

        @rule(tool=writing, random=chance)
        def write(self, tool, random):
            self.call(tool, Calls(reference, random).valid(self.state, tool, self.now))

        @rule(tool=tools, random=chance)
        def call_any(self, tool, random):
            self.call(tool, Calls(reference, random).valid(self.state, tool, self.now))

        @rule(tool=tools, random=chance)
        def call_with_hostile_arguments(self, tool, random):
            self.call(tool, Calls(reference, random).hostile(self.state, tool, self.now))

        @invariant()
        def the_net_changes_are_equal(self):
            assert changes_disagree(net_changes(reference.tables, start, self.state), self.episode.changes) == []

        def teardown(self):
            self.episode.close()

    return Machine


@pytest.mark.parametrize("seed", ALL)
def test_outcomes_changes_and_broken_rules_are_equal(seed):
    checks = [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much]
    limits = settings(max_examples=15, stateful_step_count=20, deadline=None, derandomize=True, database=None, suppress_health_check=checks)
    run_state_machine_as_test(machine(seed), settings=limits)


@pytest.mark.parametrize("seed", ALL)
def test_rounds_of_the_tester_pass(seed):
    domain, world, environment = built(seed)
    reference = Reference(domain)
    found = gate.Tester(environment, reference, reference.state(world.rows)).test(rounds=8, length=25, seed=7)
    assert found.failures == ()
    assert found.passed == 8
    assert found.outcomes["ok"] > 40
    assert found.outcomes["refused"] > 5


def test_a_disagreement_is_told_with_the_shortest_sequence_that_shows_it():
    domain, world, environment = built(HERE / "seeds" / "workshop.yaml")
    reference = Reference(domain)
    dearer = [replace(one, value=replace(one.value, value=Fraction(3, 4))) if one.name == "FINE" else one for one in domain.constants]
    other = Reference(replace(domain, constants=tuple(dearer)))
    assert gate.Tester(environment, reference, reference.state(world.rows)).test(rounds=5, length=20, seed=1).passed == 5
    found = gate.Tester(environment, other, other.state(world.rows)).test(rounds=15, length=20, seed=1)
    assert found.passed < 15
    assert {call for one in found.failures for call, _ in one.calls[-1:]} <= {"lend", "bring_back", "close_loans", "texts"}
    assert min(len(one.calls) for one in found.failures) == 1
    assert max(len(one.calls) for one in found.failures) <= 3
