"""Patches of one fact under which a call that a rule forbids might be allowed."""

from collections.abc import Iterator

from registry.package.change import Stored
from synth.graph.access import access
from synth.lang.domain import Domain, Entity, Field, Tool
from synth.reference.interpret import reference
from synth.reference.state import Ref, Row
from synth.tasks.draft import Draft, Patch, start_of
from synth.tasks.rows.propose import needs_of
from synth.tasks.rows.view import View
from synth.tasks.workshop import Workshop

MOST_VALUES = 5
_ruled: dict[tuple[str, str], frozenset[tuple[str, str]]] = {}


def rule_fields(domain: Domain, tool: Tool) -> frozenset[tuple[str, str]]:
    """Entity and name of each field that a rule of the tool reads; worked out once for each tool."""
    found = _ruled.get((domain.sha256, tool.name))
    if found is None:
        reads = access(domain, tool).reads
        found = _ruled[domain.sha256, tool.name] = frozenset(field for field, places in reads.items() if "rule" in places)
    return found


def allowing(shop: Workshop, draft: Draft, rows: list[Ref]) -> Iterator[Patch]:
    """Patches of one of the rows in a field that a rule reads, states that the tool needs first; facts that the words state stay."""
    assert draft.declined is not None
    tool = shop.domain.tool(draft.declined.tool)
    read, needs = rule_fields(shop.domain, tool), needs_of(shop.domain, tool)
    stated = {(one.entity, one.key, leaf.path[0]) for one in draft.rows for leaf in one.leaves if len(leaf.path) == 1}
    likely: list[Patch] = []
    others: list[Patch] = []
    for ref in dict.fromkeys(rows):
        entity = shop.domain.entity(ref.entity)
        for field in entity.fields:
            if not _changeable(field) or (entity.name, field.name) not in read or (ref.entity, ref.key, field.name) in stated:
                continue
            needed = needs.get((entity.name, field.name))
            patches = [((ref.entity, ref.key, row),) for row in changed_rows(shop, entity, field, ref, needed)]
            (likely if needed else others).extend(patches)
    yield from shop.rng.sample(likely, len(likely))
    yield from shop.rng.sample(others, len(others))


def evidence(shop: Workshop, draft: Draft) -> list[Ref]:
    """The rows that the grounds name, then those that the words describe."""
    keys = [key for reason in draft.declined.reasons for key in reason.required] if draft.declined else []
    found = [Ref(entity.name, key) for entity in shop.domain.entities for key in dict.fromkeys(keys) if key in shop.state.tables[entity.name]]
    return [*found, *(Ref(one.entity, one.key) for one in draft.rows)]


def lifting(shop: Workshop, draft: Draft) -> Patch | None:
    """A patch of one fact under which nothing forbids the call, the words mean the same rows, and the rows can be as they then are; None without."""
    assert draft.declined is not None
    machine, refused = reference(shop.domain), draft.declined
    for patch in allowing(shop, draft, evidence(shop, draft)):
        state = start_of(shop.state, patch)
        if machine.broken(state, refused.tool, refused.arguments, machine.now, most=1):
            continue
        view = View(shop.domain, state)
        if any(view.meant(one.entity, one.leaves) != one.key for one in draft.rows):
            continue
        if shop.guard.admits(state, [Ref(*patch[0][:2])]) and shop.guard.holds(state):
            return patch
    return None


def _changeable(field: Field) -> bool:
    return field.role in ("value", "reference") and len(field.columns) == 1 and not field.unique and not field.part


def changed_rows(shop: Workshop, entity: Entity, field: Field, ref: Ref, needed: frozenset[str] | None, most: int = MOST_VALUES) -> list[Row]:
    """The row with other values in the field; one that comes into another state takes what goes with it from a row in that state."""
    column = field.columns[0].name
    row = shop.state.tables[entity.name][ref.key]
    donors: dict[Stored, Row] = {}
    for other in shop.rng.sample(shop.state.keys(entity.name), 60):
        there = shop.state.tables[entity.name][other]
        if there[column] is not None and there[column] != row[column] and (needed is None or there[column] in needed):
            donors.setdefault(there[column], there)
    along = [one.columns[0].name for one in entity.fields if field.lifecycle and one.role == "value" and one.type.optional and one.columns]
    return [{**row, column: value, **{name: donor[name] for name in along}} for value, donor in list(donors.items())[:most]]
