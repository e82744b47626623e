"""What an expression or the body of a function reads, as far as the seed tells without computing it."""

from collections.abc import Iterator
from dataclasses import dataclass, fields
from typing import Any

from synth.lang import nodes as n
from synth.lang.builtins import FUNCTIONS
from synth.lang.domain import Domain
from synth.lang.types import Type
from synth.reference.tables import Tables


@dataclass(frozen=True, slots=True, kw_only=True)
class Reads:
    """What a value depends on.

    Attributes:
        tables: Names of tables, in order: with the same rows in these, it is the same.
        given: Whether the clock or the acting user matters too.
        wide: Whether sets of rows are gone through, so that it takes a while.
    """

    tables: tuple[str, ...]
    given: bool
    wide: bool


def reads_of(domain: Domain, tables: Tables, body: object) -> Reads | None:
    """What an expression, or statements, depend on beside the values of names; None if they do more than compute a value."""
    look = _Look(domain, tables)
    if not look.body(body):
        return None
    return Reads(tables=tuple(one for one in tables.names if one in look.found), given=look.given, wide=look.wide)


class _Look:
    """Goes through expressions, functions and computed fields once each."""

    def __init__(self, domain: Domain, tables: Tables) -> None:
        self.found: set[str] = set()
        self.given = False
        self.wide = False
        self._domain = domain
        self._tables = tables
        self._seen: set[tuple[str, str]] = set()

    def body(self, body: object) -> bool:
        """Notes what is read; False where something is written, drawn or refused."""
        return all(self._one(one) for one in _parts(body))

    def _one(self, one: n.Node | n.Statement) -> bool:
        match one:
            case n.Create() | n.Copy() | n.Rule() | n.Assign() | n.Do() | n.Delete() | n.Patch():
                return False
            case n.Rows(entity=entity):
                self.found.add(entity)
                self.wide = True
            case n.Given(name=name):
                return self._given(name)
            case n.Attr():
                return self._attribute(one)
            case n.Format(parts=parts):
                return all(self._shown(part.type) for part in parts)
            case n.Call(name=name, args=args):
                if name not in FUNCTIONS or FUNCTIONS[name].place != "everywhere":
                    return False
                if name == "tree":
                    self._rows(args[0].type.entities)
            case n.Apply(function=name):
                return self._once("", name, self._domain.function(name).body)
            case n.Comprehension():
                self.wide = True
            case _:
                pass
        return True

    def _once(self, place: str, name: str, body: object) -> bool:
        if (place, name) in self._seen:
            return True
        self._seen.add((place, name))
        return self.body(body)

    def _rows(self, entities: tuple[str, ...]) -> None:
        self.found.update(entities)
        self.wide = True

    def _given(self, name: str) -> bool:
        if name in ("now", "today", "me"):
            self.given = True
            return True
        return self._once("constant", name, tuple(one.value for one in self._domain.constants if one.name == name))

    def _shown(self, of: Type) -> bool:
        """A row is shown as what it is called."""
        shown = of.item if of.kind == "list" and of.item is not None else of
        called = [(one, self._tables.entities[one].called) for one in shown.entities]
        return all(node is None or self._once("called", entity, node) for entity, node in called)

    def _attribute(self, node: n.Attr) -> bool:
        if node.access in ("id", "struct", "record", "part"):
            return True
        entities = node.base.type.entities
        self.found.update(entities)
        if node.access == "tree":
            self._rows(entities)
        for entity in entities if node.access == "reverse" else ():
            referrer = self._tables.reverse[entity, node.name]
            self._rows((referrer.table, referrer.owner))
        return all(self._field(entity, node.name) for entity in entities)

    def _field(self, entity: str, name: str) -> bool:
        field = self._tables.fields[entity].get(name)
        if field is None:
            return True
        if field.role == "links":
            self._rows((self._tables.links[entity, name].table,))
        elif field.role == "reference":
            self.found.update(field.columns[0].references[1:] and field.columns[0].references)
        return field.always is None or self._once(entity, name, field.always)


def _parts(value: Any) -> Iterator[n.Node | n.Statement]:
    """All expressions and statements in something."""
    if isinstance(value, n.Node | n.Statement):
        yield value
    if isinstance(value, n.Node | n.Statement | n.Clause):
        for one in fields(value):
            yield from _parts(getattr(value, one.name))
    elif isinstance(value, tuple):
        for one in value:
            yield from _parts(one)
