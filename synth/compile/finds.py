"""Which comprehensions are a question to the store: rows of one entity whose fields have given values."""

from dataclasses import dataclass

from synth.compile.walk import inside
from synth.lang import nodes as n
from synth.lang.domain import Domain, Field

Equal = tuple[str, tuple[n.Node, ...], bool]
"""Field, values, and whether any of several may be equal."""

_ASKABLE = ("text", "enum", "integer", "bool", "date", "time", "datetime", "row")


@dataclass(frozen=True, slots=True, kw_only=True)
class Find:
    """Rows of an entity whose fields have these values; `rest` are the conditions left to test on each."""

    entity: str
    equal: tuple[Equal, ...]
    rest: tuple[n.Node, ...] = ()


def reverse_of(domain: Domain, node: n.Attr) -> tuple[str, Field] | None:
    """The referring entity and field behind a reverse set."""
    wanted = node.base.type.entities
    for entity in domain.entities:
        for field in entity.fields:
            if field.many == node.name and set(wanted) <= set(field.type.entities):
                return entity.name, field
    return None


def source_of(domain: Domain, source: n.Node) -> Find | None:
    """All rows, or those of a reverse set, as a question."""
    if isinstance(source, n.Rows):
        return Find(entity=source.entity, equal=())
    if isinstance(source, n.Attr) and source.access == "reverse":
        found = reverse_of(domain, source)
        return Find(entity=found[0], equal=((found[1].name, (source.base,), False),)) if found else None
    return None


def find_of(domain: Domain, clause: n.Clause) -> Find | None:
    """The question that a `for … in … if …` asks, with as many of its first conditions as the store can answer."""
    start = source_of(domain, clause.source)
    if start is None or len(clause.targets) != 1:
        return None
    fields = {one.name: one for one in domain.entity(start.entity).fields}
    conditions = [part for one in clause.conditions for part in _parts(one)]
    taken: dict[str, Equal] = {one[0]: one for one in start.equal}
    asked = 0
    for condition in conditions:
        equal = _equal(condition, clause.targets[0], fields)
        if equal is None or equal[0] in taken:
            break
        taken[equal[0]] = equal
        asked += 1
    return Find(entity=start.entity, equal=tuple(taken.values()), rest=tuple(conditions[asked:])) if asked else None


def question_of(domain: Domain, node: n.Node) -> Find | None:
    """The question whose answer a list is, with nothing left to do for its rows; a reverse set or entity list is one too."""
    if not isinstance(node, n.Comprehension):
        return source_of(domain, node)
    if node.key is not None or len(node.clauses) != 1 or len(node.clauses[0].targets) != 1:
        return None
    if not isinstance(node.element, n.Local) or node.element.name != node.clauses[0].targets[0]:
        return None
    found = find_of(domain, node.clauses[0])
    return found if found is not None and not found.rest else None


def _parts(condition: n.Node) -> tuple[n.Node, ...]:
    return condition.operands if isinstance(condition, n.Logic) and condition.op == "and" else (condition,)


def _equal(condition: n.Node, row: str, fields: dict[str, Field]) -> Equal | None:
    """Field and values, if the condition says that a stored field of the row has one of them."""
    if not isinstance(condition, n.Compare) or len(condition.rest) != 1:
        return None
    (op, right), left = condition.rest[0], condition.left
    if op == "==" and not _reads(left, row, fields):
        left, right = right, left
    name = _reads(left, row, fields)
    if not name:
        return None
    if op in ("==", "is") and _free_of(right, row):
        return (name, (right,), False)
    return (name, right.items, True) if op == "in" and isinstance(right, n.Display) and _words(right) else None


def _words(display: n.Display) -> bool:
    """Whether a display holds literals only."""
    return bool(display.items) and all(isinstance(one, n.Const) and one.value is not None for one in display.items)


def _reads(node: n.Node, row: str, fields: dict[str, Field]) -> str:
    """The stored field of the row that an expression reads, or nothing."""
    if not isinstance(node, n.Attr) or node.access != "field" or not isinstance(node.base, n.Local) or node.base.name != row:
        return ""
    field = fields.get(node.name)
    if field is None or field.role not in ("value", "reference") or field.type.kind not in _ASKABLE or node.name == "archived":
        return ""
    return node.name


def _free_of(node: n.Node, row: str) -> bool:
    """Whether a value is the same for every row, and costs little to work out even if there is none."""
    parts = list(inside(node))
    simple = all(isinstance(one, n.Const | n.Local | n.Given | n.Single | n.Attr) for one in parts)
    return simple and not any(isinstance(one, n.Local) and one.name == row for one in parts)
