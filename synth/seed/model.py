"""The shape of a seed file, as pydantic models; `seeds/seed.schema.json` is made from them."""

import re
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, WithJsonSchema, model_validator
from pydantic_core import PydanticCustomError

DEFAULT_NOW = "2026-03-02T08:00:00"


def _wrong(expected: str, got: object, fix: str, code: str = "WRONG_SHAPE") -> PydanticCustomError:
    return PydanticCustomError(code, "expected {expected}", {"expected": expected, "got": _shown(got), "fix": fix})


def _shown(value: object) -> str:
    if isinstance(value, dict):
        return f"a mapping with {', '.join(sorted(map(str, value))[:4])}" if value else "an empty mapping"
    if isinstance(value, list):
        return f"a list of {len(value)}"
    return repr(value)


def _flag(value: object) -> bool:
    if value in ("true", "false", True, False):
        return value in ("true", True)
    raise _wrong("true or false", value, "Write true, or leave the key out")


def _text(value: object) -> str:
    if isinstance(value, str):
        return value
    raise _wrong("a text", value, "Write one text; quote it")


def _whole(value: object) -> int:
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    if isinstance(value, str) and re.fullmatch(r"\d{1,7}", value):
        return int(value)
    raise _wrong("a whole number", value, "Write digits only")


def _texts(value: object) -> tuple[str, ...]:
    if isinstance(value, str):
        return (value,)
    if isinstance(value, list | tuple) and all(isinstance(one, str) for one in value):
        return tuple(value)
    raise _wrong("a text or a list of texts", value, "Write [a, b]")


def _list(value: object) -> tuple[str, ...]:
    if isinstance(value, list | tuple) and all(isinstance(one, str) for one in value):
        return tuple(value)
    raise _wrong("a list of texts", value, "Write [a, b]")


def _each(value: object) -> tuple[int, int]:
    match = re.fullmatch(r"\s*(\d{1,4})(?:\s*\.\.\s*(\d{1,4}))?\s*", value) if isinstance(value, str) else None
    low, high = (int(match[1]), int(match[2] or match[1])) if match else (1, 0)
    if low > high or high < 1:
        raise _wrong("a range such as 1..3", value, 'Write each: "1..3"')
    return low, high


def _mapping(value: object) -> dict[str, Any]:
    if isinstance(value, dict):
        return value
    if value in ("", None):
        return {}
    raise _wrong("a mapping", value, "Write name: value lines below it")


_SCALAR = {"type": ["string", "number", "boolean"]}
Flag = Annotated[bool, BeforeValidator(_flag), WithJsonSchema({"enum": [True, False]})]
Text = Annotated[str, BeforeValidator(_text), WithJsonSchema(_SCALAR)]
Whole = Annotated[
    int, BeforeValidator(_whole), WithJsonSchema({"anyOf": [{"type": "integer", "minimum": 0}, {"type": "string", "pattern": "^[0-9]+$"}]})
]
Texts = Annotated[tuple[str, ...], BeforeValidator(_texts), WithJsonSchema({"anyOf": [_SCALAR, {"type": "array", "items": _SCALAR}]})]
List = Annotated[tuple[str, ...], BeforeValidator(_list), WithJsonSchema({"type": "array", "items": _SCALAR})]
Each = Annotated[tuple[int, int], BeforeValidator(_each), WithJsonSchema({"type": ["string", "integer"], "pattern": r"^\d+(\.\.\d+)?$"})]
Block = Annotated[str, BeforeValidator(_text), WithJsonSchema({"type": "string"})]


class Part(BaseModel):
    """Every part of a seed file: no unknown keys, no change after reading."""

    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True)


class TypeModel(Part):
    """A value's type: `type` with what closes or sizes it."""

    type: Text = Field(default="", description="text, integer, decimal, money, bool, date, time, datetime, duration, list, map, an enum or a struct.")
    of: Texts = Field(default=(), description="Element type of a list or map; for a scalar, the only allowed values.")
    places: Whole | None = Field(default=None, description="Decimal places of a decimal.")
    length: Whole | None = Field(default=None, description="Longest allowed text.")
    optional: Flag = Field(default=False, description="May be empty.")
    about: Text = Field(default="", description="One sentence on what it is.")

    @model_validator(mode="before")
    @classmethod
    def _short(cls, value: object) -> object:
        return {"type": value} if isinstance(value, str) else value


class FieldModel(TypeModel):
    """One field of an entity. A bare word is short for `{type: word}`."""

    ref: Texts = Field(default=(), description="Entity whose row it refers to, or a list of two.")
    links: Text = Field(default="", description="Entity of which it holds a set of rows.")
    many: Text = Field(default="", description="Name of the reverse set on the referred entity.")
    each: Each | None = Field(default=None, description="How many such rows the data makes for each referred row, such as 1..3.")
    part: Flag = Field(default=False, description="Dies, is copied and is returned with the row it refers to.")
    tree: Flag = Field(default=False, description="Refers to its own entity without cycles.")
    position: Flag = Field(default=False, description="Rows of one referred row are numbered from 1.")
    unique: Flag = Field(default=False, description="No two rows share a value.")
    start: Text | None = Field(default=None, description="Value of a new row that gives none: an expression.")
    computed: Text | None = Field(default=None, alias="is", description="Expression, computed when the row is made.")
    always: Text | None = Field(default=None, description="Expression, computed at each read.")
    low: Text | None = Field(default=None, description="Least allowed value: an expression.")
    high: Text | None = Field(default=None, description="Greatest allowed value: an expression.")
    lifecycle: dict[str, List] | None = Field(
        default=None, description="States and, for each, the states that may follow; the first one is the start."
    )
    match: Literal["exact", "text", "exempt"] = Field(default="exact", description="How a score compares it.")
    facts: List = Field(default=(), description="Synonym groups of `facts:` that tell whether two texts mean the same.")
    history: Flag = Field(default=False, description="Tells only what happened; never scored.")


class EntityModel(Part):
    """One entity."""

    id: Text = Field(default="", description="Pattern of ids, such as APT-{n:05}; `given` when the caller names it.")
    per: Text = Field(default="", description="Reference whose row has the counter of ids.")
    key: List = Field(default=(), description="Fields that together identify a row.")
    called: Text = Field(default="", description="How a person refers to a row, with {field} slots.")
    rows: Whole | None = Field(default=None, description="How many rows the data makes.")
    single: Flag = Field(default=False, description="Exactly one row, named by the lower-case entity name.")
    archive: Flag = Field(default=False, description="Deleted rows stay, hidden.")
    unique: Annotated[tuple[tuple[str, ...], ...], Field(description="Fields that are unique together, or a list of such lists.")] = ()
    plural: Text = Field(default="", description="Plural in snake case, where the rule (s, es, ies) is wrong.")
    about: Text = Field(default="", description="One sentence on what it is.")
    fields: dict[str, FieldModel] = Field(description="Fields by name.")

    @model_validator(mode="before")
    @classmethod
    def _unique(cls, value: object) -> object:
        if isinstance(value, dict) and isinstance(value.get("unique"), list) and all(isinstance(one, str) for one in value["unique"]):
            return {**value, "unique": [value["unique"]]}
        return value


class ConstantModel(TypeModel):
    """A named value."""

    value: Annotated[Any, WithJsonSchema({})] = Field(description="Its value; quoted.")


class SearchModel(Part):
    """What a derived search can filter by. A list is short for `{by: list}`."""

    by: List = Field(description="Fields; `field.range` gives from and to, `field.exact` and `field.contains` choose for text.")
    sort: List = Field(default=(), description="Fields in the order of the results; -field for the greatest first.")
    about: Text = Field(default="", description="Description of the tool.")

    @model_validator(mode="before")
    @classmethod
    def _short(cls, value: object) -> object:
        return {"by": value} if isinstance(value, list) else value


class CreateModel(Part):
    """What a derived create sets. A list is short for `{fields: list}`."""

    fields: List = Field(default=(), description="Fields that are given; all others take their start.")
    asked: Texts = Field(default=(), description="How people ask for it.")
    about: Text = Field(default="", description="Description of the tool.")

    @model_validator(mode="before")
    @classmethod
    def _short(cls, value: object) -> object:
        return {"fields": value} if isinstance(value, list) else value


class UpdateModel(Part):
    """What a derived update may change. A list is short for `{fields: list}`."""

    fields: List = Field(description="Fields that may be sent.")
    asked: dict[str, Texts] = Field(default_factory=dict, description="For each field, how people ask for its change.")
    about: Text = Field(default="", description="Description of the tool.")

    @model_validator(mode="before")
    @classmethod
    def _short(cls, value: object) -> object:
        return {"fields": value} if isinstance(value, list) else value


class DeleteModel(Part):
    """How people ask for a derived delete. A list or text is short for `{asked: list}`."""

    asked: Texts = Field(default=(), description="How people ask for it.")
    about: Text = Field(default="", description="Description of the tool.")

    @model_validator(mode="before")
    @classmethod
    def _short(cls, value: object) -> object:
        return {"asked": value} if isinstance(value, list | str) else value


class DeriveModel(Part):
    """Tools that need no body."""

    search: dict[str, SearchModel] = Field(default_factory=dict, description="search_owners: filters, paging.")
    get: List = Field(default=(), description="get_owner: one row with its parts.")
    list: List = Field(default=(), description="list_vets: all rows of a small entity.")
    create: dict[str, CreateModel] = Field(default_factory=dict, description="create_owner: a new row.")
    update: dict[str, UpdateModel] = Field(default_factory=dict, description="update_owner: changes what is sent.")
    delete: dict[str, DeleteModel] = Field(default_factory=dict, description="delete_owner.")
    calculator: Flag = Field(default=False, description="calculate: arithmetic for the agent.")


class SeedModel(Part):
    """A whole seed file."""

    format: Literal["1"] = Field(default="1", description="Version of the language.", json_schema_extra={"enum": ["1", 1]})
    id: Text = Field(description="Name of the environment, in small letters, digits and _.")
    title: Text = Field(description="Title for people.")
    about: Text = Field(default="", description="A few sentences on the domain, for the agent.")
    now: Text = Field(default=DEFAULT_NOW, description="The time at which every episode starts, such as 2026-03-02T08:00:00.")
    actor: Text = Field(default="", description="Entity of the acting user; `me` is its row.")
    roles: dict[str, Text] = Field(default_factory=dict, description="Roles and what each may do.")
    constants: dict[str, ConstantModel] = Field(default_factory=dict, description="Named values, in UPPER_CASE.")
    enums: dict[str, List] = Field(default_factory=dict, description="Words, in order.")
    types: dict[str, dict[str, TypeModel]] = Field(default_factory=dict, description="Structs: named groups of scalar fields.")
    entities: dict[str, EntityModel] = Field(description="Entities by name.")
    derive: DeriveModel = Field(default_factory=DeriveModel, description="Tools that need no body.")
    functions: Block = Field(default="", description="Functions that tools share, a literal block.")
    tools: Block = Field(default="", description="Tools, a literal block.")
    invariants: Block = Field(default="", description="Conditions that always hold, a literal block.")
    data: Block = Field(default="", description="How rows are made, a literal block.")
    policies: List = Field(default=(), description="Rules beyond single tools, in prose.")
    glossary: dict[str, Texts] = Field(default_factory=dict, description="Words that people use for a thing.")
    facts: dict[str, tuple[Texts, ...]] = Field(default_factory=dict, description="Groups of synonyms, for fields with match: text.")
    edges: Flag = Field(default=True, description="Whether the data holds rows next to the boundary of each rule.")
