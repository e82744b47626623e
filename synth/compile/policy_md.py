"""policy.md: the rules as the agent reads them, and how to decline."""

import re

from synth.compile.header import one_line
from synth.compile.walk import rules_through
from synth.lang import nodes as n
from synth.lang.domain import Domain, Entity, Tool

_DO = (
    "## What to do\n\n"
    "Do what a request asks for and nothing else. Leave everything else as it is, except for what a tool changes of its own accord. "
    "If a request gives no value for an optional parameter, leave the parameter out of the call; the tool then uses its default. "
    "If a value that you need is neither in the request nor to be found with the tools, ask for it with `ask_user`, where you have that tool."
)

_DECLINE = (
    "## When to say no\n\n"
    "Below, each tool has up to two lists of rules: those that the tool checks itself, and those that it does not check and that you must keep. "
    "A rule holds for the tools under which it stands, however widely it is worded, and for no others. "
    "If a request would break any rule of either list, carry out no part of it. Call `submit_answer` with outcome `declined`, "
    "the code of the broken rule (the word in capitals) as `reason_code`, and as `evidence` the ids of the rows that show it; "
    "each rule says which rows to cite. Where there is nothing to cite, send no evidence.\n\n"
    "A tool may also refuse with one of these codes:\n\n"
    "- `NOT_FOUND`: There is no such row. Nothing to cite.\n"
    "- `WRONG_STATE`: The status of the row does not allow the change. Cite the row.\n"
    "- `DUPLICATE`: Another row already has the value. Cite that row.\n"
    "- `LIMIT`: A value would be outside the limits of its field. Cite the row that would be changed.\n"
    "- `IN_USE`: Other rows still refer to the row. Cite those rows.\n\n"
    "When a request is done, call `submit_answer` with outcome `done`; when a question was asked, with outcome `answered` and the answer."
)


ADJECTIVES = frozenset("unpaid booked pinned urgent waiting closed cheaper overdue broken earlier unbilled open".split())
"""Names of lists that can stand before the rows in them."""
PLACES = {"other": "other", "before": "earlier", "previous": "earlier", "original": "original", "first": "first", "last": "last", "next": "next"}
"""What stands before a row whose name only tells it from another one."""

NO_ROLES = frozenset(("here", "item", "found", "row"))
"""Names of rows that say nothing about them."""


def policy_md(domain: Domain) -> str:
    """Text of policy.md."""
    start = f"It is {domain.now} when you begin, and each call takes a second. {_actor(domain)}".strip()
    blocks = [f"# Policy: {one_line(domain.title)}", one_line(domain.about), start, _DO, _DECLINE]
    if domain.policies:
        blocks.append("\n".join(["## General rules", "", *(f"- {one_line(rule)}" for rule in domain.policies)]))
    if domain.glossary:
        words = [f"- {one_line(name)}: {', '.join(one_line(word) for word in others)}" for name, others in domain.glossary]
        blocks.append("\n".join(["## Words that people use", "", *words]))
    blocks.append("## Rules of the tools")
    blocks += [block for block in (_tool(domain, one) for one in domain.tools) if block]
    return "\n\n".join(blocks) + "\n"


def _actor(domain: Domain) -> str:
    if not domain.actor:
        return ""
    entity = domain.entity(domain.actor)
    first = re.sub(r"\{n(?::0?(\d+)d?)?\}", lambda found: "1".zfill(int(found[1] or 1)), entity.id_pattern) if entity.id_kind == "counter" else ""
    known = f", {first}" if first and "{" not in first else f" in the list of {entity.plural}"
    return f"You are the first {_spoken(domain.actor)}{known}, and what you do with the tools counts as done by that {_spoken(domain.actor)}."


def _spoken(name: str) -> str:
    return "".join(f" {letter.lower()}" if letter.isupper() else letter for letter in name).strip()


def _tool(domain: Domain, tool: Tool) -> str:
    rules = list({(one.code, one.sentence): one for one in rules_through(domain, tool.body)}.values())
    checked = [_rule(domain, one) for one in rules if one.enforced]
    yours = [_rule(domain, one) for one in rules if not one.enforced]
    if not checked and not yours and not tool.role:
        return ""
    lines = [f"### {tool.name}", ""]
    lines += [f"Only for: {one_line(tool.role)}.", ""] if tool.role else []
    lines += ["The tool checks:", "", *checked, ""] if checked else []
    lines += ["For you to keep (the tool does not check):", "", *yours, ""] if yours else []
    return "\n".join(lines).rstrip()


def _rule(domain: Domain, rule: n.Rule) -> str:
    return f"- `{rule.code}`: {one_line(rule.sentence)} {_cite(domain, rule)}"


def _cite(domain: Domain, rule: n.Rule) -> str:
    """Which rows a refusal must cite."""
    said = list(dict.fromkeys(_rows(domain, one) for one in rule.evidence))
    return f"Cite {' and '.join(said)}." if said else "Nothing to cite."


def _rows(domain: Domain, node: n.Node, *, within: bool = False) -> str:
    """How a person would name the rows of an expression.

    Args:
        within: Whether the words stand behind an `of`.
    """
    kind = node.type.item if node.type.kind == "list" and node.type.item else node.type
    entities = [domain.entity(name) for name in kind.entities]
    if node.type.kind == "list":
        return _several(entities, node.name.replace("_", " ") if isinstance(node, n.Local) else "")
    if isinstance(node, n.Local):
        return _one(domain, entities, node.name.replace("_", " "), within=within)
    if isinstance(node, n.Attr):
        return f"the {_field(domain, node)} of {_rows(domain, node.base, within=True)}"
    return f"the {' or '.join(_spoken(one.name) for one in entities)} concerned"


def _several(entities: list[Entity], name: str) -> str:
    """`all the open cases`; where the name is no adjective, only what kind of rows they are."""
    plural = " or ".join(_plural(one) for one in entities)
    *first, last = name.split() or [""]
    if last in plural.split():
        return f"all the {' '.join([*first, plural])}"
    return f"all the {name} {plural}" if name in ADJECTIVES else f"all the {plural} that show it"


def _one(domain: Domain, entities: list[Entity], name: str, *, within: bool) -> str:
    """`the ticket`, `the earlier reading`, `the author (a member)`."""
    entity = " or ".join(_spoken(one.name) for one in entities)
    if name in NO_ROLES:
        return f"the {entity}"
    if name in PLACES:
        return f"the {PLACES[name]} {entity}"
    known = {*entity.split(), *(word for one in entities for word in _words(domain, one.name))}
    if within or known & set(name.split()):
        return f"the {name}"
    return f"the {name} ({'an' if entity[:1] in 'aeiou' else 'a'} {entity})"


def _field(domain: Domain, node: n.Attr) -> str:
    """What the field is called; the glossary's word comes first."""
    holders = node.base.type.entities
    told = next((words[0] for name, words in domain.glossary if words and name in {f"{one}.{node.name}" for one in holders}), "")
    return one_line(told) if told else node.name.replace("_", " ")


def _words(domain: Domain, entity: str) -> tuple[str, ...]:
    return next((words for name, words in domain.glossary if name == entity), ())


def _plural(entity: Entity) -> str:
    return entity.plural.replace("_", " ")
