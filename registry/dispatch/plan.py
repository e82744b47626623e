"""How each tool of an environment is called: made once per environment, used by every call."""

import difflib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

from registry.dispatch.schema import ArgumentSchema
from registry.dispatch.values import Parse, list_of, parser_for, struct_parser
from registry.environment import Environment
from registry.package import runtime as rt
from registry.package.meta import ParameterMeta


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolPlan:
    """One tool.

    Attributes:
        function: Takes the context, then parameters by name.
        schema: Of its arguments.
        values: (argument, parameter, parse) of parameters that are values.
        rows: (argument, parameter meta, parse) of parameters that are rows or lists of rows.
        unset: (argument, parameter) of parameters that are told when they were not sent.
    """

    function: Callable[..., Any]
    schema: ArgumentSchema
    values: tuple[tuple[str, str, Parse], ...]
    rows: tuple[tuple[str, ParameterMeta, Parse], ...]
    unset: tuple[tuple[str, str], ...]


class Plans:
    """Plans of one environment by tool name, made when first used."""

    def __init__(self, environment: Environment) -> None:
        self._environment = environment
        self._schemas: Mapping[str, dict[str, Any]] = {tool["name"]: tool["inputSchema"] for tool in environment.tools}
        self._made: dict[str, ToolPlan] = {}

    @property
    def schema(self) -> rt.Schema:
        """The tables of the package as its row classes say them."""
        schema: rt.Schema = self._environment.rows.SCHEMA
        return schema

    def find(self, tool: str) -> ToolPlan | None:
        """The plan, or None if the environment has no such tool."""
        found = self._made.get(tool)
        if found is None and tool in self._schemas:
            found = self._made[tool] = self._make(tool)
        return found

    @contextmanager
    def replaced(self, functions: Mapping[str, Callable[..., Any]]) -> Iterator[None]:
        """While it lasts, these tools run other functions: for tests that put a fault into a tool."""
        held = {tool: plan for tool in functions if (plan := self.find(tool)) is not None}
        self._made.update({tool: replace(plan, function=functions[tool]) for tool, plan in held.items()})
        try:
            yield
        finally:
            self._made.update(held)

    def close_to(self, tool: str) -> str:
        """What to do about a name that is not a tool's."""
        names = [*sorted(self._schemas), "submit_answer"]
        near = difflib.get_close_matches(tool, names, n=3, cutoff=0.5)
        return f"Did you mean {' or '.join(near)}?" if near else "Use a tool of the list."

    def _make(self, tool: str) -> ToolPlan:
        meta = self._environment.meta.tool(tool)
        parsed = [(parameter, self._parser(parameter)) for parameter in meta.parameters]
        return ToolPlan(
            function=getattr(self._environment.functions, tool),
            schema=ArgumentSchema(self._schemas[tool]),
            values=tuple((one.argument, one.name, parse) for one, parse in parsed if one.kind not in ("row", "rows")),
            rows=tuple((one.argument, one, parse) for one, parse in parsed if one.kind in ("row", "rows")),
            unset=tuple((one.argument, one.name) for one in meta.parameters if one.unset),
        )

    def _parser(self, parameter: ParameterMeta) -> Parse:
        if parameter.kind not in ("struct", "structs"):
            return parser_for(parameter)
        shape = struct_parser(self.schema.structs[parameter.struct], self._environment.meta.struct(parameter.struct))
        return shape if parameter.kind == "struct" else list_of(shape)
