"""Functions of a seed, and tools, as functions of Python."""

from synth.compile import literals
from synth.compile.annotations import Annotations
from synth.compile.expressions import Expressions, Scope
from synth.compile.layout import Code, code, lay_out, listed
from synth.compile.names import Names
from synth.compile.statements import Statements
from synth.compile.walk import without_policies
from synth.lang import nodes as n
from synth.lang.domain import Domain, Function, Param
from synth.lang.types import Type


class Functions:
    """Prints functions of one domain."""

    def __init__(self, domain: Domain, names: Names) -> None:
        self.domain = domain
        self.names = names

    def scope(self, params: tuple[Param, ...], *, trials: frozenset[str] = frozenset(), trial: bool = False) -> Scope:
        """Where the body of a function with these parameters is printed."""
        declared = {one.name: self.parameter_type(one) for one in params}
        return Scope(declared=declared, unset={one.name for one in params if one.unset}, trial=trial, trials=trials)

    def parameter_type(self, one: Param) -> Type:
        """Type of a parameter; one with the default None may be None."""
        default = one.default
        is_none = default is not None and getattr(default, "value", 0) is None
        return one.type.or_none() if is_none else one.type

    def signature(self, name: str, first: tuple[str, ...], params: tuple[Param, ...], result: str, last: tuple[str, ...] = ()) -> list[str]:
        """The `def` line or lines."""
        items = [*map(code, first), *(self.parameter(one) for one in params), *map(code, last)]
        return lay_out(code(f"def {name}", listed("(", items, ")")), 0, after=f" -> {result}:")

    def parameter(self, one: Param) -> Code:
        """One parameter with its annotation and default."""
        kind = self.parameter_type(one)
        annotation = Annotations(self.names).of(kind)
        name = self.names.local(one.name)
        if one.unset:
            return code(f"{name}: {annotation} | rt.Unset = rt.UNSET")
        if one.default is None:
            return code(f"{name}: {annotation}" if one.required else f"{name}: {annotation} = None")
        if _mutable(one):
            return code(f"{name}: {annotation} | None = None")
        return code(f"{name}: {annotation} = ", self._default(one))

    def _default(self, one: Param) -> Code:
        kind = self.parameter_type(one)
        return code("None") if one.default is None else Expressions(self.domain, self.names, Scope()).code(one.default, kind)

    def defaults(self, params: tuple[Param, ...]) -> list[str]:
        """First lines of a body: defaults that are lists or maps are made anew for each call."""
        found: list[str] = []
        for one in params:
            if _mutable(one):
                name = self.names.local(one.name)
                found += [f"    if {name} is None:", *lay_out(self._default(one), 2, f"{name} = ")]
        return found

    def function(self, one: Function) -> list[str]:
        """A function of the seed."""
        printer = Expressions(self.domain, self.names, self.scope(one.params))
        result = "None" if one.result is None else printer.annotations.of(one.result)
        first = ("ctx: rt.ToolContext" if one.effects else "ctx: rt.Reader",)
        head = self.signature(self.names.function(one.name), first, one.params, result)
        body = Statements(printer, one.result).lines(without_policies(self.domain, one.body), 1)
        return [*head, *(literals.docstring(one.doc, 1) if one.doc else []), *self.defaults(one.params), *body]


def _mutable(one: Param) -> bool:
    return not one.unset and isinstance(one.default, n.Display | n.Record | n.Comprehension)
