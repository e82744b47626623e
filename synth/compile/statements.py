"""Statements of the seed language as lines of code."""

from synth.compile import literals
from synth.compile.annotations import holds_record
from synth.compile.expressions import OR, Expressions
from synth.compile.layout import Code, call, code, lay_out
from synth.compile.returns import returned
from synth.compile.walk import inside
from synth.lang import nodes as n
from synth.lang.domain import Entity
from synth.lang.types import Type

Write = tuple[n.Node, list[tuple[str, Code]]]


class Statements:
    """Prints the body of one function.

    Args:
        printer: For its expressions.
        result: Type of what it returns, to which integers are fitted.
        tool: Its return is the result of a tool: numbers get their places.
        trial: Rules are reported, not raised, and nothing is returned.
    """

    def __init__(self, printer: Expressions, result: Type | None, *, tool: str = "", trial: bool = False) -> None:
        self._printer = printer
        self._result = result
        self._tool = tool
        self._trial = trial

    def lines(self, body: tuple[n.Statement, ...], depth: int) -> list[str]:
        """Lines of a body."""
        found: list[str] = []
        at = 0
        while at < len(body):
            taken, lines = self._next(body, at, depth)
            found.extend(lines)
            at += taken
        return found or [f"{'    ' * depth}pass"]

    def _next(self, body: tuple[n.Statement, ...], at: int, depth: int) -> tuple[int, list[str]]:
        """How many statements are printed together, and their lines."""
        one = body[at]
        if not self._trial:
            return self._statement(body, at, depth)
        if isinstance(one, n.Return):
            return 1, self._return(one, depth)
        taken, lines = self._statement(body, at, depth + 1)
        return taken, [f"{'    ' * depth}with report:", *lines]

    def _statement(self, body: tuple[n.Statement, ...], at: int, depth: int) -> tuple[int, list[str]]:
        one = body[at]
        if isinstance(one, n.Assign):
            return self._assignments(body, at, depth)
        printer = getattr(self, f"_{type(one).__name__.lower()}")
        lines: list[str] = printer(one, depth)
        return 1, lines

    def _bind(self, one: n.Bind, depth: int) -> list[str]:
        name = self._printer.names.local(one.name)
        annotation = ""
        if holds_record(one.value.type) or (isinstance(one.value, n.Display) and not one.value.items):
            annotation = f": {self._printer.annotations.of(one.value.type)}"
        lines = lay_out(self._printer.code(one.value), depth, f"{name}{annotation} = ")
        self._printer.scope.declared.setdefault(one.name, one.value.type)
        return lines

    def _rule(self, one: n.Rule, depth: int) -> list[str]:
        condition = lay_out(self._printer.negated(one.condition).code, depth, "if ", ":")
        evidence = [self._printer.code(each) for each in one.evidence]
        if self._trial:
            known: list[Code | str] = [literals.text(one.code), literals.text(one.sentence), *evidence]
            return [*condition, *lay_out(call("report.add", [*known, *([] if one.enforced else ["enforced=False"])]), depth + 1)]
        said = self._printer.code(one.says) if one.says is not None else literals.text(one.sentence)
        refusal = call("ctx.refuse", [literals.text(one.code), said, *evidence])
        return [*condition, *lay_out(refusal, depth + 1, "raise ")]

    def _assignments(self, body: tuple[n.Statement, ...], at: int, depth: int) -> tuple[int, list[str]]:
        first = body[at]
        if not isinstance(first, n.Assign):
            return 0, []
        if self._links(first.target):
            return 1, self._link(first, depth)
        row, values = self._row_of(first.target), [self._written(first)]
        taken = 1
        while not self._trial and at + taken < len(body) and self._joins(body[at : at + taken + 1], row):
            following = body[at + taken]
            if isinstance(following, n.Assign):
                values.append(self._written(following))
            taken += 1
        update = call("ctx.update", [self._printer.code(row), *(code(f"{name}=", value) for name, value in values)])
        return taken, lay_out(update, depth)

    def _row_of(self, target: n.Attr) -> n.Node:
        """The row that an assignment writes; for a field of a struct, that of the struct."""
        return target.base.base if target.access == "struct" and isinstance(target.base, n.Attr) else target.base

    def _written(self, one: n.Assign) -> tuple[str, Code]:
        """Field and code of its new value."""
        target = one.target
        if target.access == "struct" and isinstance(target.base, n.Attr):
            field = self._printer.names.attribute(target.name)
            return target.base.name, call("rt.replaced", [self._printer.code(target.base), code(f"{field}=", self._new_value(one))])
        return self._printer.names.attribute(target.name), self._new_value(one)

    def _new_value(self, one: n.Assign) -> Code:
        if one.op == "=":
            return self._printer.code(one.value, one.target.type)
        op = "+" if one.op == "+=" else "-"
        return self._printer.code(n.Binary(where=one.where, type=one.target.type, op=op, left=one.target, right=one.value))  # type: ignore[arg-type]

    def _joins(self, group: tuple[n.Statement, ...], row: n.Node) -> bool:
        """Whether the last statement may be written together with those before it, without any difference."""
        *before, last = group
        if not isinstance(last, n.Assign) or not isinstance(row, n.Local) or not isinstance(last.target.base, n.Local):
            return False
        earlier = {one.target.name for one in before if isinstance(one, n.Assign)}
        if last.target.base.name != row.name or last.target.name in earlier or self._links(last.target) or last.target.access == "struct":
            return False
        if any(isinstance(one, n.Assign) and one.target.access == "struct" for one in before) or self._share_a_key(row, {*earlier, last.target.name}):
            return False
        return self._unchanged(last, row, earlier)

    def _unchanged(self, last: n.Assign, row: n.Local, earlier: set[str]) -> bool:
        """Whether the new value is the same before the earlier writes as after them."""
        for one in inside(last.value):
            if isinstance(one, n.Attr) and not (self._plain(one) and one.name not in earlier):
                return False
            if isinstance(one, n.Rows | n.Single | n.Apply | n.Comprehension | n.Format | n.Call):
                return False
        return last.op == "=" or last.target.name not in earlier

    def _plain(self, one: n.Attr) -> bool:
        """Whether it reads a stored field of a row at hand."""
        entity = self._entity(one.base)
        if not isinstance(one.base, n.Local) or one.access != "field":
            return False
        return entity is not None and any(each.name == one.name and each.role != "always" for each in entity.fields)

    def _share_a_key(self, row: n.Node, written: set[str]) -> bool:
        entity = self._entity(row)
        return entity is None or any(len(set(group) & written) > 1 for group in entity.unique)

    def _entity(self, row: n.Node) -> Entity | None:
        entities = row.type.entities
        return self._printer.domain.entity(entities[0]) if len(entities) == 1 else None

    def _links(self, target: n.Attr) -> bool:
        return target.access == "links"

    def _link(self, one: n.Assign, depth: int) -> list[str]:
        row, name = self._printer.code(one.target.base), literals.text(one.target.name)
        if one.op == "=":
            return lay_out(call("ctx.update", [row, code(f"{one.target.name}=", self._printer.code(one.value))]), depth)
        return lay_out(call("ctx.link" if one.op == "+=" else "ctx.unlink", [row, name, self._printer.code(one.value)]), depth)

    def _do(self, one: n.Do, depth: int) -> list[str]:
        return lay_out(self._printer.code(one.value), depth)

    def _delete(self, one: n.Delete, depth: int) -> list[str]:
        return lay_out(call("ctx.delete", [self._printer.code(one.row)]), depth)

    def _patch(self, one: n.Patch, depth: int) -> list[str]:
        values = [code(f"{self._printer.names.attribute(name)}=", self._patched(value)) for name, value in one.values]
        return lay_out(call("ctx.patch", [self._printer.code(one.row), *values]), depth)

    def _patched(self, value: n.Node) -> Code:
        """A parameter of a patch as it is, sent or not."""
        return self._printer.raw_local(value.name) if isinstance(value, n.Local) else self._printer.code(value)

    def _if(self, one: n.If, depth: int) -> list[str]:
        lines: list[str] = []
        for number, (condition, body) in enumerate(one.branches):
            if condition is None:
                lines.append(f"{'    ' * depth}else:")
            else:
                lines.extend(lay_out(self._printer.code(condition), depth, "elif " if number else "if ", ":"))
            lines.extend(self.lines(body, depth + 1))
        return lines

    def _for(self, one: n.For, depth: int) -> list[str]:
        head = code(f"for {self._printer.targets(one.targets)} in ", self._printer.code(one.source, binds=OR))
        lines = lay_out(head, depth, after=":")
        self._printer.declare(one.targets, one.source.type)
        return [*lines, *self.lines(one.body, depth + 1)]

    def _return(self, one: n.Return, depth: int) -> list[str]:
        made = returned(self._printer, one.value, self._result, self._tool)
        return lay_out(made, depth, "return ")
