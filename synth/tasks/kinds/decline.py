"""Tasks of kind `decline`: a request that a rule forbids, and the rows that show it."""

from collections.abc import Iterable
from dataclasses import replace

from registry.package.pack import Alternative, Declined, GoldCall, Reason
from synth.lang.domain import Tool
from synth.reference.interpret import reference
from synth.reference.state import Ref
from synth.reference.statements import Broken
from synth.tasks.draft import Draft
from synth.tasks.kinds.chain import described_rows, request
from synth.tasks.play import Play, Stuck
from synth.tasks.references.ask import Asked, ask, slots, wordings
from synth.tasks.solving.allow import lifting
from synth.tasks.solving.planner import hindered, plans
from synth.tasks.solving.reach import reach
from synth.tasks.workshop import Workshop

MOST_EVIDENCE = 4
TOOLS, PROPOSALS = 6, 15
"""How many tools are tried for one task, and with how many proposals each."""
OTHER_LEVELS = 3
"""After so many requests of a level that is not asked for it is another tool's turn."""
GIVEN_UP = 2
"""So many requests that one other fact does not make possible end the search among those of the same tool and rules."""
SEVERAL = 0.2
"""How often a request that breaks several rules is looked at."""


def make_decline(shop: Workshop, code: str = "") -> Draft | None:
    """A request whose operation breaks a rule that has evidence; None when this try fails.

    Args:
        code: Only accept requests that break this rule; empty for any.
    """
    for tool in shop.aimed(shop.writes("decline"))[:TOOLS]:
        wording = shop.rng.choice(wordings(tool))
        proposer = shop.proposer(shop.state)
        play, others = Play(shop.domain, shop.state), 0
        for _ in range(PROPOSALS):
            proposal = proposer.propose(tool, slots(wording))
            if proposal is None:
                break
            rules = reference(shop.domain).broken(shop.state, tool.name, proposal.arguments(), play.now())
            if not rules or (code and code not in {one.code for one in rules}) or not fit_to_cite(rules) or not _promising(shop, tool, rules):
                continue
            asked = ask(shop.view, wording, proposal, "s0", shop.rng, {})
            draft = None if asked is None else _finish(shop, asked, rules)
            if draft is None:
                continue
            if shop.off(draft):
                others += 1
                if others == OTHER_LEVELS:
                    break
                continue
            patch = lifting(shop, draft)
            if patch is None:
                shop.miss(tool, f"lift {sorted({one.code for one in rules})}")
                continue
            if hindered(shop.domain, shop.state, proposal):
                continue  # what is missing is forbidden by a rule of its own, which might be cited as well
            if not plans(shop.domain, shop.state, proposal):  # else a careful person would rather do what is missing first
                return replace(draft, likely=patch)
        shop.miss(tool, "decline")
    return None


def _promising(shop: Workshop, tool: Tool, rules: Iterable[Broken]) -> bool:
    """Whether one other fact may lift these rules: not where two say no for reasons of their own, or where it was tried in vain."""
    codes = {one.code for one in rules}
    own = {one.code for one in rules if not one.derived}
    if shop.missed.get((f"lift {sorted(codes)}", tool.name), 0) >= GIVEN_UP:
        return False
    return len(own) < 2 or shop.rng.random() < SEVERAL


def fit_to_cite(rules: Iterable[Broken]) -> bool:
    """Whether every broken rule has evidence, and little enough of it that a person would cite it."""
    return all(1 <= len(one.evidence) <= MOST_EVIDENCE for one in rules)


def _finish(shop: Workshop, asked: Asked, rules: Iterable[Broken]) -> Draft | None:
    words = request(shop, [asked])
    script = shop.script(shop.state, words)
    try:
        script.find_all(asked)
        arguments, sources = script.arguments(asked)
        refused = GoldCall(tool=asked.proposal.tool.name, arguments=arguments, sources=sources)
        found = tuple(script.play.calls)
        known = [Ref(one.entity, one.key) for _, several in asked.rows for one in several]
        for rule in rules:
            for key in rule.evidence:
                known += reach(script.play, known, key)
    except Stuck:
        return None
    path = tuple(dict.fromkeys(one.key for one in known))
    reasons = tuple(
        Reason(code=one.code, required=tuple(one.evidence), optional=tuple(key for key in path if key not in one.evidence)) for one in rules
    )
    return Draft(
        kind="decline",
        instruction=str(words),
        calls=tuple(script.play.calls),
        outcome="declined",
        accepted=(Alternative(changes=()),),
        tools=_tools(script.play.calls, asked.proposal.tool),
        declined=Declined(tool=asked.proposal.tool.name, arguments=asked.proposal.arguments(), reasons=reasons),
        rows=described_rows([asked]),
        operations=(asked.proposal,),
        other_calls=(*found, refused),
    )


def _tools(calls: Iterable[GoldCall], tool: Tool) -> tuple[str, ...]:
    return tuple(dict.fromkeys([*(call.tool for call in calls), tool.name]))
