"""Advice on what tasks are made of: wordings, names of rows, descriptions, rules that can be broken."""

from collections.abc import Iterator

from synth.lang.domain import Domain, Tool, Wording
from synth.lang.nodes import Where
from synth.lang.walk import rules
from synth.lint.found import Found
from synth.seed.reading import Reading

ENOUGH_WORDINGS = 3
_MANY = 4
"""From so many entities on a seed is large enough to need rules that hold for the whole of it."""


def asking(reading: Reading, domain: Domain, found: Found) -> None:
    """Note what gives few or poor tasks."""
    _wordings(domain, found)
    _same_wordings(domain, found)
    _names(domain, found)
    _rules(domain, found)
    _whole(reading, domain, found)


def _groups(tool: Tool) -> Iterator[tuple[str, tuple[Wording, ...], Where]]:
    """Wordings that stand for one another, with what they ask for."""
    if tool.asked:
        yield f"tools.{tool.name}", tool.asked, tool.asked[0].where
    for field, several in tool.asked_fields:
        yield f"tools.{tool.name}.{field}", several, several[0].where if several else tool.where


def _wordings(domain: Domain, found: Found) -> None:
    for tool in domain.tools:
        if tool.read_only:
            continue
        for name, several, where in _groups(tool):
            if len(several) < ENOUGH_WORDINGS:
                expected = (f"at least {ENOUGH_WORDINGS} wordings of how people ask for it", f"{len(several)}")
                found.advice(where, name, expected, "Add wordings that differ in more than a word", "FEW_WORDINGS")


def _same_wordings(domain: Domain, found: Found) -> None:
    seen: dict[str, str] = {}
    for tool in domain.tools:
        for name, several, _ in _groups(tool):
            for one in several:
                said = " ".join(one.text.lower().split())
                first = seen.setdefault(said, name)
                if first != name or [each.text for each in several].count(one.text) > 1:
                    expected = ("wordings that all differ", f"{one.text!r}, which asks for {first} too" if first != name else f"{one.text!r} twice")
                    found.warning(one.where, name, expected, "Word one of them differently, so that it is plain what is asked for", "SAME_WORDING")


def _names(domain: Domain, found: Found) -> None:
    named = {name for tool in domain.tools for one in tool.params for name in (one.type.item or one.type).entities}
    for entity in domain.entities:
        if entity.called is None and entity.name in named and not entity.single:
            expected = ("`called:`, how a person refers to a row", "none")
            found.advice(
                entity.where, f"entities.{entity.name}", expected, 'Write it with fields that tell rows apart, called: "{name}"', "NO_CALLED"
            )
        if not entity.description and len(domain.entities) >= _MANY:
            expected = ("one sentence on what it is", "none")
            found.advice(entity.where, f"entities.{entity.name}", expected, "Write `about:`; agents read it", "NO_ABOUT")
    for tool in domain.tools:
        for param in tool.params:
            if tool.kind == "declared" and not param.description:
                fix = f"Write a line `{param.name}: …` into the docstring, or `about:` on the field or entity that types it"
                found.advice(param.where, f"tools.{tool.name}", (f"a description of {param.name}", "none"), fix, "NO_DESCRIPTION")


def _rules(domain: Domain, found: Found) -> None:
    for tool in domain.tools:
        for one in rules(tool.body):
            if not one.enforced and not one.evidence:
                expected = ("rows that show that the policy is broken", f"{one.code} without evidence")
                fix = "Test a field of a row, or write evidence=; without it no task asks for a decline by this policy"
                found.advice(one.where, f"tools.{tool.name}", expected, fix, "RULE_WITHOUT_EVIDENCE")


def _whole(reading: Reading, domain: Domain, found: Found) -> None:
    writes = [one for one in domain.tools if not one.read_only]
    every = [one for tool in domain.tools for one in rules(tool.body)]
    start = reading.where()
    if not writes:
        fix = "Add a tool that changes something; questions are all that can be asked now"
        found.warning(start, "tools", ("a tool that writes", "only tools that read"), fix, "NO_WRITES")
    elif all(one.enforced for one in every):
        expected = ("a policy(…) that a careful agent keeps by itself", "none")
        fix = "Add one to a tool that writes, so that reading the rules makes a difference"
        found.advice(start, "tools", expected, fix, "NO_POLICY")
    if writes and not domain.invariants and len(domain.entities) >= _MANY:
        fix = "Say in `invariants:` what must hold whatever happens; the build holds every tool to it"
        found.advice(start, "invariants", ("conditions that always hold", "none"), fix, "NO_INVARIANTS")
