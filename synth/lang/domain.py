"""A seed after reading and checking: everything that later stages need, resolved and typed."""

from dataclasses import dataclass
from typing import Literal

from synth.lang.nodes import Node, Statement, Where
from synth.lang.types import Type

MatchClass = Literal["exact", "text", "exempt"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Lifecycle:
    """States of a field and the moves between them. The states also form an enum, named `Entity.field`."""

    states: tuple[str, ...]
    moves: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """One stored column of a table.

    Attributes:
        name: `owner_id` for the reference `owner`; `address_street` for a struct field; else the field's name.
        field: Name of the field it belongs to.
        type: The scalar stored; for a reference, text; for list and map, the list or map type (stored as JSON text).
        references: Entities that a reference points at; empty for all others.
    """

    name: str
    field: str
    type: Type
    references: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Field:
    """One declared field of an entity (implied ones too: `archived`, `position`).

    Attributes:
        type: Its type in expressions; a reference is a `row` type, `links` a list of rows.
        role: How it is kept. `always` is computed at each read and has no column; `links` lives in a table of its own.
        length: Longest allowed text (default 200); `closed`: the only allowed values (`of:`); `low`, `high`: limits.
        many: Name of the reverse set on the referred entity, or empty.
        each: How many such rows the data makes for each referred row (inclusive), or None.
        match: How the scorer compares it; `exempt` is set also for generated ids, history and now-only columns.
        columns: Stored columns, in order.
    """

    name: str
    where: Where
    type: Type
    role: Literal["value", "reference", "links", "always"] = "value"
    description: str = ""
    length: int = 200
    closed: tuple[str | int, ...] = ()
    low: Node | None = None
    high: Node | None = None
    unique: bool = False
    start: Node | None = None
    computed: Node | None = None
    always: Node | None = None
    lifecycle: Lifecycle | None = None
    match: MatchClass = "exact"
    facts: tuple[str, ...] = ()
    history: bool = False
    many: str = ""
    part: bool = False
    tree: bool = False
    position: bool = False
    each: tuple[int, int] | None = None
    columns: tuple[Column, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Entity:
    """One entity; its table has the same name and the text column `id` as its key.

    Attributes:
        id_pattern: `APT-{n:05}`; empty when `id: given`, `single` or `key`.
        id_kind: `key` joins the values of the key fields with "/" (escaped), so that every row has one id.
        id_per: Reference field whose row has the counter, or empty. The pattern may then hold `{parent}`.
        called: Template of how a person refers to a row, as a Format node over the Local `row`; None if not given.
    """

    name: str
    where: Where
    plural: str
    fields: tuple[Field, ...]
    id_kind: Literal["counter", "given", "key", "single"] = "counter"
    id_pattern: str = ""
    id_per: str = ""
    key: tuple[str, ...] = ()
    called: Node | None = None
    called_text: str = ""
    rows: int | None = None
    single: bool = False
    archive: bool = False
    unique: tuple[tuple[str, ...], ...] = ()
    description: str = ""

    def field(self, name: str) -> Field:
        """The field called `name`; KeyError if there is none."""
        for one in self.fields:
            if one.name == name:
                return one
        raise KeyError(name)


@dataclass(frozen=True, slots=True, kw_only=True)
class Param:
    """One parameter of a tool or function.

    Attributes:
        argument: Name on the wire: `owner_id` for a row parameter `owner`, `invoice_ids` for a list of rows `invoices`.
        default: What it is when not sent; None together with `required` False means `unset` (ask with given()).
        of: (entity, field) when typed by a field (gives limits, description, match class), else None.
    """

    name: str
    argument: str
    where: Where
    type: Type
    required: bool
    default: Node | None = None
    unset: bool = False
    of: tuple[str, str] | None = None
    description: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Wording:
    """One way to ask for a tool: text with `{parameter}` slots (`{parameter.field}` too)."""

    text: str
    where: Where


@dataclass(frozen=True, slots=True, kw_only=True)
class Filter:
    """One filter of a derived search: keep rows whose `field` is equal to, contains (ignoring case), is >= or <= the argument.

    Parameters of ranges are called `field_from` and `field_to`, both ends included; `has` keeps rows whose list or set holds the argument.
    The tool's `params` are the filters only: `limit` and `offset` are added where its schema is made.
    """

    param: str
    field: str
    mode: Literal["equal", "contains", "from", "to", "has"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Search:
    """What a derived search does: filters joined by and, then sort, then paging (limit 20, at most 50, offset).

    `sort` is a fixed order: names of fields, `-field` for the greatest first; then by key.
    """

    entity: str
    filters: tuple[Filter, ...]
    sort: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Function:
    """A function of the seed; `effects` tells whether it writes. `result` is None for one without return."""

    name: str
    where: Where
    params: tuple[Param, ...]
    body: tuple[Statement, ...]
    result: Type | None
    effects: bool = False
    doc: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool:
    """One tool.

    Attributes:
        kind: `declared` and derived create, update, delete, get and list have a `body`; `search` has `search`; `calculator` neither.
        entity: The entity of a derived tool, else empty.
        body: Bindings and rules, effects, then one Return.
        asked: Wordings for one call; `bulk` for several rows; for a derived update, `asked_fields` by field.
        role: Who may call it, or empty.
    """

    name: str
    where: Where
    kind: Literal["declared", "search", "get", "list", "create", "update", "delete", "calculator"]
    params: tuple[Param, ...]
    body: tuple[Statement, ...]
    result: Type
    read_only: bool
    doc: str
    entity: str = ""
    search: Search | None = None
    asked: tuple[Wording, ...] = ()
    bulk: tuple[Wording, ...] = ()
    asked_fields: tuple[tuple[str, tuple[Wording, ...]], ...] = ()
    role: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Invariant:
    """A condition that always holds; one `at_start` holds of worlds and start states of tasks, and tools may break it."""

    name: str
    where: Where
    doc: str
    condition: Node
    bindings: tuple[Statement, ...] = ()
    at_start: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Maker:
    """How one row of an entity is made: `data: |` function of the same name.

    `params` are references ("for one such row"); `body` holds Bind statements, names that are fields become the row.
    """

    entity: str
    where: Where
    params: tuple[str, ...]
    body: tuple[Statement, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Enum:
    """Words in order."""

    name: str
    words: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Struct:
    """A named group of scalar fields."""

    name: str
    fields: tuple[tuple[str, Type], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Constant:
    """A named value (`constants:`)."""

    name: str
    type: Type
    value: Node


@dataclass(frozen=True, slots=True, kw_only=True)
class Domain:
    """A whole seed. Tuples keep the order of the file; entities are in the order in which rows can be made."""

    id: str
    title: str
    about: str
    now: str
    sha256: str
    source: str
    entities: tuple[Entity, ...]
    enums: tuple[Enum, ...]
    structs: tuple[Struct, ...]
    constants: tuple[Constant, ...]
    functions: tuple[Function, ...]
    tools: tuple[Tool, ...]
    invariants: tuple[Invariant, ...]
    makers: tuple[Maker, ...]
    policies: tuple[str, ...] = ()
    roles: tuple[tuple[str, str], ...] = ()
    actor: str = ""
    glossary: tuple[tuple[str, tuple[str, ...]], ...] = ()
    facts: tuple[tuple[str, tuple[tuple[str, ...], ...]], ...] = ()
    edges: bool = True
    at_start: tuple[Invariant, ...] = ()

    def entity(self, name: str) -> Entity:
        """The entity called `name`; KeyError if there is none."""
        for one in self.entities:
            if one.name == name:
                return one
        raise KeyError(name)

    def tool(self, name: str) -> Tool:
        """The tool called `name`; KeyError if there is none."""
        for one in self.tools:
            if one.name == name:
                return one
        raise KeyError(name)

    def function(self, name: str) -> Function:
        """The function called `name`; KeyError if there is none."""
        for one in self.functions:
            if one.name == name:
                return one
        raise KeyError(name)
