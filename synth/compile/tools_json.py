"""tools.json: the tools as MCP tool objects."""

from typing import Any

from synth.compile.effects import writes
from synth.compile.json_schema import Schema, described, nullable, scalar_schema
from synth.lang import nodes as n
from synth.lang import wording
from synth.lang.domain import Domain, Field, Param, Tool

_PAGING: Schema = {
    "limit": {"type": "integer", "minimum": 1, "maximum": 50, "default": 20, "description": "Maximum number of rows per page."},
    "offset": {
        "type": "integer",
        "minimum": 0,
        "maximum": 1_000_000,
        "default": 0,
        "description": "Number of rows to skip.",
    },
}


def tool_objects(domain: Domain) -> list[dict[str, Any]]:
    """One object per tool, in order."""
    return [_object(domain, one) for one in domain.tools]


def _object(domain: Domain, tool: Tool) -> dict[str, Any]:
    title = tool.name.replace("_", " ").capitalize()
    return {
        "name": tool.name,
        "title": title,
        "description": tool.doc.strip() or f"{title}.",
        "inputSchema": input_schema(domain, tool),
        "outputSchema": output_schema(tool),
        "annotations": _annotations(domain, tool, title),
    }


def _annotations(domain: Domain, tool: Tool, title: str) -> dict[str, Any]:
    destructive = not tool.read_only and any(not isinstance(one, n.Create | n.Copy) for one in writes(domain, tool.body))
    return {"title": title, "readOnlyHint": tool.read_only, "destructiveHint": destructive, "openWorldHint": False}


def input_schema(domain: Domain, tool: Tool) -> Schema:
    """The arguments of a tool."""
    return {
        "type": "object",
        "additionalProperties": False,
        "required": [one.argument for one in tool.params if one.required],
        "properties": {**{one.argument: _parameter(domain, one) for one in tool.params}, **(_PAGING if tool.kind == "search" else {})},
    }


def _parameter(domain: Domain, one: Param) -> Schema:
    field = domain.entity(one.of[0]).field(one.of[1]) if one.of else None
    made = scalar_schema(domain, one.type, field)
    if isinstance(one.default, n.Const) and one.default.value is None and not one.type.optional:
        made = nullable(made)
    if isinstance(one.default, n.Const) and one.default.value is not None and isinstance(one.default.value, str | int):
        made["default"] = one.default.value
    said = in_words(domain, one, field) if field is not None else one.description
    return {**made, "description": described(said or _fallback(one, field), one.name, one.type)}


def in_words(domain: Domain, one: Param, field: Field) -> str:
    """The description of a parameter; where it is made of the field's name, the glossary's word for that stands in it."""
    entity = one.of[0] if one.of else ""
    told = next((said[0] for name, said in domain.glossary if said and name == f"{entity}.{field.name}"), "")
    plain = wording.described(field.name, field.type.required(), one.of).removesuffix(".")
    if not told or field.type.kind in ("bool", "row") or field.description or not one.description.startswith(plain):
        return one.description
    whole = told if {"of", "for", "to"} & set(told.split()) else f"{told} of the {wording.words(entity)}"
    return f"{whole[:1].upper()}{whole[1:]}{one.description.removeprefix(plain)}"


def _fallback(one: Param, field: Field | None) -> str:
    said = one.name.replace("_", " ")
    if one.type.kind == "row":
        return f"Id of the {said}."
    if one.type.kind == "list" and one.type.item and one.type.item.kind == "row":
        return f"Ids of the {said}."
    return (field.description if field else "") or f"The {said}."


def output_schema(tool: Tool) -> Schema:
    """The result of a tool, no more than its outermost keys."""
    if tool.kind == "search":
        return _shape({"items": "array", "total": "integer", "next_offset": ["integer", "null"]})
    if tool.kind == "calculator":
        return _shape({"result": "number"})
    if not any(isinstance(one, n.Return) for one in tool.body):
        return _shape({"ok": "boolean"})
    kind = tool.result
    if kind.kind == "row" and not kind.optional:
        return _shape({"id": "string"})
    if kind.kind == "list" and not kind.optional:
        return _shape({"items": "array"})
    if kind.kind in ("record", "struct") and not kind.optional:
        return {"type": "object"}
    return {"type": "object", "required": ["result"]}


def _shape(keys: dict[str, Any]) -> Schema:
    return {"type": "object", "required": list(keys), "properties": {name: {"type": kind} for name, kind in keys.items()}}
