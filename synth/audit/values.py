"""Wrong values: for an argument of a call, others of its kind."""

import datetime as dt
import re
from collections.abc import Iterator
from typing import Any

from registry.package.meta import ParameterMeta
from synth.audit.case import Case, Step

NAMES = ("Zoltan", "Quimby")
SECOND_FACT = "The gate code was changed on Sunday."


def parameter_of(case: Case, step: Step, argument: str) -> ParameterMeta:
    """What meta.json says of an argument."""
    return next(one for one in case.environment.meta.tool(step.tool).parameters if one.argument == argument)


def wrong_values(case: Case, step: Step, argument: str) -> Iterator[tuple[str, Any]]:
    """Name of the edit and the value, for one argument that is no row."""
    parameter, value = parameter_of(case, step, argument), step.arguments[argument]
    if parameter.kind == "enum":
        words = [word for word in _words(case, step, argument) if word not in (value, None)]
        yield from (("wrong word", word) for word in words[:2])
    elif parameter.kind == "text" and isinstance(value, str):
        yield from wrong_texts(value) if parameter.match == "text" else [("wrong text", f"{value} {NAMES[0]}")]
    elif isinstance(value, list):
        yield from _wrong_lists(value)
    elif isinstance(value, dict):
        yield from _wrong_objects(value)
    else:
        other = other_scalar(value)
        if other is not None:
            yield "wrong value", other


def _words(case: Case, step: Step, argument: str) -> list[Any]:
    tool = next(one for one in case.environment.tools if one["name"] == step.tool)
    shape = tool["inputSchema"]["properties"][argument]
    return list(shape.get("enum", ()))


def other_scalar(value: Any) -> Any:
    """Another number, day or truth; None for what has no other."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, int | float):
        return value + 1
    if not isinstance(value, str):
        return None
    for kind, form in ((dt.date, 10), (dt.datetime, 19)):
        if len(value) == form:
            try:
                return (kind.fromisoformat(value) + dt.timedelta(days=1)).isoformat()
            except ValueError:
                return None
    if re.fullmatch(r"\d\d:\d\d(:\d\d)?", value):
        return f"{(int(value[:2]) + 1) % 24:02d}{value[2:]}"
    return None


def wrong_texts(text: str) -> Iterator[tuple[str, str]]:
    """The text denied, with another number or name, with a second fact."""
    if text:
        yield "negation", f"Not {text[0].lower()}{text[1:]}"
        yield "second fact", f"{text.rstrip('.')}. {SECOND_FACT}"
    number = re.search(r"\d+", text)
    if number:
        yield "other number", text[: number.start()] + str(int(number.group()) + 1) + text[number.end() :]
    name = re.search(r"(?<=[a-z,] )[A-Z][a-z]+", text)
    if name:
        yield "other name", text[: name.start()] + NAMES[0] + text[name.end() :]


def _wrong_lists(value: list[Any]) -> Iterator[tuple[str, Any]]:
    if len(value) > 1:
        yield "list without its last", value[:-1]
    if value:
        yield "list with its first twice", [*value, value[0]]
        first = next(_wrong_objects(value[0]), None) if isinstance(value[0], dict) else None
        if first is not None:
            yield first[0], [first[1], *value[1:]]


def _wrong_objects(value: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    for name, part in value.items():
        other = other_scalar(part)
        if other is not None:
            yield f"wrong value of {name}", {**value, name: other}
