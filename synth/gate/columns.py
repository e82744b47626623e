"""Columns that generated code could take for one another: of one table and one kind."""

import ast
from collections.abc import Iterator, Mapping
from fractions import Fraction

from registry.package.columns import Column
from registry.package.schema import Schema, Table


class Columns:
    """The columns of one package."""

    def __init__(self, schema: Schema) -> None:
        self._tables: Mapping[str, Table] = {table.name: table for table in schema.tables.values()}

    def row_params(self, function: ast.FunctionDef) -> dict[str, str]:
        """Parameters that are rows of one table, by name; those that may be none are left out."""
        found = {one.arg: one.annotation.id for one in function.args.args if isinstance(one.annotation, ast.Name)}
        optional = {
            one.arg for one, default in zip(reversed(function.args.args), reversed(function.args.defaults), strict=False) if default is not None
        }
        return {name: table for name, table in found.items() if table in self._tables and name not in optional}

    def table_of(self, node: ast.Call) -> str:
        """The table that a call names as its first argument, or nothing."""
        first = node.args[0] if node.args else None
        return first.id if isinstance(first, ast.Name) and first.id in self._tables else ""

    def others(self, table: str, name: str) -> tuple[str, ...]:
        """Other columns of the same kind in a table, the next ones first."""
        fields = self._tables[table].fields
        if name not in fields:
            return ()
        listed = list(fields)
        at = listed.index(name)
        return tuple(one for one in (*listed[at + 1 :], *listed[:at]) if _kind(fields[one]) == _kind(fields[name]))

    def others_anywhere(self, name: str) -> tuple[str, ...]:
        """The same for a column of which only the name is known."""
        for table in self._tables.values():
            if name in table.fields and self.others(table.name, name):
                return self.others(table.name, name)
        return ()

    def stored(self, name: str) -> bool:
        """Whether some table has a stored column of this name."""
        return any(name in table.fields for table in self._tables.values())

    def places(self, name: str) -> int | None:
        """The most decimal places that a stored number of this name has; None if some table has it in another form, or none has it."""
        found: list[int] = []
        for table in self._tables.values():
            if name in table.fields:
                kind = table.fields[name].kind
                if kind.name not in ("integer", "number"):
                    return None
                found.append(len(str(kind.encode(Fraction(1)))) - 1 if kind.name == "number" else 0)
        return max(found, default=None)

    def extra_updates(self, row: str, table: str) -> Iterator[ast.stmt]:
        """A write of a column that nobody asked for, for the first column in which that can be said."""
        for name, column in self._tables[table].fields.items():
            held = ast.Attribute(value=ast.Name(id=row, ctx=ast.Load()), attr=name, ctx=ast.Load())
            value = _another(column, held)
            if value is not None:
                update = ast.Attribute(value=ast.Name(id="ctx", ctx=ast.Load()), attr="update", ctx=ast.Load())
                written = ast.keyword(arg=name, value=value)
                yield ast.Expr(value=ast.Call(func=update, args=[ast.Name(id=row, ctx=ast.Load())], keywords=[written]))
                return


def _another(column: Column[object], held: ast.expr) -> ast.expr | None:
    """Code of another value than the one held."""
    words = column.options.get("words")
    if words or column.options.get("states") or column.optional:
        return None
    match column.kind.name:
        case "integer" | "number":
            return ast.BinOp(left=held, op=ast.Add(), right=ast.Constant(value=1))
        case "bool":
            return ast.UnaryOp(op=ast.Not(), operand=held)
        case "text":
            return ast.Constant(value="other")
        case _:
            return None


def _kind(column: Column[object]) -> tuple[str, tuple[str, ...]]:
    return column.kind.name, tuple(column.tables)
