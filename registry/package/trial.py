"""Which rules a call would break now: all of them, each with its evidence, without stopping at the first."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import TracebackType
from typing import Any

from registry.package import refusals
from registry.package.context import RowStore
from registry.package.errors import StepLimit, ToolRefusal
from registry.package.kinds import Kind
from registry.package.reading import ids
from registry.package.row import Row
from registry.package.schema import Schema
from registry.package.tool_context import ToolContext

UNEVALUABLE = (ArithmeticError, AttributeError, LookupError, NameError, TypeError, ValueError, StepLimit)
"""What an expression raises when a rule that it relies on is broken; effects that the rule keeps within bounds may be too many then."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Broken:
    """One rule that a call would break.

    Attributes:
        evidence: Ids of the rows that a correct decline must cite, sorted.
        enforced: The tool refuses; otherwise it is a policy, which only a careful agent keeps.
        sentence: The rule as policy.md gives it, or what the tool would say.
    """

    code: str
    evidence: tuple[str, ...]
    enforced: bool
    sentence: str = ""


class Report:
    """Gathers broken rules. As a context manager it passes over what cannot be evaluated because an enforced rule is broken."""

    __slots__ = ("broken",)

    def __init__(self) -> None:
        self.broken: list[Broken] = []

    def add(self, code: str, sentence: str, *evidence: Any, enforced: bool = True) -> None:
        """Notes a broken rule, once."""
        found = Broken(code=code, evidence=ids(*evidence), enforced=enforced, sentence=sentence)
        if found not in self.broken:
            self.broken.append(found)

    def refused(self, refusal: ToolRefusal) -> None:
        """Notes a derived refusal."""
        found = Broken(code=refusal.code, evidence=refusal.evidence, enforced=True, sentence=refusal.sentence)
        if found not in self.broken:
            self.broken.append(found)

    def __enter__(self) -> None: ...

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> bool:
        if isinstance(error, ToolRefusal):
            self.refused(error)
            error.__traceback__ = None  # its frames hold on to it
            return True
        return isinstance(error, UNEVALUABLE) and any(one.enforced for one in self.broken)


@dataclass(frozen=True, slots=True)
class Argument:
    """A parameter that is a value: its name on the wire and its kind."""

    name: str
    kind: Kind


@dataclass(frozen=True, slots=True)
class RowArgument:
    """A parameter that is a row of one of these tables."""

    name: str
    tables: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class RowsArgument:
    """A parameter that is a list of rows."""

    name: str
    tables: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class StructArgument:
    """A parameter that is a struct, or a list of them."""

    name: str
    struct: str
    many: bool = False


AnyArgument = Argument | RowArgument | RowsArgument | StructArgument
Trial = Callable[..., None]
Check = tuple[Trial, Mapping[str, AnyArgument]]


def no_rules(ctx: ToolContext, report: Report, **values: Any) -> None:
    """The trial of a tool without rules and effects."""


def try_call(store: RowStore, schema: Schema, check: Check, arguments: Mapping[str, Any]) -> list[Broken]:
    """Every rule that a call would break now, in the order in which they are met.

    The effects are tried out on the store: the caller undoes what is written there, as after a refused call.

    Args:
        store: Rows of the episode.
        schema: Of the package.
        check: The generated trial of the tool, with its parameters.
        arguments: A JSON object that fits the tool's schema.
    """
    report = Report()
    ctx = ToolContext(store, schema)
    trial, parameters = check
    values = {name: _value(ctx, report, one, arguments[one.name]) for name, one in parameters.items() if one.name in arguments}
    try:
        trial(ctx, report, **values)
    finally:
        ctx.close()
    return report.broken


def _value(ctx: ToolContext, report: Report, parameter: AnyArgument, given: Any) -> Any:
    if given is None:
        return None
    if isinstance(parameter, Argument):
        return parameter.kind.parse(given)
    if isinstance(parameter, RowArgument):
        return _row(ctx, report, parameter.tables, given)
    if isinstance(parameter, RowsArgument):
        return [_row(ctx, report, parameter.tables, one) for one in given]
    shape = ctx.schema.structs[parameter.struct]
    objects = given if parameter.many else [given]
    made = [shape(**{name: None if one.get(name) is None else kind.parse(one[name]) for name, kind in shape.KINDS.items()}) for one in objects]
    return made if parameter.many else made[0]


def _row(ctx: ToolContext, report: Report, tables: tuple[str, ...], key: str) -> Row:
    """The row, or a handle on a row that is missing, after noting that."""
    try:
        return ctx.resolve(tables, key)
    except ToolRefusal:
        report.refused(refusals.not_found(tables, key))
        return ctx.schema.names[tables[0]](ctx, key)
