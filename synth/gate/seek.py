"""Finds, for every goal of a tool, a state and arguments that show it."""

import datetime as dt
from collections import Counter
from collections.abc import Callable, Iterable
from copy import copy
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import count
from random import Random
from typing import Any

import orjson

from synth.gate.beams import BEAM, KINDRED, Beam, put
from synth.gate.calls import Calls
from synth.gate.goals import SUCCESSES, Goal, goals
from synth.gate.instance import Instance, Lens, distance, hidden
from synth.gate.likened import Likened
from synth.gate.mutate import Child, Mutations
from synth.gate.part_goals import part_goals
from synth.gate.searches import searches
from synth.gate.standing import Standing
from synth.lang import nodes as n
from synth.lang.domain import Tool
from synth.lang.visit import inside
from synth.lang.walk import nodes
from synth.reference.interpret import Reference
from synth.reference.state import State
from synth.reference.values import constant, scalar_json

FIRST = 40
SWEEPS = 10
"""So often each goal that is not shown yet has a turn, from other calls each time."""
PATIENCE = 50
LONGER = 30
"""A turn ends when so many tries have come no nearer to its goal; each one is longer by this than the turn before."""
TURN = 1000
"""Tries of one turn at most."""
AFRESH = 3
"""So many calls that show other goals a turn begins with."""
HURDLES = 0.6
"""How often a change aims at a rule that stands in the way of the goal."""
PER_GOAL = 350
PER_PART = 40
PER_WRITE = 800
PER_SHARED = 200
MOST = 5000
LONG = 1500
AGAIN = 9
PATIENCE_LONG = 200
WORK = 60_000
"""Steps of a tool's calls beyond which nothing is looked for that need not be shown."""
DRAWS = 4
LIKENED = 0.25
"""How often a row is made more like another one, where nothing else has led to a goal."""
UNFED = 0.2
"""How far each list counts that has no elements to choose from."""
UNTOLD = 0.2
"""How far a call is from a goal that it shows without telling what it must."""

LOOKS = 512
"""So many calls of a tool in states other than the start are remembered."""
LIKE = 16
"""States that differ from the one that they were made from in more rows are not held against each other."""

ALONE = ("success", "rule")
"""Kinds of goals that policies hide too."""
Tells = Callable[[Goal, Instance], bool]


@dataclass(slots=True)
class Sought:
    """What was found for one tool.

    Attributes:
        found: Instances that show each goal: up to five for success, one for the others.
        nearest: For boundaries, the instance on their side that came nearest: whether a broken rule hides what it decides, how many units
            it is off, the instance.
        refusals: How often each rule was broken.
        together: How often two rules were broken by the same call.
        looked: How many calls were looked at; `steps` is the work that it was.
        beams: For each goal, the nearest instances so far: how far, a number that orders them, the instance.
        open: Goals that are not (fully) shown yet, each with its nearest instances.
        begun: What calls in the start state came to, by their arguments: many are drawn again.
        looks: What calls in other states came to, by the number of the state (`Instance.alike`) and their arguments; the last `LOOKS`.
        alike: Numbers of states, by the number of the state that they were made from and what was changed.
        stands: Whether the invariants seem to hold in a state, by its number and that of the one before, in which they do.
    """

    tool: Tool
    goals: tuple[Goal, ...]
    found: dict[Goal, list[Instance]] = field(default_factory=dict)
    nearest: dict[Goal, tuple[bool, Fraction, Instance]] = field(default_factory=dict)
    refusals: Counter[str] = field(default_factory=Counter)
    together: Counter[tuple[str, str]] = field(default_factory=Counter)
    looked: int = 0
    steps: int = 0
    beams: dict[Goal, Beam] = field(default_factory=dict)
    open: list[tuple[Goal, Beam]] = field(default_factory=list)
    begun: dict[bytes, Instance | None] = field(default_factory=dict)
    looks: dict[tuple[int, bytes], Instance | None] = field(default_factory=dict)
    alike: dict[tuple[object, ...], int] = field(default_factory=dict)
    stands: dict[tuple[int, int | None], bool] = field(default_factory=dict)

    def aim(self, goals: Iterable[Goal]) -> None:
        """Looks for these goals; nothing is near any of them yet, and what was seen on the way to others is forgotten."""
        self.beams = {goal: [] for goal in self.goals}
        self.open = [(goal, self.beams[goal]) for goal in goals]
        self.looks, self.alike, self.stands = {}, {}, {}

    def rest(self) -> None:
        """Forgets what is of no use once nothing is looked for any more."""
        self.aim(())
        self.beams, self.begun = {}, {}

    def instances(self) -> list[Instance]:
        """Every instance that shows something, each once."""
        shown = [one for held in self.found.values() for one in held]
        near = [instance for goal, (_, _, instance) in self.nearest.items() if goal not in self.found]
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
        aimed: See `Mutations`.
        tells: What a call must do besides showing a goal.
    """

    def __init__(self, reference: Reference, start: State, standing: Standing, seed: str, *, aimed: bool = False, tells: Tells | None = None) -> None:
        self._reference = reference
        self._tells = tells
        self._aimed = aimed
        self._start = start
        self._random = Random(seed)
        self._lens = Lens(reference)
        self._calls = Calls(reference, self._random)
        self._mutations = Mutations(reference, self._calls, self._random, aimed=aimed)
        self._now: dt.datetime = reference.now
        self._standing = standing
        self._taken: dict[str, dict[str, Any]] = {}
        self._numbers = count(1)
        self._rules: dict[str, dict[int, Goal]] = {}
        self._keen = False
        self._likened: Likened | None = None
        self._lists: dict[Goal, tuple[int, ...]] = {}

    def reseeded(self, seed: str) -> "Seeker":
        """Another one with chance of its own, that shares what is known of the domain."""
        other = copy(self)
        other._random = Random(seed)
        other._calls = self._calls.drawing(other._random)
        other._mutations = Mutations(self._reference, other._calls, other._random, aimed=self._aimed)
        return other

    def seek(self, tool: Tool, shown: set[object]) -> Sought:
        """Looks for all goals of a tool, until found or out of tries.

        Args:
            shown: What other tools have shown of functions of the seed; what this one shows is added.
        """
        domain = self._reference.domain
        sought = Sought(tool=tool, goals=(*goals(domain, tool), *part_goals(domain, tool)))
        sought.aim(sought.goals)
        self._begin(sought)
        self._keen = False
        for goal in sought.missing():
            if not (goal.optional or goal.shared):
                self._pursue(sought, goal, PER_GOAL)
        self._sweep(sought)
        for goal in sought.missing():
            if goal.optional or (goal.shared and place(goal) not in shown):
                self._pursue(sought, goal, PER_PART if goal.optional else PER_SHARED)
        shown.update(place(goal) for goal in sought.goals if goal.shared and sought.shows(goal))
        sought.looks, sought.alike, sought.stands = {}, {}, {}
        sought.found.update(searches(self._reference, self._mutations, self._start, tool, self._standing))
        return sought

    def _sweep(self, sought: Sought) -> None:
        """Gives what is not shown yet one turn after another, each from other calls: six that are alike lead nowhere, or all to the same place."""
        self._keen = True
        for sweep in range(SWEEPS):
            for goal in sought.missing():
                if not (goal.optional or goal.shared or goal in sought.nearest):
                    self._afresh(sought, goal)
                    self._pursue(sought, goal, TURN, PATIENCE + sweep * LONGER)
            if sought.looked > MOST:
                break
        self._keen = False

    def aimed(self, seed: str, draws: int = 0) -> "Seeker":
        """Another one as `reseeded` makes it, whose changes are aimed.

        Args:
            draws: See `Mutations`; with any, rows become like others too, and lists with no elements to choose from count as far.
        """
        other = self.reseeded(seed)
        other._mutations = Mutations(self._reference, other._calls, other._random, aimed=True, draws=draws)
        other._likened = Likened(self._reference, self._standing, other._random) if draws else None
        return other

    def _unfed(self, sought: Sought, goal: Goal, instance: Instance) -> float:
        """How many of the lists that a goal depends on had no elements to choose from: whether they come out empty cannot change then."""
        if goal not in self._lists:
            bound = [one.value for one in nodes(sought.tool.body) if isinstance(one, n.Bind) and one.name in goal.names]
            self._lists[goal] = tuple(id(one) for one in inside(tuple(bound)) if isinstance(one, n.Comprehension))
        parts = instance.trace.parts
        return UNFED * sum((mark, 0) not in parts and (mark, 1) not in parts for mark in self._lists[goal])

    def seek_more(self, sought: Sought, goal: Goal, tries: int = LONG, work: int = WORK, *, keen: bool = False) -> None:
        """Looks longer for one goal, from nothing: what was nearest before led nowhere.

        Args:
            keen: Begin anew whenever it comes no nearer.
        """
        sought.aim([one for one, _ in sought.open])
        self._keen = keen
        self._begin(sought)
        last, work = sought.looked + tries, sought.steps + work
        if not keen:
            self._pursue(sought, goal, tries, work=work)
        while keen and sought.looked < last and len(sought.found.get(goal, ())) < wanted(goal) and not (goal.optional and sought.steps > work):
            self._pursue(sought, goal, last - sought.looked, PATIENCE_LONG, work)
            self._afresh(sought, goal)

    def _begin(self, sought: Sought) -> None:
        for _ in range(FIRST):
            self._try(sought, (self._start, self._calls.valid(self._start, sought.tool, self._now)))

    def _afresh(self, sought: Sought, goal: Goal) -> None:
        """Forgets what is near a goal, for a few calls that show others: six that are alike lead nowhere, or all to the same place."""
        beam, held = sought.beams[goal], sought.instances()
        beam.clear()
        for one in self._random.sample(held, min(AFRESH, len(held))):
            far = distance(goal, one)
            if far:
                put(beam, one, far, sought.looked, KINDRED)

    def _pursue(self, sought: Sought, goal: Goal, tries: int, patience: int = MOST, work: int = WORK) -> None:
        """Changes calls that are near a goal, until it is shown or so many tries have come no nearer."""
        nearest, idle, beam = (-1, 0.0), 0, sought.beams[goal]
        for _ in range(tries):
            held = len(sought.found.get(goal, ()))
            if held >= wanted(goal) or (goal.optional and sought.steps > work):
                return
            now = (held, -beam[0][0] if beam else -MOST)
            nearest, idle = (now, 0) if now > nearest else (nearest, idle + 1)
            if idle > patience:
                return
            if not beam or self._random.random() < 0.1:
                self._try(sought, (self._start, self._calls.valid(self._start, sought.tool, self._now)))
                continue
            parent = self._random.choice(beam)[2]
            aim = self._aim(sought, goal, parent) if self._keen else goal
            child = self._child(sought, aim, parent)
            if child is None:
                sought.looked += 1
                continue
            self._try(sought, child, parent)

    def _child(self, sought: Sought, aim: Goal, parent: Instance) -> Child | None:
        """One changed copy of a call; where nothing else has led to a goal, now and then one with a row that is more like another."""
        if self._likened is not None and parent.consistent and self._random.random() < LIKENED:
            state = self._likened.one(parent)
            return None if state is None else (state, parent.arguments)
        return self._mutations.child(parent, sought.tool, self._now, steps(aim, parent), aim, keen=self._keen)

    def _aim(self, sought: Sought, goal: Goal, parent: Instance) -> Goal:
        """The goal, or one of the rules that stand in its way."""
        if not parent.broken or self._random.random() >= HURDLES:
            return goal
        rules, own = self._rules_of(sought.tool), (goal.mark, *goal.rules)
        hurdles = [rules[one.mark] for one in parent.broken if one.mark in rules and one.mark not in own and (one.enforced or goal.kind in ALONE)]
        return self._random.choice(hurdles) if hurdles else goal

    def _rules_of(self, tool: Tool) -> dict[int, Goal]:
        """The goals of the rules of a tool, and of the functions that it calls, by the ids of their nodes."""
        if tool.name not in self._rules:
            self._rules[tool.name] = {one.mark: one for one in goals(self._reference.domain, tool) if one.kind == "rule"}
        return self._rules[tool.name]

    def _try(self, sought: Sought, child: Child, parent: Instance | None = None) -> None:
        sought.looked += 1
        alike = self._alike(sought, child[0], parent)
        state, holds = self._consistent(sought, child[0], alike, parent)
        if not holds and self._random.random() < 0.6:
            return
        instance = self._look(sought, state, alike if state is child[0] else next(self._numbers), child[1], consistent=holds)
        if instance is None:
            return
        sought.steps += instance.steps
        codes = sorted({one.code for one in instance.broken})
        sought.refusals.update(codes)
        sought.together.update((one, other) for one in codes for other in codes if one != other)
        self._derived(sought, instance)
        fars = self._fars(sought, instance)
        exact = self._exact(sought, instance, fars)
        if exact is not instance:
            instance, fars = exact, self._fars(sought, exact)
        for goal, beam, off in fars:
            self._keep(sought, goal, beam, instance, off + (0 if instance.consistent else 1))

    def _look(self, sought: Sought, state: State, alike: int, arguments: dict[str, Any], *, consistent: bool) -> Instance | None:
        """A call as an instance of its own; what it comes to is known if it was made in the same state before."""
        try:
            words = orjson.dumps(arguments)
        except TypeError:
            words = b""
        if alike == 0 and words in sought.begun:
            held = sought.begun[words]
        elif (alike, words) in sought.looks:
            held = sought.looks[alike, words]
        else:
            held = self._lens.look(state, sought.tool.name, arguments, self._now, consistent=consistent)
            if words and alike == 0:
                sought.begun[words] = held
            elif words:
                if len(sought.looks) >= LOOKS:
                    del sought.looks[next(iter(sought.looks))]
                sought.looks[alike, words] = None if held is None else replace(held, state=self._start)
        return None if held is None else replace(held, state=state, alike=alike, arguments=arguments, consistent=consistent)

    def _alike(self, sought: Sought, state: State, parent: Instance | None) -> int:
        """A number of a state, which it has in common with others that hold the same; 0 for the start."""
        if state is self._start:
            return 0
        if parent is None or parent.alike < 0:
            return next(self._numbers)
        if state is parent.state:
            return parent.alike
        places, before = state.differing(parent.state), parent.state.counters
        if len(places) > LIKE:
            return next(self._numbers)
        rows = [state.tables[table].get(key) for table, key in places]
        counters = () if state.counters == before else tuple(sorted(state.counters.items()))
        if not places and not counters:
            return parent.alike
        made = (parent.alike, *places, *[None if row is None else tuple(row.values()) for row in rows], counters)
        if made not in sought.alike:
            sought.alike[made] = next(self._numbers)
        return sought.alike[made]

    def _fars(self, sought: Sought, instance: Instance) -> list[tuple[Goal, Beam, float]]:
        """How far an instance is from each open goal; without those to which six others are nearer than it can be."""
        off, tells = 0 if instance.consistent else 1, self._tells
        least = off + instance.refused
        fars = []
        for goal, beam in sought.open:
            if len(beam) < BEAM or beam[-1][0] >= (max(least - 1, off) if goal.rules else least) or goal.kind in ("boundary", "rule", "success"):
                far = distance(goal, instance)
                if self._likened is not None and far:
                    far += self._unfed(sought, goal, instance)
                fars.append((goal, beam, far if far or tells is None or tells(goal, instance) else UNTOLD))
        return fars

    def _derived(self, sought: Sought, instance: Instance) -> None:
        """Keeps the first call that breaks nothing but one rule that no rule of the seed states, such as DUPLICATE."""
        if len(instance.broken) == 1 and instance.broken[0].derived and instance.consistent:
            goal = Goal(tool=sought.tool.name, kind="derived", where=sought.tool.where, code=instance.broken[0].code, optional=True)
            if goal not in sought.found and (instance.state is self._start or not self._standing.broken(instance.state)):
                sought.found[goal] = [instance]

    def _keep(self, sought: Sought, goal: Goal, beam: Beam, instance: Instance, far: float) -> None:
        """Keeps an instance that shows a goal, or is one of the nearest to it."""
        if far == 0:
            self._accept(sought, goal, instance)
        elif goal.kind == "boundary" and instance.consistent:
            self._approach(sought, goal, instance)
        if len(beam) < BEAM or far <= beam[-1][0]:
            put(beam, instance, far, sought.looked, KINDRED if self._keen else BEAM)

    def _approach(self, sought: Sought, goal: Goal, instance: Instance) -> None:
        """Keeps the instance on a side of a boundary that comes nearest to it."""
        distances = instance.trace.distances.get(goal.mark, ())
        off = [abs(one - goal.number) for one in distances if one * goal.number > 0 or one == goal.number == 0]
        if not off:
            return
        near = (hidden(goal, instance) > 0, min(off))
        best = sought.nearest.get(goal)
        if best is None or near < best[:2]:
            sought.nearest[goal] = (*near, instance)

    def _consistent(self, sought: Sought, state: State, alike: int, parent: Instance | None) -> tuple[State, bool]:
        """A state with fields repaired where invariants settle them, and whether the invariants seem to hold in it."""
        if parent is not None and state is parent.state:
            return state, parent.consistent
        if state is self._start:
            return state, True
        since = parent.state if parent is not None and parent.consistent else None
        place = (alike, parent.alike if parent is not None and parent.consistent else None)
        known = sought.stands.get(place)
        if known is not None:
            return state, known
        holds = not self._standing.broken(state, since, None if parent is None else parent.state)
        repaired = None if holds else self._standing.repaired(state, since)
        if repaired is not None:
            return repaired, True
        sought.stands[place] = holds
        return state, holds

    def _exact(self, sought: Sought, instance: Instance, fars: list[tuple[Goal, Beam, float]]) -> Instance:
        """An instance that would show something, with all invariants looked at from the start, and repaired where that helps."""
        shows = any(far == 0 for _, _, far in fars)
        if not shows or not instance.consistent or instance.state is self._start or not self._standing.broken(instance.state):
            return instance
        repaired = self._standing.repaired(instance.state)
        again = None
        if repaired is not None:
            again = self._lens.look(repaired, sought.tool.name, instance.arguments, self._now)
        return again or replace(instance, consistent=False)

    def _accept(self, sought: Sought, goal: Goal, instance: Instance) -> None:
        held = sought.found.setdefault(goal, [])
        if goal.kind != "argument":
            instance = self._shortened(sought.tool, instance)
        if all((one.state is not instance.state or one.arguments != instance.arguments) for one in held):
            held.append(instance)
        if len(held) >= wanted(goal):
            sought.open = [held for held in sought.open if held[0] is not goal]

    def _shortened(self, tool: Tool, instance: Instance) -> Instance:
        """The same call without arguments that are what would be taken anyway: so defaults are looked at too."""
        kept = {name: value for name, value in instance.arguments.items() if name not in self._defaults(tool) or value != self._defaults(tool)[name]}
        return instance if len(kept) == len(instance.arguments) else replace(instance, arguments=kept)

    def _defaults(self, tool: Tool) -> dict[str, Any]:
        """Constants that stand for arguments that are not sent, as JSON."""
        if tool.name not in self._taken:
            self._taken[tool.name] = {
                one.argument: scalar_json(one.type.required())(constant(one.default.value, one.type.required()))
                for one in tool.params
                if isinstance(one.default, n.Const) and one.default.value is not None and one.type.kind not in ("list", "map", "struct", "row")
            }
        return self._taken[tool.name]


def steps(goal: Goal, instance: Instance) -> list[Fraction]:
    """Differences by which a value may have to move, from how near comparisons came to their boundaries."""
    marks = [mark for mark in goal.marks if mark in instance.trace.distances] or list(instance.trace.distances)
    sides = (goal.number,) if goal.kind == "boundary" else (-1, 0, 1)
    return [step for mark in marks for step in instance.trace.steps(mark, sides)]


def seek_all(reference: Reference, start: State, standing: Standing, seed: str) -> list[Sought]:
    """Looks for all goals of all tools; those that nothing shows yet are looked for longer."""
    tools = reference.domain.tools
    seeker = Seeker(reference, start, standing, seed)
    shown: set[object] = set()
    found = [seeker.reseeded(f"{seed}/{tool.name}").seek(tool, shown) for tool in tools]
    for again in range(AGAIN):
        for goal, sought in unshown_goals(found).items():
            name = f"{seed}/{sought.tool.name}/{again}"
            (seeker.aimed(name, draws=DRAWS) if again else seeker.reseeded(name)).seek_more(sought, goal, keen=True)
    for goal, sought in unseen_writes(found).items():
        seeker.aimed(f"{seed}/{sought.tool.name}/writes").seek_more(sought, goal, PER_WRITE, keen=True)
    for sought in found:
        sought.rest()
    return found


def unseen_writes(found: list[Sought]) -> dict[Goal, Sought]:
    """Writes and loops that nothing shows, in this tool or another: whole statements are not seen without them."""
    shown = {place(goal) for one in found for goal in one.found}
    return {goal: one for one in found for goal in one.missing() if goal.written and place(goal) not in shown}


def unshown_goals(found: list[Sought]) -> dict[Goal, Sought]:
    """Goals for which no call was found; those inside functions, if no tool that calls them shows them."""
    shown = {place(goal) for one in found for goal in one.goals if one.shows(goal)}
    return {
        goal: one
        for one in found
        for goal in one.missing()
        if not goal.optional and not one.shows(goal) and not (goal.shared and place(goal) in shown)
    }


def place(goal: Goal) -> object:
    """What a goal is about, whichever tool shows it."""
    return goal.mark, goal.kind, goal.number
