"""Advice on what is declared and never used."""

from synth.lang.domain import Domain, Function, Maker, Tool
from synth.lang.nodes import Apply, Bind, Comprehension, Copy, Create, Where
from synth.lang.problems import closest
from synth.lint.found import Found
from synth.lint.uses import Uses, bodies, shown_entities, used_locals
from synth.seed.reading import Reading

_LEAVE_OUT = "Use it, or leave it out"


def unused(reading: Reading, domain: Domain, uses: Uses, found: Found) -> None:
    """Note declarations that nothing refers to."""
    _declarations(reading, domain, uses, found)
    _glossary(reading, domain, found)
    for one in domain.functions:
        if one.name not in uses.functions:
            found.warning(one.where, f"functions.{one.name}", ("a function that something calls", "no call of it"), _LEAVE_OUT, "UNUSED_FUNCTION")
    for owner in bodies(domain):
        if isinstance(owner, Function) or owner.kind == "declared":
            _inside(owner, found)
    for maker in domain.makers:
        _maker(domain, maker, found)
    _entities(domain, uses, found)


def _declarations(reading: Reading, domain: Domain, uses: Uses, found: Found) -> None:
    facts = frozenset(name for entity in domain.entities for field in entity.fields for name in field.facts)
    roles = frozenset(one.role for one in domain.tools)
    sections = (
        ("enums", "an enum", "UNUSED_ENUM", [one.name for one in domain.enums if "." not in one.name], uses.types),
        ("types", "a type", "UNUSED_TYPE", [one.name for one in domain.structs], uses.types),
        ("constants", "a constant", "UNUSED_CONSTANT", [one.name for one in domain.constants], uses.constants),
        ("facts", "a group of facts", "UNUSED_FACTS", [name for name, _ in domain.facts], facts),
        ("roles", "a role", "UNUSED_ROLE", [name for name, _ in domain.roles], roles),
    )
    for section, what, code, declared, used in sections:
        for name in declared:
            if name not in used:
                where = reading.where_key(section, name)
                found.warning(where, f"{section}.{name}", (f"{what} that something uses", "no use of it"), _LEAVE_OUT, code)


def _glossary(reading: Reading, domain: Domain, found: Found) -> None:
    known = {name for entity in domain.entities for name in (entity.name, entity.plural, *(f"{entity.name}.{one.name}" for one in entity.fields))}
    for name, _ in domain.glossary:
        if name not in known:
            near = closest(name, known)
            fix = f"Did you mean {near!r}" if near else "Write the name of an entity, its plural, or Entity.field"
            got = ("the name of something in the seed", repr(name))
            found.warning(reading.where_key("glossary", name), f"glossary.{name}", got, fix, "UNKNOWN_WORD")


def _inside(owner: Tool | Function, found: Found) -> None:
    """Parameters and bindings that the body never reads."""
    field = f"{'tools' if isinstance(owner, Tool) else 'functions'}.{owner.name}"
    read = used_locals(owner.body)
    for param in owner.params:
        if param.name not in read:
            found.warning(param.where, field, ("a parameter that the body reads", f"{param.name}, which it does not"), _LEAVE_OUT, "UNUSED_PARAMETER")
    for one in owner.body:
        if isinstance(one, Bind) and one.name not in read and not _has_effect(one):
            found.warning(one.where, field, ("a name that a later line reads", f"{one.name}, which none does"), _LEAVE_OUT, "UNUSED_NAME")


def _has_effect(node: Bind) -> bool:
    value = node.value.element if isinstance(node.value, Comprehension) else node.value
    return isinstance(value, Create | Copy | Apply)


def _maker(domain: Domain, maker: Maker, found: Found) -> None:
    fields = {one.name for one in domain.entity(maker.entity).fields} | {"id"}
    read = used_locals(maker.body)
    for one in maker.body:
        if isinstance(one, Bind) and one.name not in fields and one.name not in read:
            near = closest(one.name, fields)
            fix = f"Did you mean {near!r}" if near else _LEAVE_OUT
            expected = (f"a field of {maker.entity}, or a name that a later line reads", one.name)
            found.warning(one.where, f"data.{maker.entity}", expected, fix, "UNUSED_NAME")


def _entities(domain: Domain, uses: Uses, found: Found) -> None:
    """Entities that no tool shows, though a tool asks for one of their rows or nothing uses them at all."""
    shown = shown_entities(domain)
    referred = {name for entity in domain.entities for field in entity.fields for name in field.type.entities}
    asked: dict[str, tuple[Where, str]] = {}
    for tool in domain.tools:
        for param in tool.params:
            rows = param.type.item if param.type.item is not None else param.type
            for name in rows.entities:
                if param.required and not tool.read_only:
                    asked.setdefault(name, (param.where, tool.name))
    for entity in domain.entities:
        if entity.name in shown or entity.single:
            continue
        if entity.name in asked:
            where, tool_name = asked[entity.name]
            fix = f"Add `search: {{{entity.name}: […]}}` or a list under `derive:`"
            expected = ("rows that a read tool can find", f"{entity.name}, which none finds or shows")
            found.warning(where, f"tools.{tool_name}", expected, fix, "NOT_FINDABLE")
        elif entity.name not in referred | uses.entities:
            expected = ("an entity that a tool shows or uses", "none that does")
            found.warning(entity.where, f"entities.{entity.name}", expected, "Add a tool for it, or leave it out", "UNUSED_ENTITY")
