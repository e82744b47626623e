"""checks.py: which rules a call would break, policies too, each with its evidence; and which invariants are broken."""

from synth.compile import literals
from synth.compile.expressions import Expressions
from synth.compile.functions import Functions
from synth.compile.header import module_docstring, one_line
from synth.compile.imports import imports
from synth.compile.layout import Code, call, code, lay_out, listed
from synth.compile.names import Names
from synth.compile.rows_py import functions_of_rows, kind_code
from synth.compile.statements import Statements
from synth.compile.tools_py import functions_of_tools, offered_by_rows, paging
from synth.compile.walk import acting_functions, for_trial, reachable
from synth.lang.domain import Domain, Function, Invariant, Param, Tool


class ChecksModule:
    """Prints checks.py of one domain."""

    def __init__(self, domain: Domain, names: Names) -> None:
        self._domain = domain
        self._names = names
        self._functions = Functions(domain, names)
        self._trials = acting_functions(domain)

    def lines(self) -> list[str]:
        """Lines of the module, without its imports."""
        lines: list[str] = []
        for function in self._own_functions():
            lines += ["", "", *self._functions.function(function)]
        for function in self._domain.functions:
            if function.name in self._trials:
                lines += ["", "", *self._trial_function(function)]
        for tool in self._domain.tools:
            lines += ["", "", *self._trial(tool)] if self._may_refuse(tool) else []
        for one in self._domain.invariants:
            lines += ["", "", *self._invariant(one)]
        return [*lines[2:], "", "", *self._table(), "", "", *_BROKEN, "", "", *self._violated()]

    def offered_by_tools(self) -> list[str]:
        """Names that checks.py may import from tools.py."""
        return [self._names.function(one) for one in functions_of_tools(self._domain)]

    def _own_functions(self) -> list[Function]:
        """Functions that only policies or invariants call, so that tools.py has none of them."""
        elsewhere = {*functions_of_tools(self._domain), *functions_of_rows(self._domain)}
        needed = reachable(
            self._domain, [*(one.body for one in self._domain.tools), *((one.bindings, one.condition) for one in self._domain.invariants)]
        )
        return [one for one in self._domain.functions if one.name in needed - elsewhere and one.name not in self._trials]

    def _trial_function(self, one: Function) -> list[str]:
        """A function that refuses or writes: what it would refuse is reported instead of raised."""
        printer = Expressions(self._domain, self._names, self._functions.scope(one.params, trial=True, trials=self._trials))
        result = "None" if one.result is None else printer.annotations.of(one.result)
        name = f"_try_{self._names.function(one.name)}"
        head = self._functions.signature(name, ("ctx: rt.ToolContext", "report: rt.Report"), one.params, result)
        return [
            *head,
            *(literals.docstring(one.doc, 1) if one.doc else []),
            *self._functions.defaults(one.params),
            *Statements(printer, one.result, trial=True).lines(one.body, 1),
        ]

    def _may_refuse(self, tool: Tool) -> bool:
        """Whether a call can break anything beside naming rows that are not there."""
        return tool.kind == "calculator" or bool(for_trial(self._domain, tool.body))

    def _trial(self, tool: Tool) -> list[str]:
        printer = Expressions(self._domain, self._names, self._functions.scope(tool.params, trial=True, trials=self._trials))
        head = self._functions.signature(f"_{tool.name}", ("ctx: rt.ToolContext", "report: rt.Report"), tool.params, "None", paging(tool))
        body = self._calculator(tool) if tool.kind == "calculator" else self._trial_body(printer, tool)
        return [*head, *literals.docstring(f"Tries {tool.name}.", 1), *self._functions.defaults(tool.params), *([] if body == ["    pass"] else body)]

    def _trial_body(self, printer: Expressions, tool: Tool) -> list[str]:
        return Statements(printer, None, tool=tool.kind, trial=True).lines(for_trial(self._domain, tool.body), 1)

    def _calculator(self, tool: Tool) -> list[str]:
        return ["    with report:", f"        rt.calculate({self._names.local(tool.params[0].name)})"]

    def _table(self) -> list[str]:
        entries = [self._check(tool) for tool in self._domain.tools]
        return lay_out(listed("{", entries, "}"), 0, "CHECKS: dict[str, rt.Check] = ")

    def _check(self, tool: Tool) -> Code:
        parameters = [code(f"{literals.text(self._names.local(one.name))}: ", self._argument(one)) for one in tool.params]
        parameters += [code(f'"{name}": rt.Argument("{name}", rt.INTEGER)') for name in ("limit", "offset") if tool.kind == "search"]
        return code(
            f"{literals.text(tool.name)}: ",
            listed("(", [code(f"_{tool.name}" if self._may_refuse(tool) else "rt.no_rules"), listed("{", parameters, "}")], ")"),
        )

    def _argument(self, one: Param) -> Code:
        kind, name = one.type.required(), literals.text(one.argument)
        item = kind.item
        if kind.kind == "row":
            return call("rt.RowArgument", [name, _texts(kind.entities)])
        if kind.kind == "list" and item is not None and item.kind == "row":
            return call("rt.RowsArgument", [name, _texts(item.entities)])
        if kind.kind == "struct":
            return call("rt.StructArgument", [name, literals.text(kind.name)])
        if kind.kind == "list" and item is not None and item.kind == "struct":
            return call("rt.StructArgument", [name, literals.text(item.name), "many=True"])
        return call("rt.Argument", [name, kind_code(kind)])

    def _invariant(self, one: Invariant) -> list[str]:
        printer = Expressions(self._domain, self._names, self._functions.scope(()))
        body = Statements(printer, None).lines(one.bindings, 1) if one.bindings else []
        last = lay_out(printer.code(one.condition), 1, "return ")
        return [f"def _holds_{one.name}(ctx: rt.Reader) -> bool:", *literals.docstring(one.doc, 1), *body, *last]

    def _violated(self) -> list[str]:
        entries = [code(f"{literals.text(one.name)}: _holds_{one.name}") for one in self._domain.invariants]
        table = lay_out(listed("{", entries, "}"), 0, "INVARIANTS: dict[str, Callable[[rt.Reader], bool]] = ")
        return [*table, "", "", *_VIOLATED]


_BROKEN = [
    "def broken(ctx: rt.Reader, tool: str, arguments: dict[str, Any]) -> list[rt.Broken]:",
    '    """Every rule that this call would break now; the caller undoes what is tried out on the store."""',
    "    return rt.try_call(ctx.store, ctx.schema, CHECKS[tool], arguments)",
]
_VIOLATED = [
    "def violated(ctx: rt.Reader) -> list[str]:",
    '    """Names of the invariants that do not hold now."""',
    "    return [name for name, holds in INVARIANTS.items() if not holds(ctx)]",
]


def _texts(words: tuple[str, ...]) -> Code:
    return listed("(", [literals.text(word) for word in words], ",)" if len(words) == 1 else ")")


def checks_module(domain: Domain, names: Names) -> str:
    """Text of checks.py."""
    module = ChecksModule(domain, names)
    body = module.lines()
    head = module_docstring(domain, f"Rules that a call of a tool of {one_line(domain.title)} would break.")
    return "\n".join([*head, "", *imports(body, offered_by_rows(domain, names), module.offered_by_tools()), "", "", *body]) + "\n"
