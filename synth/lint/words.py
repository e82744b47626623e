"""Advice on the words of enums and the states of lifecycles that no row holds or nobody sees."""

from synth.lang.domain import Domain, Entity, Field, Maker
from synth.lang.nodes import Attr, Bind, Call, Choice, Const, Display, EnumWords, Local, Node
from synth.lang.types import Type
from synth.lint.found import Found
from synth.lint.uses import Uses, returned_entities
from synth.seed.reading import Reading

Words = frozenset[str]


class Held:
    """Which words rows of the data may hold, by what the makers say; None stands for any word.

    It is read off the makers and not off made rows, so that it takes no time and does not depend on chance.
    """

    def __init__(self, domain: Domain) -> None:
        self.domain = domain
        self._makers = {one.entity: one for one in domain.makers}

    def of_field(self, entity: Entity, field: Field) -> Words | None:
        """Words that a new row may hold in a field."""
        maker = self._makers.get(entity.name)
        if maker is None:
            return None
        value = _bound(maker, field.name)
        if value is None and (field.start or field.computed) is not None:
            value = field.start or field.computed
        if value is None:
            return frozenset(field.lifecycle.states[:1]) if field.lifecycle else frozenset() if field.type.optional else None
        return self._words(value, maker, 0)

    def _words(self, node: Node, maker: Maker, depth: int) -> Words | None:
        if isinstance(node, Const):
            return frozenset({node.value}) if isinstance(node.value, str) else frozenset()
        if isinstance(node, Choice):
            return self._union((node.then, node.otherwise), maker, depth)
        if isinstance(node, Display):
            return self._union(node.items, maker, depth)
        if isinstance(node, Call) and node.name in ("pick", "some"):
            return self._picked(node, maker, depth)
        if isinstance(node, Local) and depth < 20:
            bound = _bound(maker, node.name)
            return self._words(bound, maker, depth + 1) if bound is not None else None
        if isinstance(node, Attr) and depth < 20 and node.access == "field" and len(node.base.type.entities) == 1:
            other = self.domain.entity(node.base.type.entities[0])
            field = next((one for one in other.fields if one.name == node.name), None)
            return self.of_field(other, field) if field is not None and other.name != maker.entity else None
        return None

    def _picked(self, node: Call, maker: Maker, depth: int) -> Words | None:
        if isinstance(node.args[0], EnumWords) or not isinstance(node.args[0], Display):
            return None
        weights = node.args[1].items if len(node.args) > 1 and isinstance(node.args[1], Display) else ()
        never = {number for number, one in enumerate(weights) if isinstance(one, Const) and one.value == 0}
        return self._union(tuple(one for number, one in enumerate(node.args[0].items) if number not in never), maker, depth)

    def _union(self, several: tuple[Node, ...], maker: Maker, depth: int) -> Words | None:
        found: set[str] = set()
        for one in several:
            words = self._words(one, maker, depth)
            if words is None:
                return None
            found |= words
        return frozenset(found)


def _bound(maker: Maker, name: str) -> Node | None:
    return next((one.value for one in maker.body if isinstance(one, Bind) and one.name == name), None)


def words(reading: Reading, domain: Domain, uses: Uses, found: Found) -> None:
    """Note words that no row holds, and states that nobody can see."""
    _enums(reading, domain, found)
    seen = returned_entities(domain)
    for entity in domain.entities:
        for field in entity.fields:
            if field.lifecycle is not None:
                _states(domain, entity, field, found)
                if entity.name not in seen:
                    _unread(entity, field, uses, found)


def _enums(reading: Reading, domain: Domain, found: Found) -> None:
    held = Held(domain)
    seen: dict[str, set[str]] = {}
    anything: set[str] = set()
    for entity in domain.entities:
        for field in entity.fields:
            kind: Type = field.type.item if field.type.item is not None else field.type
            if kind.kind != "enum" or field.role == "always" or not _has_rows(domain, entity):
                continue
            words_here = held.of_field(entity, field)
            if words_here is None:
                anything.add(kind.name)
            seen.setdefault(kind.name, set()).update(words_here or ())
    for enum in domain.enums:
        if "." in enum.name or enum.name in anything or not seen.get(enum.name):
            continue
        for number, word in enumerate(enum.words):
            if word not in seen[enum.name]:
                expected = ("a word that some row of the data holds", f"{word!r}, which none holds")
                fix = "Let a function of `data:` pick it, or leave the word out"
                found.advice(reading.where("enums", enum.name, number), f"enums.{enum.name}", expected, fix, "WORD_WITHOUT_ROW")


def _states(domain: Domain, entity: Entity, field: Field, found: Found) -> None:
    words_here = Held(domain).of_field(entity, field) if _has_rows(domain, entity) else None
    if words_here is None or field.lifecycle is None:
        return
    for state in field.lifecycle.states:
        if state not in words_here:
            expected = ("a state that some row of the data is in", f"{state!r}, in which none is")
            fix = "Let the function of `data:` pick it now and then, so that tasks can meet it"
            found.advice(field.where, f"entities.{entity.name}.fields.{field.name}", expected, fix, "STATE_WITHOUT_ROW")


def _unread(entity: Entity, field: Field, uses: Uses, found: Found) -> None:
    assert field.lifecycle is not None
    for state in field.lifecycle.states:
        if (field.type.name, state) not in uses.compared:
            expected = ("a state that some tool shows, or some rule or effect asks for", f"{state!r}, for which none does")
            fix = f"Return rows of {entity.name} from a tool that reads, or test the state in a rule"
            found.advice(field.where, f"entities.{entity.name}.fields.{field.name}", expected, fix, "UNREAD_STATE")


def _has_rows(domain: Domain, entity: Entity) -> bool:
    return entity.rows != 0 and (
        entity.rows is not None or any(one.each for one in entity.fields) or any(one.entity == entity.name for one in domain.makers)
    )
