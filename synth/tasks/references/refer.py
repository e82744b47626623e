"""References that are queries: by rank, by an attribute that is no name, over the row referred to, over a row that refers here."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import product
from typing import Any

from synth.lang.domain import Domain, Entity, Field, Filter
from synth.tasks.chance import Chance
from synth.tasks.references.describe import CREATURES, Described, chained, clause, describe, has_verb, mention, value_words
from synth.tasks.references.lookup import tool_of
from synth.tasks.rows.view import Leaf, View, back
from synth.tasks.wording.english import STIFF, is_plural, say, words_of
from synth.tasks.wording.nouns import field_words, is_extreme, is_noun, joint, measure_words
from synth.tasks.wording.phrase import Phrase, as_phrase, fact, joined

PLAIN = 0.45
"""Share of rows that are called by their usual name all the same."""
FEWEST, MOST = 2, 40
RANKS = (1, -1, 2)
STEPS = (1000, 500, 200, 100, 50, 20, 10, 5)
BOUNDED = 0.5
"""Share of ranks by an amount that are taken `over 200` or `under 200`, where this can be said."""
SHORT = {
    "price": ("cheapest", "most expensive"),
    "born": ("oldest", "youngest"),
    "length": ("shortest", "longest"),
    "weight": ("lightest", "heaviest"),
    "amount": ("smallest", "largest"),
    "size": ("smallest", "largest"),
}
"""Fields, by their name or what people call them, of which the least and the most have words of their own, which need no `with the lowest …`."""
SORTS = frozenset("species kind type breed category sort".split())
"""Fields whose value may stand for the noun: `the parrot of …`."""
ADJECTIVES = frozenset("open active ready overdue late new pending draft visible hidden available final paid unpaid overpaid withdrawn".split())
OF = frozenset("owner customer client member patient pet user employee tenant student guest borrower firm company adopter order rental".split())
"""References after which `of` says what is meant."""
DATES = ("date", "datetime")
POSSESSIVE = 0.5
_RANKED = (*DATES, "money", "integer", "decimal")

Maker = Callable[[View, Entity, str, str, Chance], Described | None]


def refer(view: View, entity: str, key: str, prefix: str, rng: Chance) -> Described | None:
    """Words for this row alone, of a kind drawn by chance; those of `describe` where no other kind fits."""
    if rng.random() >= PLAIN:
        makers: list[Maker] = [ranked, ranked, by_attribute, over_parent, over_child]
        rng.shuffle(makers)
        for maker in makers:
            found = maker(view, view.domain.entity(entity), key, prefix, rng)
            if found is not None:
                return found
    return describe(view, entity, key, prefix, rng)


def _described(view: View, entity: Entity, key: str, prefix: str, words: Phrase, leaves: Sequence[Leaf], *, extra: bool) -> Described:
    phrase = words.about(mention(view, entity.name, key, tuple(leaves)))
    return Described(entity=entity.name, key=key, prefix=prefix, phrase=phrase, leaves=tuple(leaves), extra=extra)


def ranked(view: View, entity: Entity, key: str, prefix: str, rng: Chance) -> Described | None:
    """`Rex's latest booked appointment`, `the open invoice with the highest amount`: the first, second or last among rows that a search shows."""
    columns = [one for one in entity.fields if _rankable(view.domain, entity, one)]
    for filters in _narrowings(view, entity, rng):
        leaves, parent = _facts(view, entity, key, filters, prefix, rng)
        if not leaves or not FEWEST <= len(view.matching(entity.name, leaves)) <= MOST:
            continue
        taken = {leaf.path[0] for leaf in leaves}
        for field, rank in rng.sample(list(product(columns, RANKS)), len(columns) * len(RANKS)):
            value = view.value(entity.name, key, (field.name,))
            leaf = Leaf(path=(field.name,), value=value, type=field.type.required(), rank=rank)
            if value is None or field.name in taken:
                continue
            bound = _bound(view, entity, key, field, leaves) if rank != 2 and rng.random() < BOUNDED else None
            if bound is not None:
                return _in_words(view, entity, key, prefix, (*leaves, bound), replace(leaf, rank=bound.bound), parent, rng)
            if view.matching(entity.name, (*leaves, leaf)) == [key]:
                return _in_words(view, entity, key, prefix, leaves, leaf, parent, rng)
    return None


def _bound(view: View, entity: Entity, key: str, field: Field, leaves: tuple[Leaf, ...]) -> Leaf | None:
    """A round amount above zero between the row's and the next one's among those for which the facts hold, so that the row is the first beyond it."""
    own: Any = view.value(entity.name, key, (field.name,))
    if field.type.kind not in ("money", "integer"):
        return None
    values: list[Any] = [one for other in view.matching(entity.name, leaves) if (one := view.value(entity.name, other, (field.name,))) is not None]
    for side in (1, -1):
        nearer = [one for one in values if (one < own if side > 0 else one > own)]
        farther = [one for one in values if (one > own if side > 0 else one < own)]
        if values.count(own) != 1 or not nearer or not farther:
            continue
        low, high = sorted((own, max(nearer) if side > 0 else min(nearer)))
        for step in STEPS:
            limit = (int(low) // step + 1) * step
            if low < limit < high and limit > 0:
                return Leaf(path=(field.name,), value=type(own)(limit), type=field.type.required(), bound=side)
    return None


def _rankable(domain: Domain, entity: Entity, field: Field) -> bool:
    return (
        field.role == "value"
        and field.match == "exact"
        and not field.history
        and not field.unique
        and field.name not in ("position", "archived")
        and field.type.kind in _RANKED
        and is_noun(domain, entity.name, field)
        and not is_extreme(domain, entity.name, field)
    )


def _narrowings(view: View, entity: Entity, rng: Chance) -> Iterator[tuple[Filter, ...]]:
    """One or two filters of the entity's search, a reference among them where there is one."""
    tool = tool_of(view.domain, "search", entity.name)
    if tool is None or tool.search is None:
        return
    equal = [one for one in tool.search.filters if one.mode == "equal"]
    references = [one for one in equal if len(entity.field(one.field).columns[:1]) == 1 and entity.field(one.field).role == "reference"]
    enums = [one for one in equal if entity.field(one.field).role == "value" and entity.field(one.field).type.kind == "enum"]
    choices = [(one,) for one in references] + [(one, other) for one in references for other in enums] + [(one,) for one in enums]
    rng.shuffle(choices)
    yield from choices


def _facts(
    view: View, entity: Entity, key: str, filters: tuple[Filter, ...], prefix: str, rng: Chance
) -> tuple[tuple[Leaf, ...], tuple[Field, Described] | None]:
    """What the filters say of the row, and the words for the row that one of them names; nothing where they cannot be said."""
    leaves: list[Leaf] = []
    parent: tuple[Field, Described] | None = None
    for one in filters:
        field = entity.field(one.field)
        if field.role != "reference":
            leaf = view.leaf(entity.name, key, (field.name,))
            if leaf.value is None:
                return (), None
            leaves.append(leaf)
            continue
        up = view.parent(entity.name, key, field.name) if len(field.columns[0].references) == 1 else None
        words = None if up is None else describe(view, *up, f"{prefix}.{field.name}", rng)
        if words is None or words.extra:
            return (), None
        leaves += [Leaf(path=(field.name, *leaf.path), value=leaf.value, type=leaf.type) for leaf in words.leaves]
        parent = (field, words)
    return tuple(leaves), parent


def _in_words(
    view: View, entity: Entity, key: str, prefix: str, leaves: tuple[Leaf, ...], rank: Leaf, parent: tuple[Field, Described] | None, rng: Chance
) -> Described:
    """`the latest booked appointment of …` where the entity has one date, by which its rows are called; else `with the lowest … among those of …`."""
    field = entity.field(rank.path[0])
    bound = next((one for one in leaves if one.bound), None)
    direct = _short(view.domain, entity, field) is not None or _is_event(view.domain, entity, field)
    facts = tuple(one for one in leaves if one is not bound)
    head, tail, owner = _narrowed(view, entity, facts, parent, prefix, several=not direct)
    loose = direct and parent is not None and any(has_verb(str(one)) for one in tail)
    if loose:  # `the oldest animal in kennel Q18 that is in quarantine`: which of the two is?
        tail = _narrowed(view, entity, facts, parent, prefix, several=True)[1]
    beyond = as_phrase("")
    if bound is not None:
        said = fact(say(bound.value, bound.type, view.today), f"{prefix}.{bound.name}")
        beyond = as_phrase(" over " if bound.bound > 0 else " under ") + said
    measured = measure_words(view.domain, entity.name, field)
    counted = measured.removeprefix("number of ") if bound is None else measured
    superlative = fact(_superlative(view.domain, entity, rank, field, counted=counted != measured), f"{prefix}.{rank.name}")
    creature = next((one for one in leaves if is_creature(entity, one)), None)
    core = head + (words_of(entity.name) if creature is None else fact(value_words(creature, view), f"{prefix}.{creature.name}"))
    of = as_phrase("") if owner is None else as_phrase("of ") + owner
    possessive = owner is not None and "'s" not in str(owner) and not tail and rng.random() < POSSESSIVE
    if direct:
        core = superlative + " " + core + beyond
        among = as_phrase("among those" if loose else "")
        words = owner + "'s " + core if possessive and owner is not None else as_phrase("the ") + _spaced([core, among, of, chained(tail)])
        return _described(view, entity, key, prefix, words, (*leaves, rank), extra=bool(tail))
    named = as_phrase("with the ") + superlative + " " + counted + beyond
    if possessive and owner is not None:
        words = owner + "'s " + _spaced([core, named])
    else:
        words = as_phrase("the ") + _spaced([core, named, as_phrase("among those"), of, chained(tail)])
    if not str(of) and not tail:
        words = as_phrase("the ") + _spaced([core, named])
    return _described(view, entity, key, prefix, words, (*leaves, rank), extra=True)


def _spaced(parts: Sequence[Phrase]) -> Phrase:
    return joined([one for one in parts if str(one)], separator=" ", last=" ")


def _narrowed(
    view: View, entity: Entity, leaves: tuple[Leaf, ...], parent: tuple[Field, Described] | None, prefix: str, *, several: bool
) -> tuple[Phrase, list[Phrase], Phrase | None]:
    """What stands before the noun, the clauses behind it, and whose the rows are."""
    head = as_phrase("")
    tail: list[Phrase] = []
    for leaf in leaves:
        if len(leaf.path) == 1 and is_adjective(entity, entity.field(leaf.path[0]), leaf.value):
            head = head + fact(value_words(leaf, view).strip('"'), f"{prefix}.{leaf.name}") + suffix(entity, entity.field(leaf.path[0])) + " "
        elif len(leaf.path) == 1 and not is_creature(entity, leaf):
            tail.append(clause(view, entity.name, leaf, prefix, several=several))
    if parent is None:
        return head, tail, None
    if parent[0].name in OF:
        return head, tail, parent[1].phrase
    between = joint(parent[0])
    named = as_phrase(f"{between} " if between else f"whose {field_words(view.domain, entity.name, parent[0])} is ") + parent[1].phrase
    return head, [named, *tail], None


def _is_event(domain: Domain, entity: Entity, field: Field) -> bool:
    """Whether rows are called by this field and it is their only date, so that nobody asks what `latest` refers to."""
    dates = [one for one in entity.fields if _rankable(domain, entity, one) and one.type.kind in DATES]
    return dates == [field] and re.search(rf"(?:^| on | of | for ){{{field.name}}}", entity.called_text) is not None


def is_adjective(entity: Entity, field: Field, value: object) -> bool:
    """Whether a value can stand before the noun: a state like `booked` or `waiting`, or what rows are called by, as in `{goods} consignment`."""
    word = str(value)
    if word in STIFF:
        return False
    if field.type.kind == "enum" and f"{{{field.name}}}{suffix(entity, field)} {words_of(entity.name)}" in entity.called_text:
        return True
    if re.search("[_ ]", word) and not re.fullmatch("partly_[a-z]+ed", word):
        return False
    if field.type.kind == "enum" and field.name in SORTS and f"{{{field.name}}} {{name}}" not in entity.called_text:
        return not is_plural(word)
    return field.lifecycle is not None and (word in ADJECTIVES or word.endswith(("ed", "ing")))


def suffix(entity: Entity, field: Field) -> str:
    """`-priority` where rows are called `{priority}-priority tickets`."""
    return f"-{field.name}" if f"{{{field.name}}}-{field.name} " in entity.called_text else ""


def is_creature(entity: Entity, leaf: Leaf) -> bool:
    """Whether the value can stand for the noun: rows are called by it, as in `the {species} {name}`."""
    return leaf.path[0] in CREATURES and len(leaf.path) == 1 and f"{{{leaf.path[0]}}} {{name}}" in entity.called_text


def _short(domain: Domain, entity: Entity, field: Field) -> tuple[str, str] | None:
    return SHORT.get(field.name) or SHORT.get(measure_words(domain, entity.name, field))


def _superlative(domain: Domain, entity: Entity, rank: Leaf, field: Field, *, counted: bool) -> str:
    """`latest`, `second-cheapest`; of what is counted, `most`."""
    usual = ("earliest", "latest") if field.type.kind in DATES else ("fewest", "most") if counted else ("lowest", "highest")
    least, most = _short(domain, entity, field) or usual
    word = least if rank.rank > 0 else most
    return word if abs(rank.rank) == 1 else f"second {word}" if " " in word else f"second-{word}"


def by_attribute(view: View, entity: Entity, key: str, prefix: str, rng: Chance) -> Described | None:
    """`the owner whose phone number is …`: by one searchable value that is not the name."""
    for field in _attributes(view.domain, entity, rng):
        leaf = view.leaf(entity.name, key, (field.name,))
        if leaf.value is not None and view.matching(entity.name, (leaf,)) == [key]:
            words = as_phrase(f"the {words_of(entity.name)} ") + clause(view, entity.name, leaf, prefix)
            return _described(view, entity, key, prefix, words, (leaf,), extra=True)
    return None


def _attributes(domain: Domain, entity: Entity, rng: Chance) -> list[Field]:
    """Searchable texts that the usual name of a row does not show."""
    tool = tool_of(domain, "search", entity.name)
    if tool is None or tool.search is None:
        return []
    fields = [entity.field(one.field) for one in tool.search.filters if one.mode in ("equal", "contains") and one.field != "id"]
    texts = [one for one in fields if one.role == "value" and one.type.kind == "text" and one.match == "exact"]
    found = [one for one in texts if f"{{{one.name}}}" not in entity.called_text]
    rng.shuffle(found)
    return found


def over_parent(view: View, entity: Entity, key: str, prefix: str, rng: Chance) -> Described | None:
    """`the parrot of the owner whose phone number is …`."""
    references = [one for one in entity.fields if one.role == "reference" and one.name in OF and len(one.columns[0].references) == 1]
    rng.shuffle(references)
    for field in references:
        up = view.parent(entity.name, key, field.name)
        parent = None if up is None else by_attribute(view, view.domain.entity(up[0]), up[1], f"{prefix}.{field.name}", rng)
        if parent is None:
            continue
        far = tuple(Leaf(path=(field.name, *leaf.path), value=leaf.value, type=leaf.type) for leaf in parent.leaves)
        own = _own(view, entity, key, far)
        if own is not None:
            words = as_phrase("the ") + _noun(view, entity, own, prefix) + " of " + parent.phrase
            return _described(view, entity, key, prefix, words, (*own, *far), extra=True)
    return None


def _own(view: View, entity: Entity, key: str, others: tuple[Leaf, ...]) -> tuple[Leaf, ...] | None:
    """As few of the row's sort and name as single it out together with the other facts."""
    names = [one.name for one in entity.fields if one.role == "value" and (one.name in SORTS or one.name in ("name", "title"))]
    every = [view.leaf(entity.name, key, (name,)) for name in names]
    for chosen in ((), *((one,) for one in every), tuple(every)):
        if all(leaf.value is not None for leaf in chosen) and view.matching(entity.name, (*chosen, *others)) == [key]:
            return chosen if view.matching(entity.name, chosen) != [key] else None
    return None


def _noun(view: View, entity: Entity, own: tuple[Leaf, ...], prefix: str) -> Phrase:
    """`parrot called Coco`, `pet called Coco`, `parrot`."""
    sort = next((leaf for leaf in own if leaf.path[0] in SORTS and leaf.type.kind == "enum"), None)
    words = as_phrase(words_of(entity.name)) if sort is None else fact(value_words(sort, view), f"{prefix}.{sort.name}")
    for leaf in own:
        if leaf is not sort:
            called = as_phrase("called ") + fact(value_words(leaf, view), f"{prefix}.{leaf.name}")
            words = words + " " + (called if leaf.path[0] in ("name", "title") else clause(view, entity.name, leaf, prefix))
    return words


def over_child(view: View, entity: Entity, key: str, prefix: str, rng: Chance) -> Described | None:
    """`the owner of the parrot called Coco`, `the borrower of the item called …`: by a row that refers here."""
    if tool_of(view.domain, "get", entity.name) is None:
        return None
    searched = [one for one in view.domain.entities if tool_of(view.domain, "search", one.name)]
    children = [(child, field) for child in searched for field in child.fields if field.name in OF and _refers(field, entity)]
    rng.shuffle(children)
    for child, field in children:
        step = f"<{child.name}.{field.name}"
        for other in rng.sample(view.state.where(child.name, field.columns[0].name, key), 3):
            own = _telling(view, child, other)
            if own is not None:
                leaves = tuple(Leaf(path=(step, *leaf.path), value=leaf.value, type=leaf.type) for leaf in own)
                words = as_phrase(f"the {field_words(view.domain, child.name, field)} of the ") + _noun(view, child, own, f"{prefix}.{step}")
                return _described(view, entity, key, prefix, words, leaves, extra=True)
    return None


def _refers(field: Field, entity: Entity) -> bool:
    return field.role == "reference" and field.columns[0].references == (entity.name,)


def _telling(view: View, child: Entity, key: str) -> tuple[Leaf, ...] | None:
    """The row's sort, name or other own searchable words that single it out in the whole world."""
    tool = tool_of(view.domain, "search", child.name)
    assert tool is not None
    assert tool.search is not None
    wanted = {one.field for one in tool.search.filters if one.mode in ("equal", "contains")}
    exact = [one for one in child.fields if one.role == "value" and one.match == "exact"]
    fields = [one for one in exact if one.name in wanted and one.type.kind in ("text", "enum")]
    every = [leaf for one in fields if (leaf := view.leaf(child.name, key, (one.name,))).value is not None]
    named = [leaf for leaf in every if leaf.type.kind == "text"]
    sorts = [leaf for leaf in every if leaf.path[0] in SORTS]
    for chosen in (*((one,) for one in named), *((sort, one) for sort in sorts for one in named)):
        if view.matching(child.name, chosen) == [key]:
            return chosen
    return None


def is_query(described: Described) -> bool:
    """Whether the words hold only for rows as they stand: another row may come to fit them."""
    return any(leaf.rank or back(leaf.path[0])[0] for leaf in described.leaves)
