"""Arguments for calls of tools: valid ones that often belong together, boundary ones, hostile ones."""

import datetime as dt
from collections.abc import Callable, Iterable
from copy import copy
from fractions import Fraction
from random import Random
from typing import Any

from synth.gate.constants import enum_words, numbers, texts
from synth.gate.related import Related
from synth.lang.domain import Domain, Field, Param, Tool
from synth.lang.types import Type
from synth.reference.interpret import Reference
from synth.reference.state import Ref, State
from synth.reference.values import scalar_json

HOSTILE: tuple[Any, ...] = (
    None, True, False, 0, -1, 1, 2**31, 2**53 - 1, 2**63, -(2**63) - 1, 10**30, 0.1, 1e308, 1.005, 12.50, "", " ", "0", "null", "none", "x" * 201,
    "x" * 10_001, "'; DROP TABLE \"Owner\"; --", "' OR '1'='1", "{{7*7}}", "${jndi:x}", "../../etc/passwd", "<script>", "Zoë Ångström 李四 🐈",
    "e\u0301", "\u202eabc", "\x00", "\ud800", "2026-99-99", "2026-02-30", "2026-03-02", "2026-03-02T09:00", "2026-03-02T09:00:00", "9999-12-31T23:59",
    "0001-01-01", "09:30", "25:00", "2026-03-02T09:00:00Z", [], [None], ["a", "a"], {}, {"id": "x"}, {"$ne": None}, [[[[[[[[]]]]]]]],
)  # fmt: skip
"""Values that fit hardly any parameter, or fit and are strange."""

WORDS = ("Fresh", "note", "Elm Street 5", "anna@example.org", "+1 555 0100", "blue", "Zoë")


class Calls:
    """Makes arguments for the tools of one domain from one stream of chance."""

    def __init__(self, reference: Reference, random: Random) -> None:
        self._reference = reference
        self._domain: Domain = reference.domain
        self._random = random
        self._related = Related(reference.tables)
        self._numbers: dict[str, tuple[Fraction, ...]] = {}
        self._texts: dict[str, tuple[str, ...]] = {}
        self._words: dict[str, dict[str, tuple[str, ...]]] = {}

    def drawing(self, random: Random) -> "Calls":
        """The same from another stream of chance; what is known of the domain is shared."""
        other = copy(self)
        other._random = random
        return other

    def valid(self, state: State, tool: Tool, now: dt.datetime, near: Iterable[Ref] = ()) -> dict[str, Any]:
        """Arguments that fit the parameters; rows are mostly ones that belong together, values mostly ones near those in use.

        Args:
            near: Rows to which others may belong.
        """
        arguments: dict[str, Any] = {}
        chosen = list(near)
        for param in tool.params:
            if not param.required and self._random.random() < 0.4:
                continue
            if param.type.optional and self._random.random() < 0.1:
                arguments[param.argument] = None
                continue
            arguments[param.argument] = self._value(state, tool, param, chosen, now)
        if tool.search is not None and self._random.random() < 0.2:
            arguments |= {"limit": self._random.choice((1, 2, 20, 50)), "offset": self._random.choice((0, 1, 20))}
        return arguments

    def hostile(self, state: State, tool: Tool, now: dt.datetime) -> Any:
        """Valid arguments with one or two faults: wrong values, ids of other entities, missing or unknown names."""
        arguments = self.valid(state, tool, now)
        if self._random.random() < 0.05:
            return self._random.choice(HOSTILE)
        for _ in range(self._random.choice((1, 1, 2))):
            fault = self._random.random()
            if fault < 0.1:
                arguments["unknown"] = self._random.choice(HOSTILE)
            elif fault < 0.2 and arguments:
                del arguments[self._random.choice(sorted(arguments))]
            elif tool.params:
                param = self._random.choice(tool.params)
                arguments[param.argument] = self._strange(state, param)
        return arguments

    def _strange(self, state: State, param: Param) -> Any:
        if self._random.random() < 0.4:
            table = self._random.choice(self._reference.tables.names)
            keys = state.keys(table)
            key = self._random.choice(keys) if keys and self._random.random() < 0.7 else f"{table[:3].upper()}-99999"
            return [key] if param.type.kind == "list" else key
        return self._random.choice(HOSTILE)

    def _value(self, state: State, tool: Tool, param: Param, chosen: list[Ref], now: dt.datetime) -> Any:
        item = param.type.item
        if param.type.kind == "row":
            return self._row(state, param.type.entities, chosen)
        if item is not None and item.kind == "row":
            count = self._random.choice((0, 1, 1, 2, 2, 3))
            return list(dict.fromkeys(self._row(state, item.entities, chosen) for _ in range(count)))
        field = self._domain.entity(param.of[0]).field(param.of[1]) if param.of else self._searched(tool, param)
        return self.scalar(state, tool, param.type, now, field, param.of[0] if param.of else tool.entity)

    def _searched(self, tool: Tool, param: Param) -> Field | None:
        """The field that a parameter of a search filters by."""
        names = {one.param: one.field for one in tool.search.filters} if tool.search else {}
        if tool.search is None or names.get(param.name, "id") == "id":
            return None
        return self._domain.entity(tool.search.entity).field(names[param.name])

    def _row(self, state: State, entities: tuple[str, ...], chosen: list[Ref]) -> str:
        entity = self._random.choice(entities)
        near = self._related.near(state, self._random.choice(chosen), entity, self._random) if chosen and self._random.random() < 0.75 else []
        keys = state.keys(entity)
        if not near and not keys:
            return "none"
        ref = self._random.choice(near) if near else Ref(entity, self._random.choice(keys))
        chosen.append(ref)
        return ref.key

    def scalar(self, state: State, tool: Tool, of: Type, now: dt.datetime, field: Field | None, entity: str) -> Any:
        """JSON of a value of a type, for a field if it is known."""
        if field is not None and field.closed and self._random.random() < 0.9:
            return self._random.choice(field.closed)
        if of.kind == "list" and of.item is not None:
            return [self.scalar(state, tool, of.item, now, None, entity) for _ in range(self._random.choice((0, 1, 2, 3)))]
        if of.kind == "map" and of.item is not None:
            return {self._random.choice(WORDS): self.scalar(state, tool, of.item, now, None, entity) for _ in range(self._random.choice((0, 1, 2)))}
        if of.kind == "struct":
            struct = next(one for one in self._domain.structs if one.name == of.name)
            return {name: self.scalar(state, tool, inner, now, None, entity) for name, inner in struct.fields}
        if field is not None and field.role == "value" and len(field.columns) == 1 and self._random.random() < 0.4:
            held = self._held(state, entity, field)
            if held is not None:
                return held
        return self._makers(tool, now)[of.kind](of)

    def _held(self, state: State, entity: str, field: Field) -> Any:
        """A value that some row has."""
        keys = state.keys(entity)
        if not keys or field.type.kind in ("list", "map"):
            return None
        stored = state.tables[entity][self._random.choice(keys)].get(field.columns[0].name)
        if stored is None:
            return None
        value = scalar_json(field.type)(self._reference.tables.decoders(entity, field.columns[0])(stored))
        if field.type.kind == "text" and self._random.random() < 0.3:
            return str(value)[: self._random.randint(1, 6)].strip() or "a"
        return value

    def _makers(self, tool: Tool, now: dt.datetime) -> dict[str, Callable[[Type], Any]]:
        return {
            "text": lambda _: self._text(tool),
            "enum": lambda of: self._word(tool, of.name),
            "integer": lambda _: int(self._number(tool, 1)),
            "money": lambda _: float(self._number(tool, 100)),
            "decimal": lambda of: float(self._number(tool, 10**of.places)),
            "bool": lambda _: self._random.random() < 0.5,
            "date": lambda _: (now.date() + dt.timedelta(days=self._days())).isoformat(),
            "time": lambda _: dt.time(self._random.randint(0, 23), self._random.choice((0, 0, 30, 15))).isoformat(),
            "datetime": lambda _: self._moment(now).isoformat(timespec="seconds"),
            "duration": lambda _: self._random.choice((0, 1, 15, 30, 45, 60, 90, 1440)),
        }

    def _word(self, tool: Tool, enum: str) -> str:
        """A word of an enum, often one that the tool tests for."""
        if tool.name not in self._words:
            self._words[tool.name] = enum_words(self._domain, tool)
        tested = self._words[tool.name].get(enum)
        if tested and self._random.random() < 0.4:
            return self._random.choice(tested)
        return self._random.choice(next(one.words for one in self._domain.enums if one.name == enum))

    def _text(self, tool: Tool) -> str:
        if self._random.random() < 0.1:
            if tool.name not in self._texts:
                self._texts[tool.name] = texts(self._domain, tool)
            return self._random.choice(self._texts[tool.name])
        return self._random.choice(WORDS) + (f" {self._random.randint(1, 999)}" if self._random.random() < 0.7 else "")

    def _number(self, tool: Tool, parts: int) -> Fraction:
        if tool.name not in self._numbers:
            self._numbers[tool.name] = numbers(self._domain, tool)
        if self._random.random() < 0.5:
            return self._random.choice(self._numbers[tool.name]) + Fraction(self._random.choice((-1, 0, 1)), parts)
        return Fraction(self._random.randint(-2 * parts, self._random.choice((5, 50, 500)) * parts), parts)

    def _days(self) -> int:
        return self._random.choice((-400, -30, -7, -1, 0, 1, 2, 7, 14, 30, 60, 365, self._random.randint(-40, 40)))

    def _moment(self, now: dt.datetime) -> dt.datetime:
        if self._random.random() < 0.15:
            return now + dt.timedelta(minutes=self._random.choice((-1, 0, 1, 60, 1439, 1440, 1441)))
        day = now.date() + dt.timedelta(days=self._days())
        return dt.datetime.combine(day, dt.time(self._random.randint(7, 19), self._random.choice((0, 0, 30, 30, 15, 7))))
