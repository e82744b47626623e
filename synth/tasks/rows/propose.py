"""Arguments that a person might ask for: rows that belong together, values like those of another world."""

import datetime as dt
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from synth.graph.states import States, moves
from synth.lang.domain import Domain, Param, Tool
from synth.lang.types import Type
from synth.reference.state import Ref
from synth.reference.values import scalar_json
from synth.tasks.chance import Chance
from synth.tasks.rows.kinship import Kinship
from synth.tasks.rows.view import View

LOOK = 40
RELATED, LOOSE = 0.8, 0.2
NOTED = 0.25
_SEPARATED = re.compile(r"[._]")
_DIGITS = re.compile(r"\d{4}$")
FEW = 5
"""Of so many values the nearest is taken."""
NAMES = ("name", "title")
PAST = frozenset(("since", "after", "back_to"))
"""Names of days without a field of their own that lie behind."""
FITTING = 0.9
"""How often a row is taken in a state in which the tool can do something with it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposal:
    """Values by parameter name: Ref for a row, a list of Ref for rows, else a value of the language. Only what is sent is in it."""

    tool: Tool
    values: Mapping[str, Any]

    def arguments(self) -> dict[str, Any]:
        """The call's JSON arguments, with ids."""
        return {param.argument: _json(param, self.values[param.name]) for param in self.tool.params if param.name in self.values}


def _json(param: Param, value: Any) -> Any:
    if isinstance(value, Ref):
        return value.key
    if isinstance(value, list) and value and isinstance(value[0], Ref):
        return [one.key for one in value]
    return scalar_json(param.type)(value)


def distance(one: Any, other: Any) -> float:
    """How far two values of one type are apart: amounts by their ratio, dates by the time between; others not at all."""
    if isinstance(one, dt.datetime | dt.date) and type(one) is type(other):
        return abs((one - other).total_seconds())
    if isinstance(one, bool) or not (isinstance(one, int | Fraction) and isinstance(other, int | Fraction)):
        return 0
    low, high = sorted((float(one), float(other)))
    return (high + 1) / (low + 1) if low >= 0 else high - low


def _of_rows(kind: Type) -> bool:
    return kind.kind == "list" and kind.item is not None and kind.item.kind == "row"


_needs: dict[tuple[str, str], States] = {}


def needs_of(domain: Domain, tool: Tool) -> States:
    """The states that the tool needs rows to be in; worked out once for each tool."""
    found = _needs.get((domain.sha256, tool.name))
    if found is None:
        found = _needs[domain.sha256, tool.name] = moves(domain, tool).needs
    return found


class Proposer:
    """Proposes arguments in one state.

    Args:
        view: The state in which the call will be made.
        kinship: Relations of the state in which the story starts.
        sibling: Another world of the domain, whose columns lend plausible values.
    """

    def __init__(self, view: View, kinship: Kinship, sibling: View, rng: Chance) -> None:
        self.view = view
        self.kinship = kinship
        self.sibling = sibling
        self.rng = rng
        self._needs: States = {}
        self._kin = RELATED
        self._donors: dict[str, str] = {}

    def propose(self, tool: Tool, sent: frozenset[str], near: frozenset[tuple[str, str]] = frozenset(), kin: float = RELATED) -> Proposal | None:
        """One try; None when no value can be found for some parameter.

        Args:
            sent: Names of the parameters to send.
            near: Rows of the story so far; rows related to them are preferred.
            kin: How often that is. Some calls want rows that have nothing to do with each other yet.
        """
        self._kin = kin
        values: dict[str, Any] = {}
        around = near
        self._needs = needs_of(self.view.domain, tool)
        self._donors = self._shared(tool)
        asked = [param for param in tool.params if param.name in sent]
        single = frozenset(name for param in asked for name in param.type.entities)
        for param in sorted(asked, key=lambda one: not _of_rows(one.type)):  # a row is found to several more easily than several to a row
            if _of_rows(param.type) and param.type.item:
                value: Any = self._rows(param.type.item.entities, around, single)
            else:
                value = self._noted(param, values) or self._own(param, values, self._value(param, around))
            if value is None:
                return None
            values[param.name] = value
            for one in value if isinstance(value, list) else [value]:
                if isinstance(one, Ref):
                    around = around | self.kinship.of(one.entity, one.key)
        return Proposal(tool=tool, values=values)

    def _shared(self, tool: Tool) -> dict[str, str]:
        """For an entity of which the tool takes several values, a row that has all of them, so that name, kind and address go together."""
        holders = [param.of[0] for param in tool.params if param.of is not None]
        several = sorted({one for one in holders if holders.count(one) > 1 and self.sibling.keys(one)})
        return {one: self.rng.choice(self.sibling.keys(one)) for one in several}

    def _noted(self, param: Param, values: Mapping[str, Any]) -> Any:
        """Now and then what is noted already of a row that is named: the seal under which it was loaded."""
        if param.of is None or param.type.kind != "text" or self.rng.random() >= NOTED:
            return None
        entity, name = param.of
        if name in NAMES or self.view.domain.entity(entity).field(name).match != "exact":
            return None
        for field in self.view.domain.entity(entity).fields:
            for ref in values.values():
                if field.role == "reference" and isinstance(ref, Ref) and ref.entity in field.columns[0].references:
                    keys = self.view.state.where(entity, field.columns[0].name, ref.key)
                    if keys:
                        return self.view.value(entity, keys[0], (name,))
        return None

    def _own(self, param: Param, values: Mapping[str, Any], value: Any) -> Any:
        """The value, made to belong to the row of its entity that is named before it."""
        named = next((one for one in values.values() if param.of is not None and isinstance(one, Ref) and one.entity == param.of[0]), None)
        if named is None or param.of is None or not isinstance(value, str) or "@" not in value:
            return value
        return self.fitted(param.of, self.view.value(named.entity, named.key, (param.of[1],)), value)

    def _value(self, param: Param, near: frozenset[tuple[str, str]]) -> Any:
        kind = param.type
        if kind.kind == "row":
            return self._row(kind.entities, near)
        return self.scalar(param)

    def scalar(self, param: Param) -> Any:
        """A value for a parameter that takes no row; None when there is none."""
        if param.of is not None:
            return self.like(param.of)
        value = self._scalar(param.type)
        return self._mirrored(value) if param.name in PAST else value

    def _mirrored(self, value: Any) -> Any:
        """A day or moment that is to come as one that is as long ago; other values as they are."""
        today = self.view.today
        if isinstance(value, dt.datetime):
            return value - 2 * (value.date() - today)
        return today - (value - today) if isinstance(value, dt.date) else value

    def _row(self, entities: tuple[str, ...], near: frozenset[tuple[str, str]]) -> Ref | None:
        entity = self.rng.choice(entities)
        keys = self._keys(entity)
        if not keys:
            return None
        tried = [self.rng.choice(keys) for _ in range(LOOK)] if near and self.rng.random() < self._kin else []
        tried += [key for name, key in sorted(near) if name == entity] if tried else []
        related = [key for key in tried if near & self.kinship.of(entity, key)]
        return Ref(entity, self.rng.choice(related or keys))

    def _keys(self, entity: str) -> Sequence[str]:
        """Rows to choose from: mostly those in a state that the tool needs, of the row itself or of one that it refers to."""
        keys = self.view.keys(entity)
        if not self._needs or self.rng.random() > FITTING:
            return keys
        fitting = self._fitting(entity)
        return [key for key in keys if key in fitting] if fitting else keys

    def _fitting(self, entity: str) -> set[str]:
        state = self.view.state
        for (holder, name), words in sorted(self._needs.items()):
            if holder == entity:
                return {key for word in sorted(words) for key in state.where(entity, name, word)}
        for field in self.view.domain.entity(entity).fields:
            if field.role != "reference":
                continue
            for (holder, name), words in sorted(self._needs.items()):
                if holder in field.columns[0].references:
                    ups = [up for word in sorted(words) for up in state.where(holder, name, word)]
                    return {key for up in ups for key in state.where(entity, field.columns[0].name, up)}
        return set()

    def _rows(self, entities: tuple[str, ...], near: frozenset[tuple[str, str]], shared: frozenset[str]) -> list[Ref] | None:
        """Two or three rows that belong together; to the same row of an entity that is `shared`, where there is one."""
        first = self._row(entities, near)
        if first is None:
            return None
        own = self.kinship.of(first.entity, first.key)
        around = near or frozenset(one for one in own if one[0] in shared) or own
        others = [Ref(first.entity, key) for key in self._keys(first.entity) if key != first.key]
        kin = [one for one in others if around & self.kinship.of(one.entity, one.key)]
        self.rng.shuffle(kin)
        return [first, *kin[: self.rng.choice((1, 1, 2))]] if kin else None

    def like(self, of: tuple[str, str]) -> Any:
        """A value that this column has somewhere in the sibling world."""
        entity, name = of
        keys = self.sibling.keys(entity)
        for number in range(10):
            if keys and self.view.domain.entity(entity).field(name).columns:
                key = self._donors.get(entity) if not number else None
                value = self.sibling.value(entity, key or self.rng.choice(keys), (name,))
                if value is not None:
                    return list(value) if isinstance(value, tuple) else self._numbered(of, value)
        field = self.view.domain.entity(entity).field(name)
        return self._stating(field.facts) if field.facts else self._scalar(field.type)

    def _numbered(self, of: tuple[str, str], value: Any) -> Any:
        """The value; a number that must be a row's own with other last digits, as the few that a world has would soon be given twice."""
        field = self.view.domain.entity(of[0]).field(of[1])
        if not field.unique or not isinstance(value, str) or not _DIGITS.search(value):
            return value
        return value[:-2] + f"{self.rng.randint(1, 99):02}"

    def near(self, of: tuple[str, str], present: Any) -> Any:
        """Another value that the column has somewhere: of a few the nearest to the one that is there, an address that could be the same person's."""
        values = [value for _ in range(FEW) if (value := self.like(of)) is not None and value != present]
        if not values:
            return None
        if isinstance(present, str):
            return self.fitted(of, present, values[0])
        return min(values, key=lambda value: distance(present, value))

    def fitted(self, of: tuple[str, str], present: Any, value: Any) -> Any:
        """The value, made to belong to the row of `present` where both are addresses of email.

        Such a row gets its own name at another provider, or another name at its own firm.
        """
        if not (isinstance(present, str) and isinstance(value, str) and present.count("@") == value.count("@") == 1):
            return value
        (own, here), (name, there) = present.split("@"), value.split("@")
        others = [self.view.value(of[0], key, (of[1],)) for key in self.view.keys(of[0])]
        if sum(str(one).endswith(f"@{here}") for one in others) < 2:
            return f"{name if '.' not in name else 'office'}@{here}"
        return f"{own}@{there}" if there != here else f"{_written_otherwise(own)}@{here}"

    def _stating(self, facts: tuple[str, ...]) -> str | None:
        """Words that state one of the declared facts, for a text that no row has yet."""
        groups = [group for name, several in self.view.domain.facts if name in facts for group in several]
        return self.rng.choice(self.rng.choice(groups)) if groups else None

    def _scalar(self, kind: Type) -> Any:
        rng = self.rng
        today = self.view.today
        match kind.kind:
            case "integer":
                return rng.choice((1, 1, 2, 2, 3, 4, 5, 6, 8, 10, 12))
            case "money" | "decimal":
                return Fraction(rng.choice((5, 10, 12, 15, 20, 25, 30, 40, 50, 75, 100, 150)))
            case "bool":
                return rng.random() < 0.5
            case "date":
                return today + dt.timedelta(days=rng.randint(1, 28))
            case "datetime":
                return dt.datetime.combine(today + dt.timedelta(days=rng.randint(1, 28)), dt.time(rng.randint(8, 17), rng.choice((0, 30))))
            case "time":
                return dt.time(rng.randint(8, 17), rng.choice((0, 30)))
            case "duration":
                return dt.timedelta(minutes=rng.choice((15, 30, 45, 60, 90, 120)))
            case "enum":
                words = next((one.words for one in self.view.domain.enums if one.name == kind.name), ())
                return rng.choice(words) if words else None
            case "list" if kind.item is not None:
                first = self._scalar(kind.item)
                return None if first is None else [first]
            case _:
                return None


def _written_otherwise(name: str) -> str:
    """The same name as another address has it: ruth.moore is r.moore, r.moore is moore.r, harbourside is harbourside.office."""
    first, *more = _SEPARATED.split(name)
    if not more:
        return f"{name}.office"
    return f"{more[-1]}.{first}" if len(first) == 1 else f"{first[0]}.{more[-1]}"
