"""The calls of a bulk task: one for each row that its search shows."""

from collections.abc import Sequence
from dataclasses import replace

from registry.package.pack import GoldCall
from registry.package.symbols import symbol
from synth.reference.state import Ref
from synth.tasks.draft import Draft, Gathered
from synth.tasks.references.lookup import result_source
from synth.tasks.rows.propose import Proposal


def write(gathered: Gathered, key: str) -> GoldCall:
    """The operation on one row of the set."""
    found = symbol(gathered.call, "items", {"id": key})
    argument = gathered.param.argument
    return GoldCall(
        tool=gathered.proposal.tool.name,
        arguments={**gathered.shared, argument: found},
        sources={**gathered.sources, argument: result_source(found)},
    )


def operations(gathered: Gathered, keys: Sequence[str]) -> tuple[Proposal, ...]:
    """One proposal for each row."""
    return tuple(replace(gathered.proposal, values={**gathered.proposal.values, gathered.param.name: Ref(gathered.entity, key)}) for key in keys)


def gather_again(draft: Draft, shown: Sequence[str]) -> Draft | None:
    """The draft with a call for each row of the set that the search shows in another state; as it was where it shows the same rows."""
    gathered = draft.gathered
    if gathered is None or len(shown) < 2:
        return None
    reads = tuple(call for call in draft.calls if call.tool != gathered.proposal.tool.name)
    writes = tuple(write(gathered, key) for key in shown)
    done = tuple(call for call in draft.calls if call.tool == gathered.proposal.tool.name)
    if {repr(one.arguments) for one in writes} == {repr(one.arguments) for one in done}:
        return draft
    return replace(draft, calls=(*reads, *writes), operations=operations(gathered, shown))
