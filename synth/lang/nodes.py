"""The typed syntax tree of expressions and statements, as the checker makes it from the literal blocks of a seed."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from synth.lang.types import Type

Access = Literal["field", "id", "reverse", "links", "struct", "record", "part", "tree"]
"""How an attribute is read: a stored or computed field of a row (references give the row), its id, the rows that refer to it
(`many:`), a set of rows (`links:`), a field of a struct, a key of a record, a part of a date or time (`.year`, `.minute`),
`.ancestors` or `.descendants`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Where:
    """A place in a seed file; line and column count from 1."""

    file: str
    line: int
    column: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    """An expression: its place and the type of its value."""

    where: Where
    type: Type


@dataclass(frozen=True, slots=True, kw_only=True)
class Const(Node):
    """A literal. Numbers with a point are exact fractions; an enum word has an enum type.

    Values of `constants:` are literals too: a date, time or datetime is ISO text with seconds, a duration whole minutes. The second
    argument of isa() is a Const with the name of the entity.
    """

    value: str | int | bool | Fraction | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Local(Node):
    """A parameter, binding, loop variable or lambda parameter."""

    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Given(Node):
    """`now`, `today`, `me`, or a name declared under `constants:`."""

    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Rows(Node):
    """All rows of an entity, in key order (archived ones are left out)."""

    entity: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Single(Node):
    """The one row of an entity with `single: true`."""

    entity: str


@dataclass(frozen=True, slots=True, kw_only=True)
class EnumWords(Node):
    """All words of an enum, in order (`Species` in `pick(Species)`)."""

    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Attr(Node):
    """`base.name`."""

    base: Node
    name: str
    access: Access


@dataclass(frozen=True, slots=True, kw_only=True)
class Unary(Node):
    """`not x` or `-x`."""

    op: Literal["not", "-"]
    operand: Node


@dataclass(frozen=True, slots=True, kw_only=True)
class Binary(Node):
    """Arithmetic. Numbers are exact; `/` gives a fraction; datetime - datetime is a duration; text + text joins."""

    op: Literal["+", "-", "*", "/", "//", "%"]
    left: Node
    right: Node


@dataclass(frozen=True, slots=True, kw_only=True)
class Compare(Node):
    """A chain of comparisons; enums compare by their order."""

    left: Node
    rest: tuple[tuple[Literal["==", "!=", "<", "<=", ">", ">=", "in", "not in", "is", "is not"], Node], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Logic(Node):
    """`and` / `or` over two or more conditions, left to right, stopping early."""

    op: Literal["and", "or"]
    operands: tuple[Node, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice(Node):
    """`then if condition else otherwise`."""

    condition: Node
    then: Node
    otherwise: Node


@dataclass(frozen=True, slots=True, kw_only=True)
class Display(Node):
    """A list or tuple display. Unlike values make a tuple: its type is a record with the keys `0`, `1`, … (zip gives such pairs too)."""

    items: tuple[Node, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Record(Node):
    """A dict display with constant text keys (type `record`), or one used as a map (type `map`)."""

    entries: tuple[tuple[Node, Node], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Clause:
    """`for targets in source if conditions`; more than one target unpacks (zip)."""

    targets: tuple[str, ...]
    source: Node
    conditions: tuple[Node, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Comprehension(Node):
    """A list (also for generators), or a map if `key` is given."""

    element: Node
    key: Node | None
    clauses: tuple[Clause, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Index(Node):
    """`xs[0]`, `xs[-1]` or `map['key']`; None when there is no such element or key."""

    base: Node
    index: Node


@dataclass(frozen=True, slots=True, kw_only=True)
class Head(Node):
    """`xs[:stop]`."""

    base: Node
    stop: Node


@dataclass(frozen=True, slots=True, kw_only=True)
class Format(Node):
    """An f-string; text parts are Const, all others are shown as people read them."""

    parts: tuple[Node, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Call(Node):
    """A function of the language (builtins.py lists them), or a generator of `data:`."""

    name: str
    args: tuple[Node, ...]
    keywords: tuple[tuple[str, Node], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Method(Node):
    """A method of text or a date: `lower strip startswith endswith split join weekday`."""

    base: Node
    name: str
    args: tuple[Node, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Apply(Node):
    """A call of a function of the seed; `args` has one expression per parameter, defaults filled in."""

    function: str
    args: tuple[Node, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Lambda(Node):
    """Only as `key=` of sorted, min, max, first. Its type is that of the body."""

    parameter: str
    body: Node


@dataclass(frozen=True, slots=True, kw_only=True)
class Create(Node):
    """`create(Entity, field=value, …)`; fields in the order written. Fields not named take `start`, `is`, or None."""

    entity: str
    values: tuple[tuple[str, Node], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Copy(Node):
    """`copy(row, field=value, …)`: a new row like `row`, with copies of its parts."""

    row: Node
    values: tuple[tuple[str, Node], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """A statement and its place."""

    where: Where


@dataclass(frozen=True, slots=True, kw_only=True)
class Bind(Statement):
    """`name = value`; the value may be Create, Copy, an Apply with effects, or a Comprehension over Create."""

    name: str
    value: Node


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule(Statement):
    """`require(…)` (enforced) or `policy(…)` (not enforced).

    Attributes:
        evidence: Expressions that give a row, None, or a list of rows; what a correct decline cites. Explicit, or inferred from
            the condition.
    """

    condition: Node
    code: str
    sentence: str
    says: Node | None
    evidence: tuple[Node, ...]
    enforced: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Assign(Statement):
    """`target op value`; on a `links` field `+=` and `-=` add and remove rows."""

    target: Attr
    op: Literal["=", "+=", "-="]
    value: Node


@dataclass(frozen=True, slots=True, kw_only=True)
class Do(Statement):
    """An expression for its effect: Create, Copy, or an Apply of a function with effects or rules."""

    value: Node


@dataclass(frozen=True, slots=True, kw_only=True)
class Delete(Statement):
    """`delete(row)`, with its parts; refused IN_USE when another row refers to it."""

    row: Node


@dataclass(frozen=True, slots=True, kw_only=True)
class Patch(Statement):
    """`patch(row, field=parameter, …)`: writes only the parameters that were sent."""

    row: Node
    values: tuple[tuple[str, Node], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class If(Statement):
    """`if / elif / else`; the last branch may have no condition."""

    branches: tuple[tuple[Node | None, tuple[Statement, ...]], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class For(Statement):
    """`for targets in source:`; the list is fixed before the first turn."""

    targets: tuple[str, ...]
    source: Node
    body: tuple[Statement, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Return(Statement):
    """The one return at the end."""

    value: Node
