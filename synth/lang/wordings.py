"""Checks how people ask for a tool: wordings with slots."""

import re

from synth.lang.domain import Param, Wording
from synth.lang.names import Names
from synth.lang.nodes import Where
from synth.lang.problems import Report, advice
from synth.lang.types import Type

SLOT = re.compile(r"\{([^{}]*)\}")


def wording(names: Names, report: Report, field: str, text: str, where: Where, params: tuple[Param, ...], *, bulk: bool = False) -> Wording:
    """A wording whose slots are checked against the parameters.

    In a bulk wording a row parameter may stand in the plural.
    """
    known = {one.name: one.type for one in params}
    if bulk:
        known |= {
            names.entities[one.type.entities[0]].plural: one.type
            for one in params
            if one.type.kind == "row" and one.type.entities[0] in names.entities
        }
    for slot in SLOT.findall(text):
        _slot(names, report, field, (slot, where), known)
    rest = SLOT.sub("", text)
    if "{" in rest or "}" in rest or not rest.strip():
        report.add(where, field, expected="words with {parameter} slots", got=text, fix="Write how a person would ask for it", code="BAD_WORDING")
    return Wording(text=text, where=where)


def _slot(names: Names, report: Report, field: str, slot: tuple[str, Where], known: dict[str, Type]) -> None:
    text, where = slot
    first, *rest = text.split(".")
    kind = known.get(first)
    if kind is None:
        if first in names.broken:
            return
        report.add(where, field, expected="a parameter in { }", got=f"{{{text}}}", fix=advice(first, known, "parameter"), code="UNKNOWN_SLOT")
        return
    for step in rest:
        members = names.members(kind.entities[0]) if kind.kind == "row" and kind.entities[0] in names.entities else {}
        if step not in members and names.excused(kind.entities[0] if kind.kind == "row" else "", step):
            return
        if step not in members:
            report.add(where, field, expected=f"a field of {{{first}}}", got=f"{{{text}}}", fix=advice(step, members, "field"), code="UNKNOWN_SLOT")
            return
        kind = members[step].type


def complete(names: Names, report: Report, field: str, where: Where, asked: tuple[Wording, ...], params: tuple[Param, ...]) -> None:
    """Report a write without wording, and wordings that never say a required argument."""
    if not asked:
        fix = 'Add one, such as @asked("…") above a tool or `asked: ["…"]` beside a derived one, with a {slot} for each argument'
        report.add(where, field, expected="at least one wording of how people ask for a tool that writes", got="none", fix=fix, code="NO_WORDING")
        return
    for one in asked:
        said = {slot.split(".")[0] for slot in SLOT.findall(one.text)}
        missing = [param.name for param in params if param.required and not _said(names, param, said)]
        if missing:
            got = f"no {', '.join(f'{{{name}}}' for name in missing)} in {one.text!r}"
            fix = "Add the slot, or give the parameter a default"
            report.add(one.where, field, expected="a wording that says every required argument", got=got, fix=fix, code="SILENT_ARGUMENT")


def _said(names: Names, param: Param, said: set[str]) -> bool:
    if param.name in said:
        return True
    return param.type.kind == "row" and any(names.entities[one].plural in said for one in param.type.entities if one in names.entities)
