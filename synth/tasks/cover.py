"""What is tried so that a tool is used by some task, and why a tool cannot be."""

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from registry.package.pack import TaskKind
from synth.lang.domain import Domain, Tool
from synth.reference.interpret import reference
from synth.tasks.kinds.consult import can_be_consulted
from synth.tasks.play import Play
from synth.tasks.references.ask import slots, wordings
from synth.tasks.references.look import within_sight
from synth.tasks.workshop import Workshop

WRITING: tuple[TaskKind, ...] = ("do", "do-if-else", "multi-turn", "decline", "bulk")
ROUNDS = 4
"""So often each kind is tried with a tool that writes."""
QUESTIONS, MOST_CARRIERS = 3, 5
ASKED = 60
"""So many requests are thought of to say what the rules make of them."""


class Attempt(NamedTuple):
    """A kind of task that might use a tool: the tool that it is about, and one with which gold looks around."""

    kind: TaskKind
    focus: str
    looking: Tool | None = None


def attempts(shop: Workshop, tool: Tool) -> Iterator[Attempt]:
    """What may bring a task that uses the tool, the best first.

    A tool that reads is asked about if it can be; else gold of some other task looks with it at what belongs to the rows that it finds.
    """
    if tool.read_only:
        if tool.kind != "declared" or can_be_consulted(tool):
            yield from (Attempt("answer", tool.name) for _ in range(QUESTIONS))
        for carrier in _carriers(shop, tool):
            yield from (Attempt(kind, carrier.name, tool) for kind in ("do", "do-if-else", "decline"))
        return
    if not wordings(tool) and not tool.bulk:
        return
    kinds = [kind for kind in WRITING if (kind != "bulk" or tool.bulk) and (kind != "multi-turn" or _tells(tool))]
    for _ in range(ROUNDS):
        yield from (Attempt(kind, tool.name) for kind in kinds)


def _tells(tool: Tool) -> bool:
    return any(param.required and param.type.kind != "row" for param in tool.params) or tool.kind == "update"


def _carriers(shop: Workshop, tool: Tool) -> list[Tool]:
    """Tools that write and name rows about which the tool can be asked, the least used first."""
    found = []
    for one in shop.writes("carry"):
        entities = {name for param in one.params if param.required and param.type.kind == "row" for name in param.type.entities}
        if any(within_sight(shop.domain, tool, name) or tool.entity == name for name in entities):
            found.append(one)
    needed = {name for param in tool.params if param.required for name in param.type.entities}
    return sorted(found, key=lambda one: len(needed - _told_of(shop.domain, one)))[:MOST_CARRIERS]


def _told_of(domain: Domain, tool: Tool) -> set[str]:
    """Entities of the rows that a call of the tool names, and of those that they refer to."""
    found = {name for param in tool.params if param.required for name in param.type.entities}
    for _ in range(2):
        found |= {up for name in found for field in domain.entity(name).fields if field.role == "reference" for up in field.columns[0].references}
    return found


def because(shop: Workshop, tool: Tool, reasons: Mapping[str, int]) -> str:
    """Why no task uses the tool, in a few words.

    Args:
        reasons: Why tries with it came to nothing, with their numbers.
    """
    if not tool.read_only and not wordings(tool):
        return "no wording names all that it requires"
    tried = ", ".join(f"{reason} {number}" for reason, number in sorted(reasons.items(), key=lambda item: (-item[1], item[0])))
    if not tried:
        return "no kind of task that was asked for can use it"
    return f"{sum(reasons.values())} tries: {tried}" + ("" if tool.read_only else f"; {_rules(shop, tool)}")


def _rules(shop: Workshop, tool: Tool) -> str:
    """What the rules make of requests for the tool in this world."""
    codes: Counter[str] = Counter()
    play = Play(shop.domain, shop.state)
    for _ in range(ASKED):
        proposal = shop.proposer(shop.state).propose(tool, slots(shop.rng.choice(wordings(tool))))
        if proposal is None:
            codes["no values"] += 1
            continue
        broken = reference(shop.domain).broken(shop.state, tool.name, proposal.arguments(), play.now())
        codes[broken[0].code if broken else "allowed"] += 1
    said = ", ".join(f"{code} {number}" for code, number in sorted(codes.items(), key=lambda item: (-item[1], item[0])))
    return f"of {ASKED} requests in this world: {said}"
