"""Statements of tools and functions as Python closures that read and write one state."""

from collections.abc import Callable
from typing import Any, NamedTuple

from registry.package.errors import ToolRefusal
from synth.lang import nodes as n
from synth.lang.domain import Domain, Function
from synth.reference.arithmetic import binary
from synth.reference.evaluate import Expressions
from synth.reference.loops import binder
from synth.reference.run import Code, Fault, Run, Scope
from synth.reference.state import Ref
from synth.reference.values import UNSET
from synth.reference.writes import Writes

Step = Callable[[Run, Scope], None]

RESULT = "$result"
"""Where a scope keeps what the body returned; no name of the language looks so."""

NO_VALUE = (Fault, KeyError, IndexError, TypeError, AttributeError, ZeroDivisionError, OverflowError, ValueError)
"""What a closure raises when an expression has no value: the seed did not rule the case out."""


class Broken(NamedTuple):
    """A rule that a call would break.

    Attributes:
        enforced: False for `policy` rules.
        derived: Marks those that no rule of the seed states.
        mark: Identity of the node of the rule.
    """

    code: str
    sentence: str
    evidence: tuple[str, ...]
    enforced: bool
    derived: bool = False
    mark: int = 0


class Enough(Exception):
    """As many broken rules are found as were asked for."""


class Survey(Run):
    """A run that collects broken rules instead of stopping at the first.

    Attributes:
        beyond: Whether effects are tried even after a broken rule (each refused one is skipped); otherwise they are not reached.
        most: So many broken rules end it with `Enough`; 0 for any number.
    """

    __slots__ = ("beyond", "broken", "most")

    broken: list[Broken]
    beyond: bool
    most: int

    def stopped(self) -> bool:
        """Whether effects are not reached any more."""
        return not self.beyond and any(one.enforced for one in self.broken)

    def note(self, found: Broken) -> None:
        """Keeps a broken rule, once."""
        if found not in self.broken:
            self.broken.append(found)
            if len(self.broken) == self.most:
                raise Enough


class Statements:
    """Makes closures of bodies.

    Args:
        domain: The resolved seed.
        expressions: Makes the closures of expressions; a watching one, for tests.
        survey: Whether bodies collect all broken rules (they then need a `Survey`); policies are looked at only then.
        expressions: What makes the closures of expressions, if not the usual one.
    """

    def __init__(self, domain: Domain, *, survey: bool = False, expressions: Expressions | None = None) -> None:
        self.expressions = expressions or Expressions(domain)
        self.writes = Writes(self.expressions)
        self._survey = survey
        self._sources = {one.name: one for one in domain.functions}
        self.expressions.forms[n.Create] = self._create
        self.expressions.forms[n.Copy] = self._copy
        self.expressions.functions = _Lazy(self._function)
        self.forms: dict[type, Callable[[Any], Step]] = {
            n.Bind: self._bind,
            n.Rule: self._rule,
            n.Assign: self._assign,
            n.Do: self._do,
            n.Delete: self._delete,
            n.Patch: self._patch,
            n.If: self._if,
            n.For: self._for,
            n.Return: self._return,
        }

    def body(self, statements: tuple[n.Statement, ...]) -> Step:
        """The closure of a list of statements."""
        steps = [self._statement(one) for one in statements if self._survey or not _is_policy(one)]
        if len(steps) == 1:
            return steps[0]

        def run_all(run: Run, scope: Scope) -> None:
            for step in steps:
                step(run, scope)

        return run_all

    def _statement(self, node: n.Statement) -> Step:
        step = self.forms[type(node)](node)
        return _forgiving(step) if self._survey else step

    def _function(self, name: str) -> Callable[[Run, list[Any]], Any]:
        function: Function = self._sources[name]
        names, body = [one.name for one in function.params], self.body(function.body)

        def call(run: Run, args: list[Any]) -> Any:
            scope: Scope = dict(zip(names, args, strict=True))
            body(run, scope)
            return scope[RESULT] if function.result is not None else None

        keeper = self.expressions.keeper
        return call if keeper is None else keeper.function(function, call)

    def _bind(self, node: n.Bind) -> Step:
        name, value = node.name, self._value(node.value)

        def bind(run: Run, scope: Scope) -> None:
            scope[name] = value(run, scope)

        return bind

    def _value(self, node: n.Node) -> Code:
        return self.expressions.code(node)

    def _rule(self, node: n.Rule) -> Step:
        condition = self._value(node.condition)
        says = self._value(node.says) if node.says is not None else None
        cited = [self._value(one) for one in node.evidence]

        def check(run: Run, scope: Scope) -> None:
            if condition(run, scope):
                return
            sentence = says(run, scope) if says is not None else node.sentence
            evidence = _ids([one(run, scope) for one in cited])
            if not isinstance(run, Survey):
                raise ToolRefusal(node.code, sentence, evidence)
            run.note(Broken(node.code, sentence, evidence, node.enforced, mark=id(node)))

        return check

    def _assign(self, node: n.Assign) -> Step:
        if node.target.access == "links" and node.op != "=":
            return self._assign_links(node)
        field, inside = _assigned_field(node.target)
        base, value, name = self._value(field.base), self._value(node.value), field.name
        read, before = self._value(field), self._value(node.target)
        combine = binary(node.op[0], node.target.type, node.value.type) if node.op != "=" else None

        def assign(run: Run, scope: Scope) -> None:
            _reached(run)
            new = value(run, scope)
            if combine is not None:
                new = combine(before(run, scope), new)
            if inside:
                new = {**(read(run, scope) or {}), inside: new}
            self.writes.update(run, base(run, scope), {name: new})

        return assign

    def _assign_links(self, node: n.Assign) -> Step:
        base, value, name = self._value(node.target.base), self._value(node.value), node.target.name
        change = self.writes.link if node.op == "+=" else self.writes.unlink

        def assign(run: Run, scope: Scope) -> None:
            _reached(run)
            ref = base(run, scope)
            change(run, ref, self.expressions.tables.fields[ref.entity][name], value(run, scope))

        return assign

    def _create(self, node: n.Create) -> Code:
        entity = self.expressions.tables.entities[node.entity]
        values = [(name, self._value(value)) for name, value in node.values]

        def create(run: Run, scope: Scope) -> Ref:
            _reached(run)
            return self.writes.create(run, entity, _sent(run, scope, values))

        return create

    def _copy(self, node: n.Copy) -> Code:
        row = self._value(node.row)
        values = [(name, self._value(value)) for name, value in node.values]

        def copy(run: Run, scope: Scope) -> Ref:
            _reached(run)
            return self.writes.copy(run, row(run, scope), _sent(run, scope, values))

        return copy

    def _do(self, node: n.Do) -> Step:
        code = self._value(node.value)

        def do(run: Run, scope: Scope) -> None:
            code(run, scope)

        return do

    def _delete(self, node: n.Delete) -> Step:
        row = self._value(node.row)

        def delete(run: Run, scope: Scope) -> None:
            _reached(run)
            self.writes.delete(run, row(run, scope))

        return delete

    def _patch(self, node: n.Patch) -> Step:
        row = self._value(node.row)
        values = [(name, self._value(value)) for name, value in node.values]

        def patch(run: Run, scope: Scope) -> None:
            _reached(run)
            self.writes.update(run, row(run, scope), _sent(run, scope, values))

        return patch

    def _if(self, node: n.If) -> Step:
        branches = [(self._value(condition) if condition is not None else None, self.body(body)) for condition, body in node.branches]

        def choose(run: Run, scope: Scope) -> None:
            for condition, body in branches:
                if condition is None or condition(run, scope):
                    body(run, scope)
                    return

        return choose

    def _for(self, node: n.For) -> Step:
        source, body, bind = self._value(node.source), self.body(node.body), binder(node.targets)

        def loop(run: Run, scope: Scope) -> None:
            for value in list(source(run, scope)):
                run.step()
                bind(scope, value)
                body(run, scope)

        return loop

    def _return(self, node: n.Return) -> Step:
        value = self._value(node.value)

        def give(run: Run, scope: Scope) -> None:
            scope[RESULT] = value(run, scope)

        return give


class _Lazy(dict[str, Callable[[Run, list[Any]], Any]]):
    """Functions of the seed, made when first called, so that they may call each other in any order."""

    def __init__(self, make: Callable[[str], Callable[[Run, list[Any]], Any]]) -> None:
        super().__init__()
        self._make = make

    def __missing__(self, name: str) -> Callable[[Run, list[Any]], Any]:
        self[name] = made = self._make(name)
        return made


def _reached(run: Run) -> None:
    """Effects are not reached in a survey that has found an enforced rule broken."""
    if isinstance(run, Survey) and run.stopped():
        raise Fault("not reached")


def _forgiving(step: Step) -> Step:
    """A step of a survey: what has no value is skipped, a derived refusal is noted."""

    def attempt(run: Run, scope: Scope) -> None:
        try:
            step(run, scope)
        except ToolRefusal as refusal:
            if isinstance(run, Survey):
                run.note(Broken(refusal.code, refusal.sentence, refusal.evidence, enforced=True, derived=True))
        except NO_VALUE:
            return

    return attempt


def _sent(run: Run, scope: Scope, values: list[tuple[str, Code]]) -> dict[str, Any]:
    """The values without those of parameters that were not sent."""
    return {name: found for name, value in values if (found := value(run, scope)) is not UNSET}


def _assigned_field(target: n.Attr) -> tuple[n.Attr, str]:
    """The field that an assignment writes, with the name inside it if the field is a struct."""
    if target.access == "struct" and isinstance(target.base, n.Attr):
        return target.base, target.name
    return target, ""


def _is_policy(node: n.Statement) -> bool:
    return isinstance(node, n.Rule) and not node.enforced


def _ids(cited: list[Any]) -> tuple[str, ...]:
    """Ids of rows and lists of rows, sorted and distinct."""
    rows = [row for one in cited for row in (one if isinstance(one, list) else [one])]
    return tuple(sorted({row.key for row in rows if row is not None}))
