"""Types of the seed language as JSON Schema: nested objects inline, no references, null inside nullable enums."""

import re
from typing import Any

from synth.lang import nodes as n
from synth.lang.domain import Domain, Entity, Field
from synth.lang.types import Type

Schema = dict[str, Any]

DATE = r"^[0-9]{4}-[0-9]{2}-[0-9]{2}$"
TIME = r"^[0-9]{2}:[0-9]{2}(:[0-9]{2})?$"
DATETIME = r"^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}(:[0-9]{2})?$"
LONGEST_TEXT = 10_000
MOST_ITEMS = 100
HINTS = {
    "date": "As 2026-03-02.",
    "time": "As 09:00:00.",
    "datetime": "As 2026-03-02T09:00:00, without time zone.",
    "duration": "In minutes.",
}


def id_schema(domain: Domain, entities: tuple[str, ...]) -> Schema:
    """The id of a row of one of these entities."""
    found = [domain.entity(name) for name in entities]
    patterns = [_id_pattern(one) for one in found]
    if not all(patterns):
        return {"type": "string", "minLength": 1, "maxLength": 200}
    inner = patterns[0] if len(patterns) == 1 else f"({'|'.join(patterns)})"
    return {"type": "string", "pattern": f"^{inner}$"}


def _id_pattern(entity: Entity) -> str:
    """Regular expression of an entity's ids; empty when they may be anything."""
    if entity.id_kind != "counter":
        return ""
    pieces = re.split(r"(\{[^{}]*\})", entity.id_pattern)
    return "".join(_id_piece(piece) for piece in pieces)


def _id_piece(piece: str) -> str:
    counted = re.fullmatch(r"\{n(?::0?(\d+)d?)?\}", piece)
    if counted:
        return f"[0-9]{{{int(counted[1] or 1)},12}}"
    return ".{1,80}" if piece.startswith("{") else re.escape(piece)


def scalar_schema(domain: Domain, kind: Type, field: Field | None = None) -> Schema:
    """A value of this type; `field` gives its length, limits and allowed values."""
    made = _required(domain, kind, field)
    return nullable(made) if kind.optional else made


def nullable(schema: Schema) -> Schema:
    """The same schema, with null allowed."""
    made = dict(schema)
    if isinstance(made.get("type"), str):
        made["type"] = [made["type"], "null"]
    if "enum" in made:
        made["enum"] = [*made["enum"], None]
    return made


def _required(domain: Domain, kind: Type, field: Field | None) -> Schema:
    if kind.kind == "row":
        return id_schema(domain, kind.entities)
    if kind.kind in ("list", "map"):
        return _collection(domain, kind, field)
    if kind.kind == "struct":
        return struct_schema(domain, kind.name)
    if field is not None and field.closed:
        return {"type": _JSON[kind.kind], "enum": [_closed(kind, one) for one in field.closed]}
    if kind.kind == "enum":
        return {"type": "string", "enum": list(words(domain, kind.name))}
    return {**_PLAIN[kind.kind], **_limits(kind, field)}


def _closed(kind: Type, value: str | int) -> Any:
    return float(value) if kind.kind in ("money", "decimal") else value


_JSON = {"integer": "integer", "money": "number", "decimal": "number", "bool": "boolean", "duration": "integer"}
_JSON |= dict.fromkeys(("text", "enum", "date", "time", "datetime"), "string")
_PLAIN: dict[str, Schema] = {
    "text": {"type": "string"},
    "integer": {"type": "integer"},
    "money": {"type": "number"},
    "decimal": {"type": "number"},
    "bool": {"type": "boolean"},
    "duration": {"type": "integer"},
    "date": {"type": "string", "pattern": DATE},
    "time": {"type": "string", "pattern": TIME},
    "datetime": {"type": "string", "pattern": DATETIME},
}

MOST_MONEY = 10**12


def words(domain: Domain, name: str) -> tuple[str, ...]:
    """Words of an enum, or states of a lifecycle (`Entity.field`)."""
    for one in domain.enums:
        if one.name == name:
            return one.words
    entity, _, field = name.partition(".")
    lifecycle = domain.entity(entity).field(field).lifecycle
    return lifecycle.states if lifecycle else ()


def _limits(kind: Type, field: Field | None) -> Schema:
    if kind.kind == "text":
        return {"maxLength": field.length if field is not None else LONGEST_TEXT}
    if kind.kind not in ("integer", "money", "decimal"):
        return {}
    bounds = {"minimum": _constant(field.low if field else None), "maximum": _constant(field.high if field else None)}
    widest = {} if kind.kind == "integer" else {"minimum": -MOST_MONEY, "maximum": MOST_MONEY}
    return widest | {name: one for name, one in bounds.items() if one is not None}


def _constant(node: n.Node | None) -> int | float | None:
    if not isinstance(node, n.Const) or node.value is None or isinstance(node.value, str):
        return None
    return int(node.value) if node.value == int(node.value) else float(node.value)


def _collection(domain: Domain, kind: Type, field: Field | None) -> Schema:
    item = kind.item or Type(kind="text")
    inner = scalar_schema(domain, item, field if kind.kind == "list" else None)
    if kind.kind == "map":
        return {"type": "object", "additionalProperties": inner, "maxProperties": MOST_ITEMS}
    distinct = {"uniqueItems": True} if item.kind == "row" else {}
    return {"type": "array", "items": inner, "maxItems": MOST_ITEMS, **distinct}


def struct_schema(domain: Domain, name: str) -> Schema:
    """A struct as an object."""
    fields = next(one.fields for one in domain.structs if one.name == name)
    return {
        "type": "object",
        "additionalProperties": False,
        "required": [field for field, kind in fields if not kind.optional],
        "properties": {field: {**scalar_schema(domain, kind), "description": described("", field, kind)} for field, kind in fields},
    }


def described(text: str, name: str, kind: Type) -> str:
    """A description with the form of the value, where it is not plain."""
    item = kind.item if kind.kind == "list" and kind.item else kind
    said = text.strip() or f"{name.replace('_', ' ').capitalize()}."
    said = said if said.endswith((".", "?", "!")) else f"{said}."
    return f"{said} {HINTS[item.kind]}" if item.kind in HINTS else said
