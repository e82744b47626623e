"""A call that the rules allow, sought from one that they forbid: one argument after the other is exchanged."""

from collections.abc import Iterator
from typing import Any

from synth.lang.domain import Domain, Param
from synth.reference.arguments import Invalid
from synth.reference.interpret import reference
from synth.reference.state import Ref, State
from synth.tasks.remembered import remembered
from synth.tasks.rows.propose import Proposal, Proposer

SWEEPS = 2
MOST_ROWS = 40
VALUES = 5
ROUND = (30, 60, 5)
"""Numbers that are tried where those of other rows do not do."""


def allowed(domain: Domain, state: State, proposal: Proposal) -> bool:
    """Whether the call breaks no rule and can be made."""
    known, arguments, now = remembered(domain), proposal.arguments(), reference(domain).now
    if known.broken(state, proposal.tool.name, arguments, now, most=1):
        return False
    return known.predict(state, proposal.tool.name, arguments, now).kind == "ok"


def fitting(proposer: Proposer, proposal: Proposal) -> Proposal | None:
    """The call with other rows and values, so that it is allowed; None where exchanging one after the other does not lead there."""
    domain, state = proposer.view.domain, proposer.view.state
    least = _broken(domain, state, proposal)
    for _ in range(SWEEPS):
        before = proposal
        params = [param for param in proposal.tool.params if param.name in proposal.values]
        for param in proposer.rng.sample(params, len(params)):
            for value in _others(proposer, param):
                there = Proposal(tool=proposal.tool, values={**proposal.values, param.name: value})
                broken = _broken(domain, state, there, most=least)
                if not broken and allowed(domain, state, there):
                    return there
                if 0 < broken < least:
                    proposal, least = there, broken
        if proposal is before:
            return None
    return None


def _broken(domain: Domain, state: State, proposal: Proposal, most: int = 0) -> int:
    """How many rules the call breaks, counted until they are so many; more than there can be where a value is out of its limits."""
    try:
        return len(remembered(domain).broken(state, proposal.tool.name, proposal.arguments(), reference(domain).now, most))
    except Invalid:
        return MOST_ROWS


def _others(proposer: Proposer, param: Param) -> Iterator[Any]:
    if param.type.kind == "row":
        for entity in param.type.entities:
            yield from (Ref(entity, key) for key in proposer.rng.sample(proposer.view.keys(entity), MOST_ROWS))
    elif param.type.kind != "list":
        yield from (value for _ in range(VALUES) if (value := proposer.scalar(param)) is not None)
        yield from ROUND if param.type.kind == "integer" else ()
