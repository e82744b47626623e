"""Proves that the gate sees: faulty tools are run on its recorded calls, and every fault must show."""

import ast
import logging
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from types import CodeType, FunctionType
from typing import Any

from registry.environment import Environment
from registry.episode import LocalEpisode
from registry.episode.local import engine_of
from registry.package.change import RowChange
from synth.gate.closer import Closer
from synth.gate.compare import changes_disagree, disagreements
from synth.gate.edits import Edit, Edits
from synth.gate.equivalent import equivalent
from synth.gate.execute import into
from synth.gate.places import Places
from synth.gate.seek import Sought
from synth.gate.standing import Standing
from synth.reference.interpret import Reference
from synth.reference.prediction import Prediction, net_changes
from synth.reference.state import State

MOST_EXCEPTIONS = 0.02
"""The greatest share of mutants that may be called equivalent by an exception instead of a rule."""

LOOKS = 3
"""Closer looks at the tools of a fault that nothing shows: each draws otherwise."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Deep:
    """What the mutants are made of.

    Attributes:
        source: Text of tools.py; `rows` is that of rows.py.
        exceptions: Mutants that a person has looked at and found equivalent, with the reason.
        functions: Only these are made faulty; all if there are none.
    """

    source: str
    rows: str = ""
    exceptions: Mapping[str, str] = field(default_factory=dict)
    functions: tuple[str, ...] = ()

    def chosen(self, function: str) -> bool:
        """Whether a function is made faulty."""
        return not self.functions or function in self.functions


@dataclass(frozen=True, slots=True, kw_only=True)
class Mutated:
    """What became of the mutants of one environment.

    Attributes:
        made: All of them; `kinds` says how many of each kind.
        killed: Those of which a call showed the fault; `closer` of them only a call near those of the gate.
        equivalent: Those that cannot show, each with the rule or the reason that says so; `excepted` of them by an exception.
        survived: The others, each with what was changed.
        stale: Exceptions of which there is no such survivor.
        unknown: Functions that were to be made faulty and are not there.
    """

    made: int
    killed: int
    closer: int
    equivalent: tuple[str, ...]
    excepted: int
    survived: tuple[str, ...]
    stale: tuple[str, ...]
    kinds: Mapping[str, int]
    unknown: tuple[str, ...] = ()

    @property
    def problems(self) -> tuple[str, ...]:
        """Why the gate is not seen to see, one sentence each."""
        found = [f"{one}: expected a call of the gate that shows this fault, got none. The gate must look closer." for one in self.survived]
        found += [f"{one}: expected a fault that no call shows, got one that is shown. Remove the exception." for one in self.stale]
        found += [f"{one}: expected a tool or function of the environment, got none of this name. Name one of tools.py." for one in self.unknown]
        if self.excepted > MOST_EXCEPTIONS * self.made:
            found.append(f"exceptions: expected at most {MOST_EXCEPTIONS:.0%} of {self.made} mutants, got {self.excepted}. Let the gate find more.")
        return tuple(found)


class Recorded:
    """One call of the gate: a state, arguments, and what must come of it."""

    def __init__(self, reference: Reference, start: State, tool: str, state: State, arguments: Any) -> None:
        self.tool = tool
        self.state = state
        self.arguments = arguments
        self._reference = reference
        self._start = start

    @cached_property
    def predicted(self) -> Prediction:
        """What the interpreter says."""
        return self._reference.predict(self.state, self.tool, self.arguments, self._reference.now)

    @cached_property
    def changes(self) -> tuple[RowChange, ...]:
        """How the state after the call differs from the start."""
        return net_changes(self._reference.tables, self._start, self.predicted.state)

    def shows_fault(self, episode: LocalEpisode) -> bool:
        """Whether the tool does something else than what is predicted."""
        episode.reset()
        into(episode, self._start, self.state)
        outcome = episode.call(self.tool, self.arguments)
        return bool(disagreements(outcome, self.predicted) or changes_disagree(self.changes, episode.changes))


class Recording:
    """The calls of the gate by tool: the instances that show something, then the calls of the tester."""

    def __init__(self, reference: Reference, start: State, standing: Standing, sought: Sequence[Sought]) -> None:
        self._reference = reference
        self._start = start
        self._closer = Closer(reference, start, standing, sought, reference.domain.sha256)
        self._near: dict[tuple[str, int], list[Recorded]] = {}
        self._calls = {
            one.tool.name: [Recorded(reference, start, one.tool.name, held.state, held.arguments) for held in one.instances()] for one in sought
        }

    def add(self, state: State, tool: str, arguments: Any) -> None:
        """One more call."""
        self._calls[tool].append(Recorded(self._reference, self._start, tool, state, arguments))

    def of(self, tool: str) -> list[Recorded]:
        """Calls of a tool."""
        return self._calls.setdefault(tool, [])

    def near(self, tool: str, again: int) -> list[Recorded]:
        """Calls near those, made when they are first needed; each time that nothing has shown a fault, other ones."""
        if (tool, again) not in self._near:
            found = self._closer.look(tool, again) if tool in self._calls else ()
            self._near[tool, again] = [Recorded(self._reference, self._start, tool, *one) for one in found]
        return self._near[tool, again]


class Mutants:
    """Makes and runs the mutants of one environment.

    Args:
        recorded: On the tools as they are, each call comes to what is predicted.
    """

    def __init__(self, environment: Environment, deep: Deep, start: State, recorded: Recording) -> None:
        self._module = vars(environment.functions)
        self._plans = engine_of(environment).plans
        self._tools = tuple(one["name"] for one in environment.tools)
        self._recorded = recorded
        self._deep = deep
        self._exceptions = {name: reason for name, reason in deep.exceptions.items() if deep.chosen(name.partition(":")[0])}
        self._closer = 0
        self._tree = ast.parse(deep.source)
        constants = {name: one for name, one in self._module.items() if name.isupper() and not isinstance(one, FunctionType)}
        self._edits = Edits(environment.rows.SCHEMA, constants)
        self._places = Places(self._edits.columns, self._tree, ast.parse(deep.rows), constants)
        self._functions = {name: one for name, one in self._module.items() if isinstance(one, FunctionType) and one.__globals__ is self._module}
        self._episode = LocalEpisode(environment, scenario=start.world_rows(), call_limit=0)

    def run(self) -> Mutated:
        """Every mutant, until a call shows its fault."""
        kinds: Counter[str] = Counter()
        alive: list[Edit] = []
        with _quiet():
            for edit in self._edits.of(self._tree, self._deep.chosen):
                kinds[edit.kind] += 1
                if not self._killed(edit):
                    alive.append(edit)
        self._episode.close()
        return self._sorted(alive, kinds)

    def _sorted(self, alive: list[Edit], kinds: Counter[str]) -> Mutated:
        ruled = [f"{edit}: {rule}" for edit in alive if (rule := equivalent(edit, self._places))]
        left = [edit for edit in alive if not equivalent(edit, self._places)]
        excepted = [f"{edit}: {self._exceptions[edit.key]}" for edit in left if edit.key in self._exceptions]
        survived = [str(edit) for edit in left if edit.key not in self._exceptions]
        made, keys = sum(kinds.values()), {edit.key for edit in left}
        return Mutated(
            made=made, killed=made - len(alive), closer=self._closer,
            equivalent=(*ruled, *excepted), excepted=len(excepted), survived=tuple(survived),
            stale=tuple(one for one in self._exceptions if one not in keys), kinds=dict(sorted(kinds.items())),
            unknown=tuple(one for one in self._deep.functions if one not in self._functions),
        )  # fmt: skip

    def _killed(self, edit: Edit) -> bool:
        functions = self._with(edit.function, edit.code())
        reached = [tool for tool in self._tools if tool == edit.function or edit.function in self._reaches(tool)]
        with self._plans.replaced({tool: functions[tool] for tool in reached}):
            if any(self._shown(self._recorded.of(tool)) for tool in reached):
                return True
            if equivalent(edit, self._places):
                return False
            shown = any(self._shown(self._recorded.near(tool, again)) for again in range(LOOKS) for tool in reached)
            self._closer += shown
            return shown

    def _shown(self, calls: list[Recorded]) -> bool:
        """Whether one of the calls shows the fault that is in the tools now; it comes first from then on, as faults beside one another show alike."""
        for at, one in enumerate(calls):
            if one.shows_fault(self._episode):
                calls.insert(0, calls.pop(at))
                return True
        return False

    def _with(self, name: str, code: CodeType) -> dict[str, FunctionType]:
        """All functions of the module, one of them in another form; the module itself stays as it is."""
        globals_: dict[str, Any] = dict(self._module)
        made = {other: _bound(one, globals_) for other, one in self._functions.items()}
        globals_.update(made)
        exec(code, globals_)  # code of the package, with one edit of ours  # noqa: S102
        return {**made, name: globals_[name]}

    def _reaches(self, name: str) -> frozenset[str]:
        """Functions of the module that a function calls, directly or not."""
        found: dict[str, None] = {name: None}
        pending = [name]
        while pending:
            for called in _names(self._functions[pending.pop()].__code__):
                if called in self._functions and called not in found:
                    found[called] = None
                    pending.append(called)
        return frozenset(found)


def _bound(function: FunctionType, globals_: dict[str, Any]) -> FunctionType:
    made = FunctionType(function.__code__, globals_, function.__name__, function.__defaults__, function.__closure__)
    made.__kwdefaults__ = function.__kwdefaults__
    return made


def _names(code: CodeType) -> Iterator[str]:
    yield from code.co_names
    for one in code.co_consts:
        if isinstance(one, CodeType):
            yield from _names(one)


@contextmanager
def _quiet() -> Iterator[None]:
    """Defects are what mutants are made for: none of them is worth a line in the log."""
    log = logging.getLogger("registry.dispatch.tool_call")
    held = log.disabled
    log.disabled = True
    try:
        yield
    finally:
        log.disabled = held
