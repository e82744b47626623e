"""tools.py: one function per tool, and the functions of the seed that they call."""

from synth.compile import literals
from synth.compile.annotations import Annotations
from synth.compile.expressions import Expressions
from synth.compile.functions import Functions
from synth.compile.header import module_docstring, one_line
from synth.compile.imports import imports
from synth.compile.layout import Code, call, code, lay_out, listed
from synth.compile.names import Names
from synth.compile.rows_py import functions_of_rows
from synth.compile.statements import Statements
from synth.compile.walk import once_per_domain, reachable, without_policies
from synth.lang import nodes as n
from synth.lang.domain import Domain, Tool

_LIMIT = ("limit", "Most rows of a page, 1 to 50.")
_OFFSET = ("offset", "Rows before the page.")
_MODES = {"equal": "rt.equal", "contains": "rt.contains", "from": "rt.at_least", "to": "rt.at_most", "has": "rt.has"}


@once_per_domain
def functions_of_tools(domain: Domain) -> list[str]:
    """Functions of the seed that stand in tools.py, in order."""
    needed = reachable(domain, [without_policies(domain, one.body) for one in domain.tools])
    elsewhere = functions_of_rows(domain)
    return [one.name for one in domain.functions if one.name in needed and one.name not in elsewhere]


def offered_by_rows(domain: Domain, names: Names) -> list[str]:
    """Names that rows.py offers to the other modules."""
    found = [names.entity(one.name) for one in domain.entities] + [names.struct(one.name) for one in domain.structs]
    found += [names.enum(one) for one in domain.enums] + [names.constant(one.name) for one in domain.constants]
    return [*found, *(names.function(one) for one in functions_of_rows(domain)), "SCHEMA"]


def result_annotation(names: Names, tool: Tool) -> str:
    """What a tool gives back."""
    kind = tool.result
    if tool.kind == "search":
        return f"rt.Page[{names.entity(tool.entity)}]"
    if tool.kind == "get" and kind.kind == "row":
        return f"rt.Detail[{Annotations(names).of(kind)}]"
    if tool.kind == "calculator":
        return "Fraction"
    if not _gives(tool):
        return "rt.Done"
    return "dict[str, Any]" if kind.kind in ("map", "record") else Annotations(names, "Decimal").of(kind)


def _gives(tool: Tool) -> bool:
    return any(isinstance(one, n.Return) for one in tool.body)


class ToolsModule:
    """Prints tools.py of one domain."""

    def __init__(self, domain: Domain, names: Names) -> None:
        self._domain = domain
        self._names = names
        self._functions = Functions(domain, names)

    def lines(self) -> list[str]:
        """Lines of the module, without its imports."""
        lines: list[str] = []
        for name in functions_of_tools(self._domain):
            lines += ["", "", *self._functions.function(self._domain.function(name))]
        for tool in self._domain.tools:
            lines += ["", "", *self.tool(tool)]
        return lines[2:]

    def tool(self, tool: Tool) -> list[str]:
        """One tool."""
        result = result_annotation(self._names, tool)
        head = self._functions.signature(self._names.tool(tool.name), ("ctx: rt.ToolContext",), tool.params, result, paging(tool))
        return [*head, *self._docstring(tool), *self._functions.defaults(tool.params), *self._body(tool)]

    def _docstring(self, tool: Tool) -> list[str]:
        described = [(self._names.local(one.name), one.description) for one in tool.params if one.description]
        described += [_LIMIT, _OFFSET] if tool.kind == "search" else []
        args = ["Args:", *(f"    {name}: {one_line(about)}" for name, about in described)] if described else []
        return literals.docstring(tool.doc, 1, tuple(args))

    def _body(self, tool: Tool) -> list[str]:
        if tool.kind == "search":
            return self._search(tool)
        if tool.kind == "calculator":
            return [f"    return rt.calculate({self._names.local(tool.params[0].name)})"]
        printer = Expressions(self._domain, self._names, self._functions.scope(tool.params))
        body = Statements(printer, tool.result, tool=tool.kind).lines(without_policies(self._domain, tool.body), 1)
        if _gives(tool):
            return body
        return [*([] if body == ["    pass"] else body), "    return rt.DONE"]

    def _search(self, tool: Tool) -> list[str]:
        search = tool.search
        if search is None:
            raise ValueError(f"{tool.where}: a search without filters")
        items: list[Code | str] = [self._names.entity(search.entity)]
        items += [f"{_MODES[one.mode]}({literals.text(one.field)}, {self._names.local(one.param)})" for one in search.filters]
        if search.sort:
            closing = ",)" if len(search.sort) == 1 else ")"
            items.append(code("sort=", listed("(", [literals.text(one) for one in search.sort], closing)))
        items += ["limit=limit", "offset=offset"]
        return lay_out(call("ctx.search", items), 1, "return ")


def paging(tool: Tool) -> tuple[str, ...]:
    """The parameters that every search has beside its filters."""
    return ("limit: int = 20", "offset: int = 0") if tool.kind == "search" else ()


def tools_module(domain: Domain, names: Names) -> str:
    """Text of tools.py."""
    body = ToolsModule(domain, names).lines()
    head = module_docstring(domain, f"Tools of {one_line(domain.title)}.")
    return "\n".join([*head, "", *imports(body, offered_by_rows(domain, names)), "", "", *body]) + "\n"
