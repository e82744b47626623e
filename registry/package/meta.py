"""`meta.json`: what JSON Schema cannot say of tables and tools."""

from typing import Literal

from pydantic import BaseModel, ConfigDict

from registry.package.change import MatchClass

ColumnKind = Literal["text", "integer", "decimal", "money", "bool", "date", "time", "datetime", "duration", "enum", "reference", "list", "map"]


class ColumnMeta(BaseModel):
    """One stored column.

    `places` are decimal places (stored value = value * 10**places); `words` the enum's words in order; `facts` names of fact groups
    for class `text`; `generated` marks ids made by a counter; `of` describes the elements of a list or map.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: str
    kind: ColumnKind
    match: MatchClass
    optional: bool = False
    places: int = 0
    words: tuple[str, ...] = ()
    references: tuple[str, ...] = ()
    history: bool = False
    generated: bool = False
    facts: tuple[str, ...] = ()
    length: int | None = None
    of: ColumnKind | None = None


class StructMeta(BaseModel):
    """A struct: the fields of an object among a tool's arguments, each like a column."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: str
    fields: tuple[ColumnMeta, ...]


class TableMeta(BaseModel):
    """One table: an entity, or (with `link` true) the rows of a `links:` field. The first column is always `id`."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: str
    plural: str
    id_kind: Literal["counter", "given", "key", "single"]
    id_pattern: str = ""
    id_per: str = ""
    called: str = ""
    archive: bool = False
    part_of: str = ""
    link: bool = False
    columns: tuple[ColumnMeta, ...]


class ParameterMeta(BaseModel):
    """One parameter of a tool: `argument` on the wire, `name` in tools.py; `kind` `row` takes the id of a row of `tables`.

    `unset` marks a parameter that is `rt.UNSET` when not sent; any other that is not sent is left out, so that its default in tools.py holds.
    `kind` `rows` takes a list of distinct ids, `struct` an object, `structs` a list of them; its class is `SCHEMA.structs[struct]` of rows.py.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: str
    argument: str
    kind: Literal[
        "text",
        "integer",
        "decimal",
        "money",
        "bool",
        "date",
        "time",
        "datetime",
        "duration",
        "enum",
        "row",
        "rows",
        "list",
        "map",
        "struct",
        "structs",
    ]
    required: bool
    optional: bool = False
    unset: bool = False
    places: int = 0
    tables: tuple[str, ...] = ()
    of: ColumnKind | None = None
    struct: str = ""
    match: MatchClass = "exact"


class ToolMeta(BaseModel):
    """One tool: its kind, whether it only reads, its parameters in order, the codes of its enforced and policy rules."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: str
    kind: str
    read_only: bool
    parameters: tuple[ParameterMeta, ...]
    requires: tuple[str, ...] = ()
    policies: tuple[str, ...] = ()
    role: str = ""


class Meta(BaseModel):
    """The whole file. `facts` maps a fact name to groups of synonyms (first word of a group is its name)."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    now: str
    actor: str = ""
    tables: tuple[TableMeta, ...]
    tools: tuple[ToolMeta, ...]
    facts: dict[str, tuple[tuple[str, ...], ...]] = {}
    structs: tuple[StructMeta, ...] = ()

    def struct(self, name: str) -> StructMeta:
        """The struct called `name`; KeyError if there is none."""
        for one in self.structs:
            if one.name == name:
                return one
        raise KeyError(name)

    def table(self, name: str) -> TableMeta:
        """The table called `name`; KeyError if there is none."""
        for one in self.tables:
            if one.name == name:
                return one
        raise KeyError(name)

    def tool(self, name: str) -> ToolMeta:
        """The tool called `name`; KeyError if there is none."""
        for one in self.tools:
            if one.name == name:
                return one
        raise KeyError(name)
