"""The short text that a client shows to its model: how to work in an environment."""

import re
from collections.abc import Iterable, Iterator

from registry.package.meta import ToolMeta

LIMIT = 6_000
"""Characters of policy that are repeated; beyond it the text points at the resource."""

HOW_TO_END = (
    "When the work is done, call submit_answer with outcome `done`; when you were asked a question, with outcome `answered` and the answer. "
    "If the policy does not allow what was asked, change nothing and call submit_answer with outcome `declined`, "
    "the code of the broken rule as reason_code, and as evidence the ids of the rows that show it."
)
_TO_KEEP = re.compile(r"^For you to keep[^\n]*:\n\n(?:- [^\n]*(?:\n+|\Z))+", re.MULTILINE)
_EMPTY = re.compile(r"^### [^\n]+\n+(?=#|\Z)", re.MULTILINE)
_RULE = re.compile(r"- `([A-Z0-9_]+)`: .+")


def summarize(title: str, policy: str, tools: Iterable[ToolMeta]) -> str:
    """How to end and decline, the rules that no tool checks, then the rest of the policy.

    Some clients cut the end, so the weightiest stands first; it is not said again under each tool.

    Args:
        title: Of the environment.
        policy: Text of policy.md.
        tools: With the codes of the rules that an agent must keep by itself.
    """
    own = list(_rules_to_keep(policy, {tool.name: tool.policies for tool in tools}))
    text = _without_rules_to_keep(policy).strip() if own else policy.strip()
    if len(text) > LIMIT:
        text = f"{text[:LIMIT].rsplit(chr(10), 1)[0]}\n… The whole policy is in the resource env://policy."
    parts = [f"{title}. Read the policy before you act.\n{HOW_TO_END}"]
    if own:
        parts.append("\n".join(["No tool checks these rules, so you must keep them yourself:", *own]))
    return "\n\n".join([*parts, text]) + "\n"


def _without_rules_to_keep(policy: str) -> str:
    """The policy without the second list of each tool, and without tools that have no other."""
    return _EMPTY.sub("", _TO_KEEP.sub("", policy))


def _rules_to_keep(policy: str, codes: dict[str, tuple[str, ...]]) -> Iterator[str]:
    tool = ""
    for line in policy.splitlines():
        if line.startswith("#"):
            tool = line.lstrip("# ").strip()
        found = _RULE.fullmatch(line)
        if found and found[1] in codes.get(tool, ()):
            yield f"- {tool}: {line[2:]}"
