"""Two agents that know no gold and read what the tools say: one plays by chance, one takes what fits best."""

import json
import random
import re
from collections.abc import Mapping, Sequence
from typing import Any

from evals.agents.agent import Episode, Outcome
from evals.agents.known import Known
from evals.session import SUBMIT, ThinSession

CALLS_BY_CHANCE = 12
LOOKS = 6
"""Searches that the greedy agent makes at most."""
_ID = re.compile(r"[A-Z]{2,5}-[A-Z0-9-]+")
_WORD = re.compile(r"[a-z]+")
_NUMBER = re.compile(r"\d+(?:\.\d+)?")
_NAMES = re.compile(r"[A-Z][\w'-]+(?: [A-Z][\w'-]+)+")
_QUOTED = re.compile(r"[\"'“‘]([^\"'”’]{2,60})[\"'”’]")
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")


async def by_chance(session: ThinSession, episode: Episode, known: Known) -> Outcome:
    """Calls tools by chance with arguments of the right form and ids that it has seen, then submits by chance."""
    draw = random.Random(episode.seed)  # noqa: S311 (reproducible by its seed is what is wanted here)
    tools = [one for one in await session.tools() if one["name"] != SUBMIT]
    seen: list[str] = []
    for _ in range(draw.randint(1, CALLS_BY_CHANCE)):
        tool = draw.choice(tools)
        reply = await session.call(tool["name"], _arguments_by_chance(draw, tool["inputSchema"], episode.instruction, seen))
        seen += [one for one in ids_in(reply.result) if one not in seen]
    outcome = draw.choice(("done", "answered", "declined"))
    said: dict[str, Any] = {"outcome": outcome}
    if outcome == "answered":
        said["answer"] = str(draw.choice([*_NUMBER.findall(episode.instruction), *seen, "0", "1", "2", "3"]))
    if outcome == "declined":
        said |= {"reason_code": "NOT_ALLOWED", "evidence": draw.sample(seen, min(1, len(seen)))}
    await session.call(SUBMIT, said)
    return Outcome()


def _arguments_by_chance(draw: random.Random, schema: Mapping[str, Any], instruction: str, seen: Sequence[str]) -> dict[str, Any]:
    required = set(schema.get("required", ()))
    names = [name for name in schema.get("properties", {}) if name in required or draw.random() < 0.3]
    return {name: _by_chance(draw, schema["properties"][name], instruction, seen) for name in names}


def _by_chance(draw: random.Random, shape: Mapping[str, Any], instruction: str, seen: Sequence[str]) -> Any:
    kinds = shape.get("type", "string")
    kind = next((one for one in kinds if one != "null"), "string") if isinstance(kinds, list) else kinds
    if "enum" in shape:
        return draw.choice(shape["enum"])
    if kind in ("integer", "number"):
        numbers = [float(one) for one in _NUMBER.findall(instruction)] or [1.0]
        value = draw.choice(numbers)
        return int(value) if kind == "integer" else value
    if kind == "boolean":
        return draw.random() < 0.5
    if kind == "array":
        return [_by_chance(draw, shape.get("items", {}), instruction, seen)]
    if kind == "object":
        return _arguments_by_chance(draw, shape, instruction, seen)
    fitting = _fitting(shape, seen)
    return draw.choice(fitting or [*spans(instruction), "a"])


async def greedy(session: ThinSession, episode: Episode, known: Known) -> Outcome:
    """Searches for what the instruction names, calls the writing tool whose words it shares most of, on the first rows found; then says done."""
    tools = [one for one in await session.tools() if one["name"] != SUBMIT]
    reads = [one for one in tools if (one.get("annotations") or {}).get("readOnlyHint")]
    seen = await _looked(session, reads, episode.instruction)
    writes = sorted((one for one in tools if one not in reads), key=lambda one: (-_shared(one, episode.instruction), one["name"]))
    for tool in writes[:3]:
        reply = await session.call(tool["name"], _best_arguments(tool["inputSchema"], episode.instruction, seen))
        if reply.result is not None:
            break
    await session.call(SUBMIT, {"outcome": "done"})
    return Outcome()


async def _looked(session: ThinSession, reads: Sequence[Mapping[str, Any]], instruction: str) -> list[str]:
    """Ids of what searches for names in the instruction find, first those of the searches that share most words with it."""
    seen: list[str] = []
    names = spans(instruction)
    by_words = sorted(reads, key=lambda one: (-_shared(one, instruction), one["name"]))
    for tool in [one for one in by_words if "name" in one["inputSchema"].get("properties", {})][:LOOKS]:
        for name in names[:3]:
            reply = await session.call(tool["name"], {"name": name})
            found = ids_in(reply.result)
            seen += [one for one in found if one not in seen]
            if found:
                break
    return seen


def _shared(tool: Mapping[str, Any], instruction: str) -> int:
    """How many words of its name and description the instruction has."""
    words = set(_WORD.findall(instruction.lower()))
    name = set(_WORD.findall(tool["name"].replace("_", " ")))
    return 3 * len(words & name) + len(words & set(_WORD.findall(tool.get("description", "").lower())))


def _best_arguments(schema: Mapping[str, Any], instruction: str, seen: Sequence[str]) -> dict[str, Any]:
    return {name: _best(schema["properties"][name], instruction, seen) for name in schema.get("required", ())}


def _best(shape: Mapping[str, Any], instruction: str, seen: Sequence[str]) -> Any:
    kinds = shape.get("type", "string")
    kind = next((one for one in kinds if one != "null"), "string") if isinstance(kinds, list) else kinds
    if "enum" in shape:
        said = instruction.lower()
        return next((one for one in shape["enum"] if one is not None and str(one).replace("_", " ") in said), shape["enum"][0])
    if kind in ("integer", "number"):
        found = _NUMBER.findall(instruction)
        value = float(found[-1]) if found else 1.0
        return int(value) if kind == "integer" else value
    if kind == "boolean":
        return True
    if kind == "array":
        return [_best(shape.get("items", {}), instruction, seen)]
    if kind == "object":
        return _best_arguments(shape, instruction, seen)
    return next(iter(_fitting(shape, seen)), next(iter(spans(instruction)), "a"))


def _fitting(shape: Mapping[str, Any], seen: Sequence[str]) -> list[str]:
    """Ids that fit the shape's pattern."""
    pattern = shape.get("pattern")
    return [one for one in seen if re.search(pattern, one)] if pattern else []


def spans(instruction: str) -> list[str]:
    """What may be a value in an instruction: what is quoted, names, dates, numbers."""
    found = [*_QUOTED.findall(instruction), *_NAMES.findall(instruction), *_DATE.findall(instruction), *_NUMBER.findall(instruction)]
    return list(dict.fromkeys(found))


def ids_in(result: Any) -> list[str]:
    """Every id in a result, in order."""
    return list(dict.fromkeys(_ID.findall(json.dumps(result)))) if result is not None else []
