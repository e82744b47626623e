"""What the expressions and statements of a seed use."""

from collections.abc import Iterator
from dataclasses import dataclass

from synth.lang.domain import Domain, Field, Function, Param, Tool
from synth.lang.nodes import Apply, Attr, Clause, Compare, Const, Copy, Create, EnumWords, Given, Local, Node, Rows, Single, Statement
from synth.lang.types import Type
from synth.lang.walk import nodes

Part = Node | Statement | Clause


@dataclass(frozen=True, slots=True, kw_only=True)
class Uses:
    """Names that a seed uses, apart from where they are declared.

    Attributes:
        types: Names of enums and structs.
        compared: (enum, word) that a condition asks for.
        entities: Entities whose rows an expression reaches or makes.
    """

    types: frozenset[str]
    constants: frozenset[str]
    functions: frozenset[str]
    compared: frozenset[tuple[str, str]]
    entities: frozenset[str]


def uses_of(domain: Domain) -> Uses:
    """Everything that the seed uses."""
    parts = [each for root in roots(domain) for each in nodes(root)]
    compared = {pair for one in parts if isinstance(one, Compare) for pair in _words(one)}
    types = {name for kind in _types(domain, parts) for name in _names(kind)}
    return Uses(
        types=frozenset(types),
        constants=frozenset(one.name for one in parts if isinstance(one, Given)),
        functions=frozenset(one.function for one in parts if isinstance(one, Apply)),
        compared=frozenset(compared),
        entities=frozenset(_entities(parts)),
    )


def bodies(domain: Domain) -> tuple[Function | Tool, ...]:
    """Functions and tools: everything with parameters and a body."""
    return (*domain.functions, *domain.tools)


def roots(domain: Domain) -> Iterator[Part]:
    """Every expression and statement of the seed."""
    for maker in domain.makers:
        yield from maker.body
    for tool in bodies(domain):
        yield from tool.body
        yield from (one.default for one in tool.params if one.default is not None)
    for invariant in (*domain.invariants, *domain.at_start):
        yield from invariant.bindings
        yield invariant.condition
    for entity in domain.entities:
        if entity.called is not None:
            yield entity.called
        for field in entity.fields:
            yield from properties(field)


def properties(field: Field) -> Iterator[Node]:
    """The expressions beside a field."""
    for one in (field.low, field.high, field.start, field.computed, field.always):
        if one is not None:
            yield one


def used_locals(body: tuple[Statement, ...]) -> frozenset[str]:
    """Local names that a body reads."""
    return frozenset(part.name for one in body for part in nodes(one) if isinstance(part, Local))


def shown_entities(domain: Domain) -> frozenset[str]:
    """Entities of which a tool that only reads finds rows by something else than their ids."""
    return frozenset(name for tool in domain.tools if tool.read_only for name in _found_by(domain, tool))


def returned_entities(domain: Domain) -> frozenset[str]:
    """Entities whose rows, with all their fields, stand in the result of a tool."""
    found: set[str] = set()
    for tool in domain.tools:
        found |= {tool.entity} if tool.kind in ("search", "list") else set(_names_of_rows(tool.result))
        found |= set(_parts(domain, tool.entity)) if tool.kind == "get" else set()
    return frozenset(found)


def _found_by(domain: Domain, tool: Tool) -> Iterator[str]:
    if tool.kind in ("search", "list"):
        yield tool.entity
    elif tool.kind == "get":
        yield from _parts(domain, tool.entity)
    elif tool.kind == "declared":
        yield from _names_of_rows(tool.result)
        asked = {name for one in tool.params for name in one.type.entities}
        for one in tool.body:
            yield from (
                name for part in nodes(one) if isinstance(part, Attr | Rows | Single) for name in _names_of_rows(part.type) if name not in asked
            )


def _parts(domain: Domain, owner: str) -> Iterator[str]:
    """Entities whose rows come with a row, and theirs."""
    for one in domain.entities:
        if any(field.part and owner in field.type.entities for field in one.fields):
            yield one.name
            yield from _parts(domain, one.name) if one.name != owner else ()


def _names_of_rows(kind: Type) -> Iterator[str]:
    yield from kind.entities
    if kind.item is not None:
        yield from _names_of_rows(kind.item)
    for _, one in kind.fields:
        yield from _names_of_rows(one)


def _words(node: Compare) -> Iterator[tuple[str, str]]:
    for one in nodes(node):
        if isinstance(one, Const) and one.type.kind == "enum":
            yield one.type.name, str(one.value)
        if isinstance(one, EnumWords):
            yield one.name, ""


def _types(domain: Domain, parts: list[Part]) -> Iterator[Type]:
    for entity in domain.entities:
        yield from (one.type for one in entity.fields)
    for struct in domain.structs:
        yield from (kind for _, kind in struct.fields)
    yield from (one.type for one in domain.constants)
    params: Iterator[Param] = (one for owner in bodies(domain) for one in owner.params)
    yield from (one.type for one in params)
    for one in parts:
        if isinstance(one, EnumWords):
            yield Type(kind="enum", name=one.name)


def _names(kind: Type) -> Iterator[str]:
    if kind.name:
        yield kind.name
    if kind.item is not None:
        yield from _names(kind.item)


def _entities(parts: list[Part]) -> Iterator[str]:
    for one in parts:
        if isinstance(one, Rows | Single | Create):
            yield one.entity
        elif isinstance(one, Attr | Copy | Local):
            yield from _names_of_rows(one.type)
