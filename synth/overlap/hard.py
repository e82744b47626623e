"""What makes an environment hard, told from its seed in a few phrases."""

from collections.abc import Iterator

from synth.lang import nodes as n
from synth.lang.domain import Domain, Field, Tool
from synth.lang.walk import depth, nodes

SETS = ("len", "count", "sum", "any", "all", "min", "max", "avg", "first")
FAR = 3
"""A rule looks far if it goes through so many rows."""
WIDE = 3
"""A tool changes much if it writes so many tables."""


def what_is_hard(domain: Domain) -> tuple[str, ...]:
    """Phrases, the ones about rules first."""
    return tuple(phrase for phrase in (*_rules(domain), *_tables(domain), *_tools(domain)) if phrase)


def rules_of(domain: Domain) -> list[n.Rule]:
    """All rules of tools and functions, each once."""
    bodies = [*(one.body for one in domain.tools), *(one.body for one in domain.functions)]
    return [one for body in bodies for statement in body for one in nodes(statement) if isinstance(one, n.Rule)]


def _rules(domain: Domain) -> Iterator[str]:
    rules = rules_of(domain)
    yield _many(sum(not one.enforced for one in rules), "rule that no tool enforces", "rules that no tool enforces")
    sets = sum(any(isinstance(one, n.Call) and one.name in SETS for one in nodes(rule.condition)) for rule in rules)
    yield _many(sets, "rule that weighs sets of rows", "rules that weigh sets of rows")
    far = sum(any(depth(one) >= FAR for one in nodes(rule.condition)) for rule in rules)
    yield _many(far, "rule that looks at rows far away", "rules that look at rows far away")
    yield _many(sum(_reads_clock(rule) for rule in rules), "rule about dates and times", "rules about dates and times")


def _tables(domain: Domain) -> Iterator[str]:
    fields = [field for entity in domain.entities for field in entity.fields]
    yield _list("a tree", "trees", [field for field in fields if field.tree])
    yield _list("an order of rows", "orders of rows", [field for field in fields if field.position])
    yield _list("a set of links", "sets of links", [field for field in fields if field.role == "links"])
    cycles = [field.lifecycle for field in fields if field.lifecycle is not None]
    yield f"{len(cycles)} lifecycles with {sum(len(one.moves) for one in cycles)} moves" if cycles else ""
    yield _many(sum(field.match == "text" for field in fields), "text compared by meaning", "texts compared by meaning")


def _tools(domain: Domain) -> Iterator[str]:
    wide = sum(len(tables_written(tool, domain)) >= WIDE for tool in domain.tools)
    yield _many(wide, f"tool that writes {WIDE} tables or more", f"tools that write {WIDE} tables or more")
    yield _many(sum(bool(tool.role) for tool in domain.tools), "tool for one role", "tools for one role only")
    yield "an acting user with rights of its own" if domain.actor else ""


def tables_written(tool: Tool, domain: Domain) -> frozenset[str]:
    """Tables whose rows a tool makes, changes or removes, through functions too."""
    functions = {one.name: one.body for one in domain.functions}
    found: set[str] = set()
    bodies, seen = [tool.body], set[str]()
    while bodies:
        for statement in bodies.pop():
            for one in nodes(statement):
                found |= _written(one)
                if isinstance(one, n.Apply) and one.function in functions and one.function not in seen:
                    seen.add(one.function)
                    bodies.append(functions[one.function])
    return frozenset(found)


def _written(node: object) -> set[str]:
    match node:
        case n.Create():
            return {node.entity}
        case n.Copy() | n.Delete() | n.Patch():
            return set(node.row.type.entities)
        case n.Assign():
            return set(node.target.base.type.entities)
    return set()


def _reads_clock(rule: n.Rule) -> bool:
    return any(isinstance(one, n.Given) and one.name in ("now", "today") for one in nodes(rule.condition))


def _many(count: int, one: str, several: str) -> str:
    return "" if not count else f"1 {one}" if count == 1 else f"{count} {several}"


def _list(one: str, several: str, fields: list[Field]) -> str:
    return "" if not fields else one if len(fields) == 1 else f"{len(fields)} {several}"
