"""The JSON Schema of seed files, for editors: `python -m synth.seed.schema` prints it."""

import json
import sys
from typing import Any

from synth.seed.model import SeedModel

SHORT: dict[str, dict[str, Any]] = {
    "FieldModel": {"type": "string"},
    "TypeModel": {"type": "string"},
    "SearchModel": {"type": "array", "items": {"type": "string"}},
    "CreateModel": {"type": "array", "items": {"type": "string"}},
    "UpdateModel": {"type": "array", "items": {"type": "string"}},
    "DeleteModel": {"type": ["array", "string"], "items": {"type": "string"}},
}
"""The short form of each part that has one."""


def schema_text() -> str:
    """The schema as JSON text; the same for the same models."""
    schema = SeedModel.model_json_schema(by_alias=True)
    schema = _with_short_forms(_without_titles(schema))
    schema["$schema"] = "https://json-schema.org/draft/2020-12/schema"
    schema["title"] = "A seed of envfarm"
    schema["$defs"]["EntityModel"]["properties"]["unique"] = {
        "description": "Fields that are unique together, or a list of such lists.",
        "type": "array",
        "items": {"type": ["string", "array"], "items": {"type": "string"}},
    }
    return json.dumps(schema, indent=2, sort_keys=True, ensure_ascii=False) + "\n"


def _without_titles(part: Any) -> Any:
    """The schema without the titles that models make, which only repeat names."""
    if isinstance(part, dict):
        return {key: _without_titles(value) for key, value in part.items() if not (key == "title" and isinstance(value, str)) and key != "default"}
    return [_without_titles(one) for one in part] if isinstance(part, list) else part


def _with_short_forms(part: Any) -> Any:
    """The schema with both forms allowed wherever there is a short one."""
    if isinstance(part, list):
        return [_with_short_forms(one) for one in part]
    if not isinstance(part, dict):
        return part
    name = str(part.get("$ref", "")).rpartition("/")[2]
    if name in SHORT:
        return {"anyOf": [dict(part), SHORT[name]]}
    return {key: _with_short_forms(value) for key, value in part.items()}


if __name__ == "__main__":
    sys.stdout.write(schema_text())
