"""Predicts what a call of a tool does to plain rows, from the resolved seed alone."""

import datetime as dt
from collections.abc import Callable, Collection, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import orjson

from registry.package import refusals
from registry.package.change import Stored
from registry.package.errors import ToolRefusal
from synth.lang.domain import Domain, Invariant, Param, Tool
from synth.reference.arguments import Invalid, parser
from synth.reference.calculator import calculate
from synth.reference.identity import start_counters
from synth.reference.prediction import Prediction
from synth.reference.result import Dump, Results
from synth.reference.run import Code, Run, Scope
from synth.reference.search import PAGING, Searches
from synth.reference.state import Ref, State, from_rows
from synth.reference.statements import NO_VALUE, RESULT, Broken, Enough, Statements, Step, Survey
from synth.reference.tables import Tables
from synth.reference.values import UNSET, number_json

RESULT_LENGTH = 64 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class Program:
    """One tool, ready to run.

    Attributes:
        parse: JSON arguments to values by parameter; rows as ids.
        params: Parameters with the closures of their defaults.
        answer: Runs the tool in a scope and gives its result as JSON.
    """

    parse: Callable[[Any], dict[str, Any]]
    params: tuple[tuple[Param, Code | None], ...]
    answer: Callable[[Run, Scope], Any]


class Reference:
    """The interpreter of one domain. It keeps nothing but closures of the seed; states come and go as arguments."""

    def __init__(self, domain: Domain) -> None:
        self.domain = domain
        self.statements = Statements(domain)
        self.expressions = self.statements.expressions
        self.tables: Tables = self.expressions.tables
        self._survey = Statements(domain, survey=True)
        self._results = Results(self.expressions)
        self._searches = Searches(self.expressions, self._results)
        self._tools = {one.name: one for one in domain.tools}
        self._programs: dict[str, Program] = {}
        self._surveys: dict[str, Step] = {}
        self._invariants: list[tuple[Invariant, Step, Code]] = []
        self.now = dt.datetime.fromisoformat(domain.now)

    def state(self, rows: Iterable[tuple[str, Mapping[str, Stored]]]) -> State:
        """The start state that holds these rows, with counters after the greatest ids."""
        state = from_rows(self.tables.names, rows)
        for entity in self.domain.entities:
            if entity.id_kind == "counter":
                start_counters(state, entity, entity.field(entity.id_per).columns[0].name if entity.id_per else "")
        return state

    def run(self, state: State, now: dt.datetime, generators: Mapping[str, Callable[..., Any]] | None = None) -> Run:
        """An evaluation in this state."""
        return Run(state, now, self.actor(state), generators)

    def actor(self, state: State) -> Ref | None:
        """The acting user."""
        actor = self.domain.actor
        return Ref(actor, state.keys(actor)[0]) if actor and state.tables[actor] else None

    def predict(self, state: State, tool: str, arguments: Any, now: dt.datetime) -> Prediction:
        """What a call does. The state given stays as it is.

        Args:
            tool: Name of a tool of the domain; KeyError if there is none.
            arguments: JSON as an agent would send it; None stands for none.
        """
        program = self.program(tool)

        def outcome(kind: Any, **fields: Any) -> Prediction:
            return Prediction(**{"kind": kind, "before": state, "state": state, "tables": self.tables, **fields})

        try:
            values = program.parse({} if arguments is None else arguments)
        except Invalid as error:
            return outcome("invalid", text=str(error))
        after = state if self.domain_tool(tool).read_only else state.fork()
        run = self.run(after, now)
        try:
            result = program.answer(run, self.scope(run, program, values))
            _fitting(result)
        except ToolRefusal as refusal:
            return outcome("refused", code=refusal.code, text=refusal.sentence, evidence=refusal.evidence)
        except OverflowError:
            return outcome("refused", code="LIMIT", text="A date or number would go beyond what can be kept.")
        except NO_VALUE as error:
            return outcome("defect", text=f"{type(error).__name__}: {error}")
        writes = () if after is state else tuple(after.writes)
        return outcome("ok", result=result, state=after, writes=writes)

    def broken(self, state: State, tool: str, arguments: Any, now: dt.datetime, most: int = 0) -> list[Broken]:
        """Every rule that the call would break now, enforced or not, and every derived refusal; raises Invalid for arguments that do not fit.

        Rules after a broken one count too; what cannot be computed because of it is skipped, and so is each refused effect.

        Args:
            most: The first so many are enough, and no further one is looked for; 0 for all.
        """
        values = self.program(tool).parse({} if arguments is None else arguments)
        run = Survey(state.fork(), now, self.actor(state))
        run.broken, run.beyond, run.most = [], True, most
        with suppress(Enough):
            self._look_over(run, tool, values)
        return run.broken

    def _look_over(self, run: Survey, tool: str, values: Mapping[str, Any]) -> None:
        """Notes what the call would break."""
        program, declared = self.program(tool), self.domain_tool(tool)
        scope = self.scope(run, program, values)
        if declared.kind == "calculator":
            self._miscalculated(program, run, scope)
            return
        if tool not in self._surveys:
            self._surveys[tool] = self._survey.body(declared.body)
        self._surveys[tool](run, scope)

    @staticmethod
    def _miscalculated(program: Program, run: Survey, scope: Scope) -> None:
        try:
            program.answer(run, scope)
        except ToolRefusal as refusal:
            run.note(Broken(refusal.code, refusal.sentence, refusal.evidence, enforced=True, derived=True))

    def invariants(self, state: State, now: dt.datetime | None = None, names: Collection[str] | None = None) -> list[str]:
        """Names of the invariants that do not hold; only of these, if any are named."""
        if len(self._invariants) < len(self.domain.invariants):
            self._invariants = [(one, self.statements.body(one.bindings), self.expressions.code(one.condition)) for one in self.domain.invariants]
        wanted = [held for held in self._invariants if names is None or held[0].name in names]
        return [one.name for one, bindings, condition in wanted if not self._holds(state, now or self.now, bindings, condition)]

    def _holds(self, state: State, now: dt.datetime, bindings: Step, condition: Code) -> bool:
        run, scope = self.run(state, now), Scope()
        try:
            bindings(run, scope)
            return bool(condition(run, scope))
        except NO_VALUE:
            return False

    def domain_tool(self, name: str) -> Tool:
        """The tool called `name`; KeyError if there is none."""
        return self._tools[name]

    def program(self, tool: str) -> Program:
        """A tool, ready to run."""
        program = self._programs.get(tool)
        if program is None:
            program = self._programs[tool] = self._make(self.domain_tool(tool))
        return program

    def _make(self, tool: Tool) -> Program:
        params = tuple((one, self.expressions.code(one.default) if one.default is not None else None) for one in tool.params)
        return Program(parse=parser(self.domain, tool.params, PAGING if tool.search is not None else {}), params=params, answer=self._answer(tool))

    def _answer(self, tool: Tool) -> Callable[[Run, Scope], Any]:
        if tool.search is not None:
            return self._searches.make(tool.search)
        if tool.kind == "calculator":
            return lambda run, scope: {"result": number_json(calculate(scope["expression"]), 4)}
        body = self.statements.body(tool.body)
        dump: Dump = self._results.with_parts if tool.kind == "get" else self._results.whole(tool.result)

        def answer(run: Run, scope: Scope) -> Any:
            body(run, scope)
            return dump(run, scope.get(RESULT))

        return answer

    def scope(self, run: Run, program: Program, values: Mapping[str, Any]) -> Scope:
        """Values of all parameters: those sent, rows found, defaults."""
        scope: Scope = {name: values[name] for name in PAGING if name in values}
        for param, default in program.params:
            if param.name in values:
                scope[param.name] = self._found(run, param, values[param.name])
            elif default is not None:
                scope[param.name] = default(run, scope)
            else:
                scope[param.name] = UNSET
        return scope

    def _found(self, run: Run, param: Param, value: Any) -> Any:
        if value is None or not (param.type.kind == "row" or (param.type.item and param.type.item.kind == "row")):
            return value
        if isinstance(value, list):
            return [self._find(run, param, key) for key in value]
        return self._find(run, param, value)

    @staticmethod
    def _find(run: Run, param: Param, key: str) -> Ref:
        entities = param.type.item.entities if param.type.item else param.type.entities
        for entity in entities:
            if key in run.state.tables[entity]:
                return Ref(entity, key)
        refusal = refusals.not_found(entities, key)
        if not isinstance(run, Survey):
            raise refusal
        run.note(Broken(refusal.code, refusal.sentence, refusal.evidence, enforced=True, derived=True))
        return Ref(entities[0], key)


def _fitting(result: Any) -> None:
    """Refuses a result that no reply may hold."""
    length = len(orjson.dumps(result).decode())
    if length > RESULT_LENGTH:
        sentence = f"The result has {length} characters, {RESULT_LENGTH} are allowed; nothing was done. Narrow the search."
        raise ToolRefusal("RESULT_TOO_LARGE", sentence)


_references: dict[int, Reference] = {}


def reference(domain: Domain) -> Reference:
    """The interpreter of a domain, made once per domain."""
    held = _references.get(id(domain))
    if held is None or held.domain is not domain:
        held = _references[id(domain)] = Reference(domain)
    return held
