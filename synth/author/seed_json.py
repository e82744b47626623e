"""Seeds as JSON, for endpoints that keep to a schema: the schema in short, and the YAML of an answer."""

import json
from typing import Any

from synth.model.answer import AnswerUnreadable, json_value
from synth.seed.schema import schema_text

BLOCKS = ("functions", "tools", "invariants", "data")
_TALK = ("description", "title", "examples", "$schema", "$id", "pattern", "minimum")


def _short(value: Any, *, names: bool = False) -> Any:
    """A schema without what it says to people, and with scalars of any kind as `{}`."""
    if isinstance(value, list):
        return [_short(one) for one in value]
    if not isinstance(value, dict):
        return value
    if not names and ("anyOf" in value or isinstance(value.get("type"), list) or "enum" in value):
        options = value.get("anyOf", ())
        references = [one for one in options if "$ref" in one]
        return {} if not references else {"anyOf": [*references, {}]} if len(references) < len(options) else {"anyOf": references}
    kept = {name: one for name, one in value.items() if names or name not in _TALK}
    return {name: _short(one, names=name in ("properties", "$defs")) for name, one in kept.items()}


SEED_SCHEMA: dict[str, Any] = _short(json.loads(schema_text()))
"""The JSON Schema of the seed language in about a third of its tokens; the checker says the rest."""


def seed_of_json(answer: str) -> str:
    """The YAML of a seed that came as JSON.

    Raises:
        AnswerUnreadable: It is no JSON object.
    """
    value = json_value(answer)
    if not isinstance(value, dict) or "id" not in value:
        raise AnswerUnreadable("answer: expected one JSON object with `id`, got something else. Write the whole seed.")
    return "".join(_entry(str(name), one) for name, one in value.items())


def _entry(name: str, value: Any) -> str:
    if name in BLOCKS and isinstance(value, str):
        lines = value.strip("\n").split("\n")
        return f"{name}: |\n" + "".join(f"  {line}".rstrip() + "\n" for line in lines)
    if name == "entities" and isinstance(value, dict):
        return "entities:\n" + "".join(f"  {json.dumps(str(entity), ensure_ascii=False)}: {_flow(body)}\n" for entity, body in value.items())
    return f"{json.dumps(name, ensure_ascii=False)}: {_flow(value)}\n"


def _flow(value: Any) -> str:
    """JSON is YAML; every scalar is text in a seed."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{json.dumps(str(name), ensure_ascii=False)}: {_flow(one)}" for name, one in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(_flow(one) for one in value) + "]"
    text = "true" if value is True else "false" if value is False else "" if value is None else str(value)
    return json.dumps(text, ensure_ascii=False)
