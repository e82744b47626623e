"""The tools of an environment under other names, with tools beside them that do nothing."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from registry.dispatch.outcome import Outcome, refused
from registry.noise.chance import Chance
from registry.noise.profiles import Profile

LONGEST = 40
_VERBS: Mapping[str, tuple[str, ...]] = {
    "search": ("find", "query", "look_up"),
    "get": ("show", "fetch", "read"),
    "list": ("show_all", "enumerate"),
    "create": ("add", "register", "make"),
    "update": ("edit", "change", "modify"),
    "cancel": ("call_off", "revoke"),
    "delete": ("remove", "erase"),
    "remove": ("take_out", "drop"),
    "add": ("put", "enter"),
    "record": ("note", "enter"),
    "move": ("shift", "relocate"),
    "book": ("arrange", "schedule"),
    "close": ("end", "wrap_up"),
    "open": ("start", "begin"),
    "assign": ("give", "allot"),
    "set": ("put", "fix"),
    "issue": ("give_out", "hand_out"),
    "mark": ("flag", "tag"),
    "finish": ("complete", "conclude"),
    "start": ("begin", "launch"),
    "send": ("dispatch", "pass_on"),
}
_PREFIXES = ("do", "desk", "perform")
_BESIDE = (
    ("sync_{plural}", "Synchronise {plural} with the head office."),
    ("bulk_import_{plural}", "Import many {plural} from a file."),
    ("export_{plural}", "Export {plural} as a spreadsheet."),
    ("notify_about_{plural}", "Send everybody concerned a message about {plural}."),
    ("archive_old_{plural}", "Move {plural} of former years to the archive."),
    ("forecast_{plural}", "Forecast how many {plural} there will be."),
)
"""Names and descriptions of tools that only look useful."""
_BESIDE_INPUT: dict[str, Any] = {
    "type": "object",
    "additionalProperties": False,
    "required": [],
    "properties": {"note": {"type": ["string", "null"], "maxLength": 200, "description": "A remark for the record."}},
}
_WORD = re.compile(r"[a-z][a-z0-9_]*")


@dataclass(frozen=True, slots=True, kw_only=True)
class Disguise:
    """How the tools of one episode look.

    Attributes:
        shown: Name under which each renamed tool is offered, by its true name.
        true: The other way round.
        beside: MCP objects of the tools that do nothing.
        tools: MCP objects of all tools as they are offered, without those of the harness.
    """

    shown: Mapping[str, str]
    true: Mapping[str, str]
    beside: Mapping[str, dict[str, Any]]
    tools: tuple[dict[str, Any], ...]

    def text(self, text: str) -> str:
        """A text about the environment in which renamed tools bear the names under which they are offered."""
        return _WORD.sub(lambda found: self.shown.get(found[0], found[0]), text) if self.shown else text


def disguise(tools: Sequence[Mapping[str, Any]], plurals: Sequence[str], profile: Profile, chance: Chance) -> Disguise:
    """The same for the same tools, profile and chance.

    Args:
        tools: MCP objects, in the environment's order.
        plurals: What the environment's tables hold, as in names of tools.
    """
    taken = {str(tool["name"]) for tool in tools}
    shown: dict[str, str] = {}
    for tool in tools:
        name = str(tool["name"])
        if chance.share("renamed", name) < profile.renamed:
            other = _other_name(name, taken, chance)
            if other:
                shown[name] = other
                taken.add(other)
    beside = _beside(plurals, taken, profile, chance)
    offered = [_renamed(tool, shown) for tool in tools] + list(beside.values())
    order = chance.shuffled(offered, "order") if shown else offered
    return Disguise(shown=shown, true={other: name for name, other in shown.items()}, beside=beside, tools=tuple(order))


def idle(tool: Mapping[str, Any]) -> Outcome:
    """What a tool answers that does nothing: no."""
    return refused("NOT_AVAILABLE", f"{tool['title']} is not available to you. Nothing was done. Use another tool.")


def _other_name(name: str, taken: set[str], chance: Chance) -> str:
    verb, _, rest = name.partition("_")
    if not rest:
        return ""  # a single word may stand in the policy without meaning the tool
    first = [f"{word}_{rest}" for word in _VERBS.get(verb, ())]
    last = [f"{prefix}_{name}" for prefix in _PREFIXES]
    options = [*chance.shuffled(first, "name", name), *chance.shuffled(last, "name", name)]
    return next((one for one in options if one not in taken and len(one) <= LONGEST), "")


def _renamed(tool: Mapping[str, Any], shown: Mapping[str, str]) -> dict[str, Any]:
    other = shown.get(str(tool["name"]))
    if other is None:
        return dict(tool)
    title = _title(other)
    told = {**tool, "name": other, "title": title, "description": f"{title}. {tool.get('description', '')}".strip()}
    if "annotations" in tool:
        told["annotations"] = {**tool["annotations"], "title": title}
    return told


def _title(name: str) -> str:
    return name.replace("_", " ").capitalize()


def _beside(plurals: Sequence[str], taken: set[str], profile: Profile, chance: Chance) -> dict[str, dict[str, Any]]:
    options = [(name.format(plural=plural), told.format(plural=plural.replace("_", " "))) for plural in plurals for name, told in _BESIDE]
    chosen: dict[str, dict[str, Any]] = {}
    for name, told in chance.shuffled(options, "beside"):
        if len(chosen) < profile.distractors and name not in taken and len(name) <= LONGEST:
            chosen[name] = _beside_tool(name, told)
    return chosen


def _beside_tool(name: str, told: str) -> dict[str, Any]:
    title = _title(name)
    return {
        "name": name,
        "title": title,
        "description": told,
        "inputSchema": _BESIDE_INPUT,
        "annotations": {"title": title, "readOnlyHint": False, "destructiveHint": False, "openWorldHint": False},
    }
