"""Finds, for every goal of a tool, a state and arguments that show it."""

import datetime as dt
from collections import Counter
from dataclasses import dataclass, field
from fractions import Fraction
from random import Random

from synth.gate.calls import Calls
from synth.gate.goals import SUCCESSES, Goal, goals
from synth.gate.instance import Instance, Lens, distance
from synth.gate.mutate import Child, Mutations
from synth.gate.standing import Standing
from synth.lang.domain import Tool
from synth.reference.interpret import Reference
from synth.reference.state import State

BEAM = 6
FIRST = 40
PER_GOAL = 350
MOST = 5000


@dataclass(slots=True)
class Sought:
    """What was found for one tool.

    Attributes:
        found: Instances that show each goal: up to five for success, one for the others.
        nearest: For boundaries, the instance on their side that came nearest, and how many units it is off.
        refusals: How often each rule was broken.
        together: How often two rules were broken by the same call.
        looked: How many calls were looked at.
    """

    tool: Tool
    goals: tuple[Goal, ...]
    found: dict[Goal, list[Instance]] = field(default_factory=dict)
    nearest: dict[Goal, tuple[Fraction, Instance]] = field(default_factory=dict)
    refusals: Counter[str] = field(default_factory=Counter)
    together: Counter[tuple[str, str]] = field(default_factory=Counter)
    looked: int = 0

    def instances(self) -> list[Instance]:
        """Every instance that shows something, each once."""
        shown = [one for held in self.found.values() for one in held]
        near = [instance for goal, (_, instance) in self.nearest.items() if goal not in self.found]
        return list({id(one): one for one in (*shown, *near)}.values())

    def shows(self, goal: Goal) -> bool:
        """Whether the goal is shown; a boundary also by the value that comes nearest on its side."""
        return len(self.found.get(goal, ())) >= wanted(goal) or goal in self.nearest

    def missing(self) -> list[Goal]:
        """Goals that are not (fully) shown, optional ones last."""
        open_ones = [one for one in self.goals if len(self.found.get(one, ())) < wanted(one)]
        return sorted(open_ones, key=lambda one: one.optional or one.shared)


def wanted(goal: Goal) -> int:
    """How many distinct instances a goal needs."""
    return SUCCESSES if goal.kind == "success" else 1


class Seeker:
    """Searches by small changes of the nearest instances so far.

    Args:
        start: The state to search from; its invariants hold.
        standing: Its invariants.
    """

    def __init__(self, reference: Reference, start: State, standing: Standing, seed: str) -> None:
        self._reference = reference
        self._start = start
        self._random = Random(seed)
        self._lens = Lens(reference)
        self._calls = Calls(reference, self._random)
        self._mutations = Mutations(reference, self._calls, self._random)
        self._now: dt.datetime = reference.now
        self._standing = standing

    def seek(self, tool: Tool) -> Sought:
        """Looks for all goals of a tool, until found or out of tries."""
        sought = Sought(tool=tool, goals=goals(self._reference.domain, tool))
        beams: dict[Goal, list[tuple[float, int, Instance]]] = {one: [] for one in sought.goals}
        for _ in range(FIRST):
            self._try(sought, beams, (self._start, self._calls.valid(self._start, tool, self._now)))
        for round_ in range(3):
            for goal in sought.missing():
                if not (goal.optional or goal.shared) or round_ == 0:
                    self._pursue(sought, beams, goal, PER_GOAL * (round_ + 1))
            if sought.looked > MOST:
                break
        return sought

    def _pursue(self, sought: Sought, beams: dict[Goal, list[tuple[float, int, Instance]]], goal: Goal, tries: int) -> None:
        for _ in range(tries):
            if len(sought.found.get(goal, ())) >= wanted(goal):
                return
            beam = beams[goal]
            if not beam or self._random.random() < 0.1:
                self._try(sought, beams, (self._start, self._calls.valid(self._start, sought.tool, self._now)))
                continue
            parent = self._random.choice(beam)[2]
            child = self._mutations.child(parent, sought.tool, self._now, steps(goal, parent), goal)
            if child is None:
                sought.looked += 1
                continue
            self._try(sought, beams, child)

    def _try(self, sought: Sought, beams: dict[Goal, list[tuple[float, int, Instance]]], child: Child) -> None:
        sought.looked += 1
        state, holds = self._consistent(child[0])
        if not holds and self._random.random() < 0.6:
            return
        instance = self._lens.look(state, sought.tool.name, child[1], self._now)
        if instance is None:
            return
        codes = sorted({one.code for one in instance.broken})
        sought.refusals.update(codes)
        sought.together.update((one, other) for one in codes for other in codes if one != other)
        for goal, beam in beams.items():
            if len(sought.found.get(goal, ())) >= wanted(goal):
                continue
            far = distance(goal, instance) + (0 if holds else 1)
            if far == 0:
                self._accept(sought, goal, instance)
            elif goal.kind == "boundary" and holds:
                self._approach(sought, goal, instance)
            if len(beam) < BEAM or far <= beam[-1][0]:
                beam.append((far, -sought.looked, instance))
                beam.sort(key=lambda one: one[:2])
                del beam[BEAM:]

    def _approach(self, sought: Sought, goal: Goal, instance: Instance) -> None:
        """Keeps the instance on a side of a boundary that comes nearest to it."""
        if goal.number == 0:
            return
        away = [one * goal.number for one in instance.trace.distances.get(goal.mark, ()) if one * goal.number > 0]
        best = sought.nearest.get(goal)
        if away and (best is None or min(away) < best[0]):
            sought.nearest[goal] = (min(away), instance)

    def _consistent(self, state: State) -> tuple[State, bool]:
        """A state with fields repaired where invariants settle them, and whether all invariants hold in it."""
        if state is self._start or not self._standing.broken(state):
            return state, True
        repaired = self._standing.repaired(state)
        return (state, False) if repaired is None else (repaired, True)

    @staticmethod
    def _accept(sought: Sought, goal: Goal, instance: Instance) -> None:
        held = sought.found.setdefault(goal, [])
        if all((one.state is not instance.state or one.arguments != instance.arguments) for one in held):
            held.append(instance)


def steps(goal: Goal, instance: Instance) -> list[Fraction]:
    """Differences by which a value may have to move, from how near comparisons came to their boundaries."""
    marks = [mark for mark in goal.marks if mark in instance.trace.distances] or list(instance.trace.distances)
    sides = (goal.number,) if goal.kind == "boundary" else (-1, 0, 1)
    trace = instance.trace
    return [(side - one) * trace.units[mark] for mark in marks for one in sorted(trace.distances[mark], key=abs)[:4] for side in sides]
