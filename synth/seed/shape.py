"""A tree of strings as a model of the seed file, with every mistake of shape reported at its place."""

import re
from collections.abc import Iterator
from typing import Any

from pydantic import BaseModel, ValidationError

from synth.lang.problems import Report, advice
from synth.seed.model import SeedModel
from synth.seed.tree import Mapping, Plain, find, find_key, plain

Path = tuple[str | int, ...]
MOST_ROUNDS = 6
FIELD = re.compile(r"[a-z][a-z0-9_]{0,39}")
_PLACEHOLDERS: dict[str, Plain] = {"id": "unnamed", "title": "Unnamed", "entities": {}}


def read_shape(tree: Mapping, report: Report) -> tuple[SeedModel | None, frozenset[str]]:
    """The model, and names whose declaration was wrong: they are left out, so that the rest can still be checked."""
    content = plain(tree)
    broken: set[str] = set()
    cut: set[Path] = set()
    for _ in range(MOST_ROUNDS):
        try:
            return SeedModel.model_validate(content), frozenset(broken)
        except ValidationError as error:
            for one in error.errors(include_url=False):
                path = tuple(one["loc"])
                if path not in cut:
                    _report(tree, path, dict(one), report)
                cut.add(path)
                broken.update(str(step) for step in path)
                broken.update(one for one in _texts(content, path) if FIELD.fullmatch(one))
                content = _without(content, path, missing=one["type"] == "missing")
    return None, frozenset(broken)


def _texts(content: Plain, path: Path) -> Iterator[str]:
    """All texts in the part at a path: under a key that is not known, one may be the name of what others use."""
    for step in path:
        if isinstance(content, dict):
            content = content.get(str(step), "")
        else:
            content = content[step] if isinstance(content, list) and isinstance(step, int) and step < len(content) else ""
    waiting = [content]
    while waiting:
        one = waiting.pop()
        if isinstance(one, str):
            yield one
        else:
            waiting += one if isinstance(one, list) else one.values()


def _report(tree: Mapping, path: Path, error: dict[str, Any], report: Report) -> None:
    kind, field = error["type"], ".".join(str(one) for one in path)
    name = str(path[-1]) if path else "seed"
    if kind == "extra_forbidden":
        known = _keys(path[:-1])
        report.add(
            find_key(tree, path), field, expected="a key of the seed language", got=repr(name), fix=advice(name, known, "key"), code="UNKNOWN_KEY"
        )
    elif kind == "missing":
        fix = f"Add the line `{name}: …`"
        report.add(find(tree, path[:-1]), field, expected=f"the key {name!r}", got="nothing", fix=fix, code="MISSING_KEY")
    elif "expected" in error.get("ctx", {}) and "fix" in error["ctx"]:
        ctx = error["ctx"]
        report.add(find(tree, path), field, expected=ctx["expected"], got=ctx["got"], fix=ctx["fix"], code=kind)
    elif kind == "literal_error":
        allowed = str(error["ctx"]["expected"])
        fix = f"Write {allowed}"
        report.add(find(tree, path), field, expected=allowed, got=repr(error["input"]), fix=fix, code="UNKNOWN_WORD")
    else:
        expected = {"dict_type": "a mapping", "tuple_type": "a list", "model_type": "a mapping", "list_type": "a list"}.get(kind, "another value")
        got = "a text" if isinstance(error["input"], str) else "a list" if isinstance(error["input"], list) else "a mapping"
        fix = "Write `name: value` lines below it" if expected == "a mapping" else "Write [a, b]"
        report.add(find(tree, path), field, expected=expected, got=got, fix=fix, code="WRONG_SHAPE")


def _keys(path: Path) -> list[str]:
    """Keys that the language has at a place."""
    model: Any = SeedModel
    for step in path:
        fields = model.model_fields if isinstance(model, type) and issubclass(model, BaseModel) else {}
        found = next((one.annotation for name, one in fields.items() if step in (name, one.alias)), None)
        model = _model_in(found) if found is not None else model
    if not (isinstance(model, type) and issubclass(model, BaseModel)):
        return []
    return [one.alias or name for name, one in model.model_fields.items()]


def _model_in(annotation: Any) -> Any:
    """The model inside an annotation such as dict[str, EntityModel]."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    for one in getattr(annotation, "__args__", ()):
        found = _model_in(one)
        if found is not None:
            return found
    return None


def _without(content: Plain, path: Path, *, missing: bool) -> Plain:
    """The content, which is changed in place, without the part at a path; what must be there gets a stand-in."""
    if not path:
        return {}
    if missing and len(path) == 1 and isinstance(content, dict):
        content[str(path[0])] = _PLACEHOLDERS.get(str(path[0]), "")
    else:
        _cut(content, path[:-1] if missing else path)
    return content


def _cut(content: Plain, path: Path) -> None:
    step = path[0] if path else ""
    below: Plain = ""
    if isinstance(content, dict) and step in content:
        below = content[str(step)]
        if len(path) == 1 or not isinstance(below, dict | list):
            del content[str(step)]
            return
    elif isinstance(content, list) and isinstance(step, int) and step < len(content):
        below = content[step]
        if len(path) == 1:
            del content[step]
            return
    if isinstance(below, dict | list):
        _cut(below, path[1:])
