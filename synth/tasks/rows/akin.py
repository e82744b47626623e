"""Which fields of an entity go together, by how the data of the seed make them."""

from functools import cache
from typing import NamedTuple

from synth.lang import nodes as n
from synth.lang.domain import Domain, Entity, Field
from synth.lang.walk import free_names, nodes

SAID = ("text", "enum", "bool")
WORN = ("text", "enum", "bool", "integer", "decimal", "money")


class Akin(NamedTuple):
    """What the maker of an entity says of its fields.

    Attributes:
        companions: For a text, enum or yes-or-no field, the plain fields that were made from it, or from which it was made.
        own: Texts and dates that were made from nothing else in the row.
    """

    companions: dict[str, frozenset[str]]
    own: frozenset[str]


_known: dict[tuple[str, str], Akin] = {}


def akin(domain: Domain, entity: Entity) -> Akin:
    """Worked out once for each entity."""
    place = (domain.sha256, entity.name)
    if place not in _known:
        _known[place] = _read(domain, entity)
    return _known[place]


def _read(domain: Domain, entity: Entity) -> Akin:
    maker = next((one for one in domain.makers if one.entity == entity.name), None)
    binds = {} if maker is None else {one.name: one for one in maker.body if isinstance(one, n.Bind)}
    fields = {one.name: one for one in entity.fields}
    uses = {name: free_names(one.value) & binds.keys() for name, one in binds.items()}
    plain = {name for name in binds if name in fields and _is_plain(fields[name])}

    @cache
    def sources(name: str) -> frozenset[str]:
        """Fields from which a binding was made, over names that are none."""
        found: set[str] = set()
        for one in uses[name]:
            found |= {one} if one in fields else sources(one)
        return frozenset(found)

    joined: dict[str, set[str]] = {name: set() for name in plain}
    for name in plain:
        for other in sources(name) & plain:
            joined[name].add(other)
            joined[other].add(name)
    common = {name: _roots(name, uses, fields) for name in plain}
    for name in plain:
        joined[name] |= {other for other in plain if other != name and common[name] & common[other]}
    own = {name for name in binds if name in fields and fields[name].role == "value" and not uses[name] and _draws(binds[name].value)}
    kinds = {name: fields[name].type.kind for name in own}
    return Akin(
        companions={name: frozenset(others) for name, others in joined.items() if others and fields[name].type.kind in SAID},
        own=frozenset(name for name in own if kinds[name] in ("text", "date") or len(fields[name].columns) > 1),
    )


def _roots(name: str, uses: dict[str, frozenset[str]], fields: dict[str, Field]) -> frozenset[str]:
    """Names that are no fields, from which a binding was made: the kind of a product that has no column of its own."""
    found: set[str] = set()
    for one in uses[name]:
        if one not in fields:
            found |= {one} | _roots(one, uses, fields)
    return frozenset(found)


def _is_plain(field: Field) -> bool:
    return field.role == "value" and field.lifecycle is None and field.match == "exact" and len(field.columns) == 1 and field.type.kind in WORN


def _draws(node: n.Node) -> bool:
    return any(isinstance(one, n.Call) for one in nodes(node))
