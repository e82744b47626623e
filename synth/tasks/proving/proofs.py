"""What the maker records with gold, so that its claims can be tried out: the rows that fit a description but for one fact."""

from typing import Any

from synth.lang.domain import Domain
from synth.reference.state import State
from synth.tasks.draft import Draft, Gathered, OtherRoute, start_of
from synth.tasks.kinds.sets import members
from synth.tasks.proving.density import density, usable_tools
from synth.tasks.rows.view import View
from synth.tasks.solving.planner import BOUND

MOST_NEAR = 6
SET = -1
"""Stands for the set of a bulk task among the numbers of descriptions."""


def proofs(domain: Domain, state: State, draft: Draft) -> dict[str, Any]:
    """`distractors`: rows that differ from a described one in one stated fact, those made for the task first; `bare`: facts without any.

    Also how many tools can be used and how densely they hang together, and for a decline within how many steps nothing makes it possible.

    Args:
        state: The pack's world, in which ids are final.
    """
    view = View(domain, start_of(state, draft.patch))
    pairs = {(table, *both) for table, one, other in draft.clones for both in ((one, other), (other, one))}
    near: list[dict[str, Any]] = []
    bare: list[dict[str, Any]] = []
    for number, described in enumerate(draft.rows):
        target = view.matching(described.entity, described.leaves)
        if len(target) != 1:
            continue
        for leaf in described.leaves:
            rest = tuple(one for one in described.leaves if one != leaf)
            others = [key for key in view.matching(described.entity, rest) if key != target[0]]
            made = {key for key in others if (described.entity, target[0], key) in pairs}
            others = [*(key for key in others if key in made), *(key for key in others if key not in made)]
            fact: dict[str, Any] = {"row": number, "table": described.entity, "target": target[0], "fact": ".".join(leaf.path)}
            near += [{**fact, "distractor": key, "made": key in made} for key in others[:MOST_NEAR]]
            if not others:
                bare.append(fact)
    if draft.gathered is not None:
        near += _near_set(view, draft.gathered)
    found: dict[str, Any] = {"distractors": near, "bare": bare}
    usable = usable_tools(domain, view.state)
    found |= {"usable_tools": len(usable), "density": density(domain, usable)}
    if draft.declined is not None:
        found["no_plan_within"] = BOUND
    if draft.goals:
        found["goal"] = [{"table": one.table, "key": one.key, "values": dict(one.values), "gone": one.gone} for one in draft.goals]
        found["other_routes"] = [_route(one) for one in draft.others]
    if draft.taken_back is not None:
        back = draft.taken_back
        found["taken_back"] = {"call": back.call, "argument": back.argument, "value": back.literal, "said": back.said}
    if draft.reading is not None and draft.reading.what == "value":
        found["column"] = draft.reading.column
    return found


def _route(one: OtherRoute) -> dict[str, Any]:
    calls = [{"tool": tool, "arguments": dict(arguments)} for tool, arguments in one.calls]
    return {"calls": calls, "verdict": one.verdict, "rule": one.rule, "where": one.where}


def _near_set(view: View, gathered: Gathered) -> list[dict[str, Any]]:
    """Rows that would be in the set but for one fact, each beside one that is in it."""
    inside = members(view, gathered.entity, gathered.wanted)
    found = []
    for (column, value), key in gathered.near:
        row = view.state.row(gathered.entity, key)
        if inside and row is not None and row[column] != value:
            target = inside[sum(key.encode()) % len(inside)]
            found.append({"row": SET, "table": gathered.entity, "target": target, "fact": column, "distractor": key, "made": True})
    return found
