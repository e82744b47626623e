"""Words for a set of rows: `open invoices of Ruth Moore whose amount is at least 200`."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from synth.lang.domain import Entity, Field, Filter
from synth.tasks.references.describe import Described, chained, clause, has_verb, value_words
from synth.tasks.references.refer import OF, is_adjective, is_creature, suffix
from synth.tasks.rows.view import Leaf, View
from synth.tasks.wording.english import article, be, is_plural, say
from synth.tasks.wording.nouns import field_words, joint, nouns
from synth.tasks.wording.phrase import Phrase, as_phrase, fact, joined


class Bounds(NamedTuple):
    """The least and the greatest value that a set admits, both included; None for an open end."""

    low: object = None
    high: object = None


OPEN = Bounds()


@dataclass(frozen=True, slots=True, kw_only=True)
class Condition:
    """What the rows of a set have in common in one field: a value, a row referred to, or bounds.

    Attributes:
        filters: Of the search that shows the set, one, or those for the low and the high end.
    """

    field: Field
    filters: tuple[Filter, ...]
    leaf: Leaf | None = None
    parent: Described | None = None
    bounds: Bounds = OPEN


@dataclass(frozen=True, slots=True, kw_only=True)
class SetWords:
    """`open invoices`, whose they are, and clauses that follow."""

    head: Phrase
    owner: Phrase | None
    tail: tuple[Phrase, ...]

    def phrase(self) -> Phrase:
        """All of it, for use behind `the` or `all`."""
        of = as_phrase("") if self.owner is None else as_phrase(" of ") + self.owner
        return self.head + of + self.clauses()

    def clauses(self) -> Phrase:
        """The clauses, with a space before them."""
        return as_phrase(" ") + chained(self.tail) if self.tail else as_phrase("")

    def stated(self) -> Phrase | None:
        """`readings of Ruth Moore are disputed`: all of it as a sentence, where exactly one clause has a verb and can be its end."""
        verbs = [one for one in self.tail if has_verb(str(one))]
        if len(verbs) != 1 or str(verbs[0]).startswith("whose "):
            return None
        rest = replace(self, tail=tuple(one for one in self.tail if one is not verbs[0]))
        return rest.phrase() + " " + verbs[0].after("that ").after("who ")

    @property
    def short(self) -> bool:
        """Whether no clause with a verb follows."""
        return not any(has_verb(str(one)) for one in self.tail)


def set_words(view: View, entity: Entity, conditions: Sequence[Condition], prefix: str) -> SetWords:
    """Words for the rows for which all conditions hold; tags are `{prefix}.{field}`, with `.from` and `.to` for bounds."""
    heads: list[tuple[bool, Phrase]] = []
    owner: Phrase | None = None
    creature: Phrase | None = None
    tail: list[Phrase] = []
    for one in conditions:
        if one.parent is not None and one.field.name in OF and owner is None:
            owner = one.parent.phrase
        elif one.leaf is not None and is_creature(entity, one.leaf):
            creature = fact(value_words(one.leaf, view), f"{prefix}.{one.field.name}") + "s"
        elif one.leaf is not None and is_adjective(entity, one.field, one.leaf.value):
            said = fact(value_words(one.leaf, view).strip('"'), f"{prefix}.{one.field.name}") + suffix(entity, one.field) + " "
            heads.append((one.field.lifecycle is None, said))
        elif one.leaf is not None and one.leaf.value is True and _is_quality(view, entity, one.field):
            heads.append((False, fact(field_words(view.domain, entity.name, one.field), f"{prefix}.{one.field.name}") + " "))
        else:
            tail.append(_clause(view, entity, one, prefix))
    head = joined([said for _, said in sorted(heads, key=lambda each: each[0])], separator="", last="")
    called = as_phrase(nouns(view.domain, entity)) if creature is None else creature
    return SetWords(head=head + called, owner=owner, tail=tuple(tail))


def _clause(view: View, entity: Entity, one: Condition, prefix: str) -> Phrase:
    named = field_words(view.domain, entity.name, one.field)
    tag = f"{prefix}.{one.field.name}"
    if one.parent is not None:
        between = joint(one.field)
        return as_phrase(f"{between} " if between else f"whose {named} {be(named)} ") + one.parent.phrase
    if one.leaf is not None:
        return clause(view, entity.name, one.leaf, prefix, several=True)
    counted = named.removeprefix("number of ")
    if one.field.type.kind == "integer" and is_plural(counted):
        return as_phrase("with ") + _between(view, one, tag) + f" {counted}"
    if not is_plural(named):
        return as_phrase(f"with {article(named)} {named} " + ("" if one.field.type.kind in ("date", "datetime") else "of ")) + _between(
            view, one, tag
        )
    return as_phrase(f"whose {named} {be(named)} ") + _between(view, one, tag)


def _is_quality(view: View, entity: Entity, field: Field) -> bool:
    """Whether the words of a yes-or-no field can stand before the noun: `active`, `trusted`."""
    words = field_words(view.domain, entity.name, field)
    return field.type.kind == "bool" and " " not in words and (words.endswith(("ed", "ive", "ing", "able")) or words == "critical")


def _between(view: View, one: Condition, tag: str) -> Phrase:
    """`at least 200`, `on or after 3 March`, `between 3 March and 9 March (both included)`."""
    dated = one.field.type.kind in ("date", "datetime")
    low = None if one.bounds.low is None else fact(_end(view, one.field, one.bounds.low), f"{tag}.from")
    high = None if one.bounds.high is None else fact(_end(view, one.field, one.bounds.high), f"{tag}.to")
    if low is not None and high is not None:
        return as_phrase("between ") + low + " and " + high + (" (both days included)" if dated else " (both included)")
    if low is not None:
        return as_phrase("on or after " if dated else "at least ") + low
    return as_phrase("on or before " if dated else "at most ") + (high or as_phrase(""))


def _end(view: View, field: Field, end: object) -> str:
    kind = field.type.required()
    said = say(end, kind, view.today)
    return said.split(" at ")[0] if kind.kind == "datetime" else said
