"""Expressions of the seed language as code."""

import datetime as dt
from collections.abc import Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING

from synth.compile import literals
from synth.compile.annotations import Annotations, is_tuple
from synth.compile.finds import Find, find_of, question_of
from synth.compile.layout import Code, Group, call, code, in_parentheses, listed
from synth.compile.names import Names
from synth.lang import nodes as n
from synth.lang.domain import Domain, Field
from synth.lang.types import Type

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

ATOM, UNARY, TERM, SUM, COMPARE, NOT, AND, OR, CHOICE, LAMBDA = 100, 80, 70, 60, 50, 40, 30, 20, 10, 5
NUMBERS = ("money", "decimal")
_OPPOSITE = {
    "==": "!=",
    "!=": "==",
    "in": "not in",
    "not in": "in",
    "is": "is not",
    "is not": "is",
    "<": ">=",
    ">=": "<",
    ">": "<=",
    "<=": ">",
}


@dataclass(frozen=True, slots=True)
class Piece:
    """Code of an expression and how tightly it binds."""

    code: Code
    binds: int = ATOM

    def at(self, least: int) -> Code:
        """The code, in parentheses when it binds less tightly than `least`."""
        return self.code if self.binds >= least else in_parentheses(self.code)


@dataclass
class Scope:
    """Where expressions are printed.

    Attributes:
        ctx: Code that gives the context.
        row: Code of the Local `row` in properties of fields.
        trial: In checks.py: narrowing by a rule is not known to the type checker, so that values are tested where they are used.
        declared: Types of local names as bound; `unset` holds those that may not have been sent.
    """

    ctx: str = "ctx"
    row: str = "self"
    trial: bool = False
    declared: dict[str, Type] = field(default_factory=dict)
    unset: set[str] = field(default_factory=set)
    trials: frozenset[str] = frozenset()


class Expressions:
    """Prints expressions of one function body."""

    def __init__(self, domain: Domain, names: Names, scope: Scope) -> None:
        self.domain = domain
        self.names = names
        self.scope = scope
        self.annotations = Annotations(names)
        self.quote = '"'
        self._fields: dict[str, Mapping[str, Field]] = {one.name: {each.name: each for each in one.fields} for one in domain.entities}
        self._enums = {one.name: one for one in domain.enums}
        self._functions = {one.name: one for one in domain.functions}

    def code(self, node: n.Node, want: Type | None = None, binds: int = 0) -> Code:
        """Code of an expression that stands where `want` is wanted and must bind as tightly as `binds`."""
        return self.coerced(node, want).at(binds)

    def coerced(self, node: n.Node, want: Type | None) -> Piece:
        """The expression; an integer where money or a decimal is wanted becomes a fraction."""
        if want is None or want.kind not in (*NUMBERS, "list") or node.type.kind not in ("integer", "list"):
            return self.piece(node)
        if want.kind == "list":
            return self._coerced_list(node, want)
        if isinstance(node, n.Const) and isinstance(node.value, int):
            return Piece(code(literals.number(Fraction(node.value))))
        if isinstance(node, n.Choice):
            return self._choice(node, want)
        return Piece(call("rt.exact" if node.type.optional else "Fraction", [self.code(node)]))

    def _coerced_list(self, node: n.Node, want: Type) -> Piece:
        item = node.type.item
        if want.item is None or item is None or want.item.kind not in NUMBERS or item.kind != "integer":
            return self.piece(node)
        if isinstance(node, n.Display):
            return Piece(listed("[", [self.code(one, want.item) for one in node.items], "]"))
        return Piece(code("[", call("Fraction", ["one"]), " for one in ", self.code(node, binds=OR), "]"))

    def piece(self, node: n.Node) -> Piece:
        """Code of any expression."""
        printer = getattr(self, f"_{type(node).__name__.lower()}")
        made: Piece = printer(node)
        return made

    # Names and attributes

    def _const(self, node: n.Const) -> Piece:
        value = node.value
        if value is None or isinstance(value, bool):
            return Piece(code(str(value)))
        if isinstance(value, str):
            return Piece(code(self._text_constant(node.type, value)))
        if node.type.kind == "duration":
            return Piece(code(literals.moment(dt.timedelta(minutes=int(value)))))
        if isinstance(value, Fraction) or node.type.kind in NUMBERS:
            return Piece(code(literals.number(Fraction(value))))
        return Piece(code(str(value)), ATOM if value >= 0 else UNARY)

    def _text_constant(self, kind: Type, value: str) -> str:
        if kind.kind == "date":
            return literals.moment(dt.date.fromisoformat(value))
        if kind.kind == "time":
            return literals.moment(dt.time.fromisoformat(value))
        if kind.kind == "datetime":
            return literals.moment(dt.datetime.fromisoformat(value))
        return literals.text(value, self.quote)

    def _local(self, node: n.Local) -> Piece:
        if node.name == "row" and "row" not in self.scope.declared:
            return Piece(code(self.scope.row))
        made = Piece(code(self.names.local(node.name)))
        if not self.scope.trial:
            return made
        if node.name in self.scope.unset:
            made = Piece(call("rt.sent", [made.code]))
        declared = self.scope.declared.get(node.name)
        return made if declared is None else self._narrowed(made, declared, node.type)

    def _narrowed(self, made: Piece, declared: Type, known: Type) -> Piece:
        """In a trial: a value that is known to be there, or to be of one kind, says so to the type checker."""
        if declared.optional and not known.optional and known.kind != "none":
            made = Piece(call("rt.some", [made.code]))
        if len(declared.entities) > 1 and len(known.entities) == 1:
            made = Piece(call("rt.only", [made.code, self.names.entity(known.entities[0])]))
        return made

    def raw_local(self, name: str) -> Code:
        """A parameter as it is, sent or not."""
        return code(self.names.local(name))

    def _given(self, node: n.Given) -> Piece:
        if node.name in ("now", "today"):
            return Piece(code(f"{self.scope.ctx}.{node.name}"))
        if node.name == "me":
            return Piece(code(f"{self.scope.ctx}.actor({self.names.entity(self.domain.actor)})"))
        return Piece(code(self.names.constant(node.name)))

    def _rows(self, node: n.Rows) -> Piece:
        return Piece(code(f"{self.scope.ctx}.all({self.names.entity(node.entity)})"))

    def _single(self, node: n.Single) -> Piece:
        return Piece(code(f"{self.scope.ctx}.single({self.names.entity(node.entity)})"))

    def _enumwords(self, node: n.EnumWords) -> Piece:
        return Piece(code(f"list({self.names.enum(node.name)})"))

    def _attr(self, node: n.Attr) -> Piece:
        base = self.code(node.base, binds=ATOM)
        if node.access == "record":
            at = node.name if is_tuple(node.base.type) else literals.text(node.name, self.quote)
            return Piece(code(base, f"[{at}]"))
        if node.access == "tree":
            return self._tree_attribute(node, base)
        made = Piece(code(base, f".{self.names.attribute(node.name)}"))
        declared = self._declared(node) if self.scope.trial else None
        return made if declared is None else self._narrowed(made, declared, node.type)

    def _declared(self, node: n.Attr) -> Type | None:
        """The declared type of a field of a row."""
        if node.access != "field" or not node.base.type.entities:
            return None
        found = self._fields[node.base.type.entities[0]].get(node.name)
        return found.type if found else None

    def _tree_attribute(self, node: n.Attr, base: Code) -> Piece:
        if node.name == "ancestors":
            return Piece(call(f"{self.scope.ctx}.ancestors", [base, literals.text(self._tree_field(node.base).name, self.quote)]))
        return Piece(call(f"{self.scope.ctx}.descendants", [base, literals.text(self._tree_field(node.base).name, self.quote)]))

    def _tree_field(self, node: n.Node) -> Field:
        return next(one for one in self._fields[node.type.entities[0]].values() if one.tree)

    # Operators

    def _unary(self, node: n.Unary) -> Piece:
        if node.op == "-":
            return Piece(code("-", self.code(node.operand, binds=UNARY)), UNARY)
        return self.negated(node.operand)

    def negated(self, node: n.Node) -> Piece:
        """`not` of a condition, as a person would write it."""
        if isinstance(node, n.Compare) and len(node.rest) == 1:
            op, right = node.rest[0]
            turned = n.Compare(where=node.where, type=node.type, left=node.left, rest=((_OPPOSITE[op], right),))  # type: ignore[arg-type]
            return self._compare(turned)
        if isinstance(node, n.Unary) and node.op == "not":
            return self.piece(node.operand)
        if isinstance(node, n.Call) and node.name == "given" and isinstance(node.args[0], n.Local):
            return Piece(call("isinstance", [self.raw_local(node.args[0].name), "rt.Unset"]))
        return Piece(code("not ", self.code(node, binds=NOT)), NOT)

    def _binary(self, node: n.Binary) -> Piece:
        left, right, op = node.left, node.right, node.op
        kinds = (left.type.kind, right.type.kind)
        if op == "/":
            return self._quotient(node)
        if op == "+" and kinds == ("list", "list"):
            return Piece(listed("[", [code("*", self.code(one, node.type, OR)) for one in (left, right)], "]"))
        if op == "*" and "duration" in kinds and kinds != ("duration", "integer") and kinds != ("integer", "duration"):
            span, factor = (left, right) if kinds[0] == "duration" else (right, left)
            return Piece(call("rt.times", [self.code(span), self.code(factor)]))
        if kinds[0] == "time" and kinds[1] in ("duration", "time"):
            return self._time_of_day(node)
        level = SUM if op in "+-" else TERM
        return Piece(code(self.code(left, binds=level), f" {op} ", self.code(right, binds=level + 1)), level)

    def _time_of_day(self, node: n.Binary) -> Piece:
        left, right = self.code(node.left), self.code(node.right, binds=UNARY)
        if node.right.type.kind == "time":
            return Piece(call("rt.between", [right, left]))
        return Piece(call("rt.later", [left, right if node.op == "+" else code("-", right)]))

    def _quotient(self, node: n.Binary) -> Piece:
        left, right = node.left, node.right
        if left.type.kind == "duration" and right.type.kind == "duration":
            return Piece(call("rt.span_ratio", [self.code(left), self.code(right)]))
        if left.type.kind == "duration":
            return Piece(call("rt.times", [self.code(left), call("rt.ratio", ["1", self.code(right)])]))
        if left.type.kind == "integer" and right.type.kind == "integer":
            return Piece(call("rt.ratio", [self.code(left), self.code(right)]))
        return Piece(code(self.code(left, binds=TERM), " / ", self.code(right, binds=TERM + 1)), TERM)

    def _compare(self, node: n.Compare) -> Piece:
        ordered = any(op in ("<", "<=", ">", ">=") for op, _ in node.rest)
        sides = [node.left, *(right for _, right in node.rest)]
        enum = next((one.type for one in sides if one.type.kind == "enum"), None) if ordered else None
        parts: list[str | Code] = [self._side(node.left, enum, "")]
        left = node.left
        for op, right in node.rest:
            parts.append(f" {self._operator(op, left, right)} ")
            parts.append(self._side(right, enum, op))
            left = right
        return Piece(code(*parts), COMPARE)

    def _operator(self, op: str, left: n.Node, right: n.Node) -> str:
        constant = any(isinstance(one, n.Const) and (one.value is None or isinstance(one.value, bool)) for one in (left, right))
        return {"==": "is", "!=": "is not"}.get(op, op) if constant else op

    def _side(self, node: n.Node, enum: Type | None, op: str) -> Code:
        if op in ("in", "not in") and isinstance(node, n.Display):
            return self._tuple(node.items)
        made = self.code(node, binds=COMPARE + 1)
        return call(f"{self.names.enum(enum.name)}.index", [made]) if enum is not None else made

    def _tuple(self, items: "Sequence[n.Node]") -> Code:
        closing = ",)" if len(items) == 1 else ")"
        return listed("(", [self.code(one) for one in items], closing)

    def _logic(self, node: n.Logic) -> Piece:
        level = AND if node.op == "and" else OR
        items = [self.code(one, binds=level + 1) for one in node.operands]
        joined = [items[0], *(code(f"{node.op} ", one) for one in items[1:])]
        return Piece(code(Group("", tuple(joined), "", comma=False, soft=True)), level)

    def _choice(self, node: n.Choice, want: Type | None = None) -> Piece:
        kind = want or node.type
        then, otherwise = self.code(node.then, kind, OR), self.code(node.otherwise, kind, CHOICE)
        return Piece(code(then, " if ", self.code(node.condition, binds=OR), " else ", otherwise), CHOICE)

    # Displays

    def _display(self, node: n.Display) -> Piece:
        if is_tuple(node.type):
            return Piece(self._tuple(node.items))
        return Piece(listed("[", [self.code(one, node.type.item) for one in node.items], "]"))

    def _record(self, node: n.Record) -> Piece:
        if node.type.kind == "struct":
            fields = dict(next(one.fields for one in self.domain.structs if one.name == node.type.name))
            given = {str(key.value): value for key, value in node.entries if isinstance(key, n.Const)}
            values = [code(f"{name}=", self.code(given[name], kind) if name in given else "None") for name, kind in fields.items()]
            return Piece(call(self.names.struct(node.type.name), values))
        item = node.type.item if node.type.kind == "map" else None
        entries = [code(self.code(key), ": ", self.code(value, item)) for key, value in node.entries]
        return Piece(listed("{", entries, "}"))

    def _comprehension(self, node: n.Comprehension) -> Piece:
        asked = self.listing(node)
        if asked is not None:
            return Piece(asked)
        opening, closing = ("{", "}") if node.key is not None else ("[", "]")
        return Piece(code(Group(opening, self.generator_items(node), closing, comma=False)))

    def generator(self, node: n.Node) -> Code:
        """A list as the only argument of a function: a comprehension goes without brackets."""
        if isinstance(node, n.Comprehension) and node.key is None and self.listing(node) is None:
            return code(Group("", self.generator_items(node), "", comma=False))
        return self.code(node)

    def generator_items(self, node: n.Comprehension) -> tuple[Code, ...]:
        """Element, `for` parts and conditions of a comprehension."""
        with self.locals(node):
            element = self.code(node.element, node.type.item, CHOICE)
            items = [element if node.key is None else code(self.code(node.key), ": ", element)]
            for clause in node.clauses:
                asked = find_of(self.domain, clause)
                source = self.code(clause.source, binds=OR) if asked is None else self.find("find", asked)
                conditions = clause.conditions if asked is None else asked.rest
                items.append(code(f"for {self.targets(clause.targets)} in ", source))
                items += [code("if ", self._conjunction(conditions))] if conditions else []
        return tuple(items)

    def _conjunction(self, conditions: "Sequence[n.Node]") -> Code:
        """Conditions that must all hold."""
        if len(conditions) == 1:
            return self.code(conditions[0], binds=OR)
        return self._logic(n.Logic(where=conditions[0].where, type=conditions[0].type, op="and", operands=tuple(conditions))).code

    def find(self, verb: str, asked: Find) -> Code:
        """A question to the store: `ctx.find(Entity, field=value)`, or `count`."""
        items: list[Code | str] = [self.names.entity(asked.entity)]
        for name, values, several in asked.equal:
            value = self._tuple(values) if several else self.code(values[0])
            items.append(code(f"{self.names.attribute(name)}=", value))
        return call(f"{self.scope.ctx}.{verb}", items)

    def listing(self, node: n.Node) -> Code | None:
        """A list that is nothing but the answer to a question to the store."""
        asked = question_of(self.domain, node)
        return None if asked is None else self.find("find", asked)

    @contextmanager
    def locals(self, node: n.Comprehension) -> "Iterator[None]":
        """The loop variables of a comprehension, while its parts are printed."""
        before = dict(self.scope.declared)
        for clause in node.clauses:
            self.declare(clause.targets, clause.source.type)
        try:
            yield
        finally:
            self.scope.declared = before

    def declare(self, targets: tuple[str, ...], source: Type) -> None:
        """Notes the types of loop variables."""
        item = source.item
        if item is not None and source.kind == "list":
            kinds = [kind for _, kind in item.fields] if len(targets) > 1 else [item]
            self.scope.declared.update(zip(targets, kinds, strict=False))

    def targets(self, targets: tuple[str, ...]) -> str:
        """Loop variables."""
        return ", ".join(self.names.local(one) for one in targets)

    def _index(self, node: n.Index) -> Piece:
        if node.base.type.kind == "map":
            return Piece(code(self.code(node.base, binds=ATOM), ".get(", self.code(node.index), ")"))
        return Piece(call("rt.nth", [self.code(node.base), self.code(node.index)]))

    def _head(self, node: n.Head) -> Piece:
        return Piece(code(self.code(node.base, binds=ATOM), "[:", self.code(node.stop, binds=SUM), "]"))

    def _format(self, node: n.Format) -> Piece:
        from synth.compile.texts import formatted  # noqa: PLC0415 the two modules print each other's parts

        return Piece(formatted(self, node))

    # Calls

    def _method(self, node: n.Method) -> Piece:
        base = self.code(node.base, binds=ATOM)
        return Piece(code(base, f".{node.name}", listed("(", [self.code(one) for one in node.args], ")")))

    def _call(self, node: n.Call) -> Piece:
        from synth.compile.calls import builtin_call  # noqa: PLC0415 the two modules print each other's parts

        return builtin_call(self, node)

    def _lambda(self, node: n.Lambda) -> Piece:
        return Piece(code(f"lambda {self.names.local(node.parameter)}: ", self.code(node.body)), LAMBDA)

    def _apply(self, node: n.Apply) -> Piece:
        function = self._functions[node.function]
        args: list[Code | str] = [self.code(one, parameter.type) for one, parameter in zip(node.args, function.params, strict=True)]
        name = self.names.function(node.function)
        if node.function in self.scope.trials:
            return Piece(call(f"_try_{name}", [self.scope.ctx, "report", *args]))
        return Piece(call(name, [self.scope.ctx, *args]))

    # Effects that are values

    def _create(self, node: n.Create) -> Piece:
        return Piece(call(f"{self.scope.ctx}.insert", [self.names.entity(node.entity), *self.values(node.values)]))

    def _copy(self, node: n.Copy) -> Piece:
        return Piece(call(f"{self.scope.ctx}.copy", [self.code(node.row), *self.values(node.values)]))

    def values(self, values: tuple[tuple[str, n.Node], ...]) -> list[Code]:
        """Fields of an effect as arguments by name."""
        return [code(f"{self.names.attribute(name)}=", self.code(value)) for name, value in values]
