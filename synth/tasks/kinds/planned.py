"""Tasks of kind `do` whose operation is refused as things are: steps that the request leaves unsaid make it possible."""

from collections.abc import Iterator
from dataclasses import replace

from registry.package.change import RowChange
from registry.package.pack import Source
from registry.package.symbols import SymbolError
from synth.lang.domain import Tool
from synth.reference.state import Ref, State
from synth.tasks.draft import Draft, Script, accepted_change, done_draft
from synth.tasks.kinds.chain import described_rows, refs, request
from synth.tasks.play import Play, Stuck
from synth.tasks.references.ask import Asked, ask, slots, wordings
from synth.tasks.references.lookup import result_source
from synth.tasks.rows.propose import Proposal
from synth.tasks.solving.planner import Plan, ends, helpers, plans
from synth.tasks.solving.reach import reach
from synth.tasks.wording.style import CLOSING
from synth.tasks.workshop import Workshop

HINTS = (
    " If something else has to be done first for that, please do it too.",
    " Should another step be needed before that, please take it as well.",
    " Please do whatever has to be done first for that.",
)
TOOLS, TRIES = 4, 8
DRY, MOST_DRY = ("planned", ""), 4
MOST_ENDS = 4


def make_planned(shop: Workshop) -> Draft | None:
    """A request whose call needs one or two steps first, about which nothing is open; None when this try fails.

    Few domains have many such requests: after some tries in vain none is looked for any more.
    """
    if shop.missed.get(DRY, 0) >= MOST_DRY:
        return None
    for tool in shop.aimed(shop.writes("planned"))[:TOOLS]:
        for asked, plan in _requests(shop, tool):
            draft = _finish(shop, asked, plan)
            if draft is not None:
                return draft
        shop.miss(tool, "planned")
    shop.missed[DRY] = shop.missed.get(DRY, 0) + 1
    return None


def _requests(shop: Workshop, tool: Tool) -> Iterator[tuple[Asked, Plan]]:
    """Requests for calls of the tool that are refused as things are, with the steps that make them possible."""
    before = helpers(shop.domain, tool)
    if not before:
        return
    wording = shop.rng.choice(wordings(tool))
    for _ in range(TRIES):
        helper = shop.rng.choice(before)
        step = shop.proposer(shop.state).propose(helper, frozenset(one.name for one in helper.params if one.required))
        after = None if step is None else _done(shop, shop.state, step)
        if step is None or after is None:
            continue
        near = frozenset(one for ref in refs(step) for one in shop.kinship.of(ref.entity, ref.key))
        for _ in range(TRIES):
            proposal = shop.proposer(after).propose(tool, slots(wording), near)
            if proposal is None or _done(shop, after, proposal) is None or _done(shop, shop.state, proposal) is not None:
                continue
            if any(one.key not in shop.state.tables[one.entity] for one in refs(proposal)):
                continue
            if not _natural(shop, proposal, Plan(steps=(step,), state=after)):
                continue
            found = plans(shop.domain, shop.state, proposal)
            if found and all(_natural(shop, proposal, one) for one in found) and len(ends(shop.domain, shop.state, proposal, found)) <= MOST_ENDS:
                asked = ask(shop.view, wording, proposal, "s0", shop.rng, {})
                if asked is not None:
                    yield asked, found[0]
                break


def _done(shop: Workshop, state: State, call: Proposal) -> State | None:
    """The state after a call that is allowed, breaks no rule and changes something; None otherwise."""
    play = Play(shop.domain, state)
    arguments = call.arguments()
    prediction = play.try_call(call.tool.name, arguments)
    if not play.lawful(prediction, call.tool.name, arguments):
        return None
    return prediction.state if accepted_change(shop.domain, state, prediction.state).changes else None


def _natural(shop: Workshop, goal: Proposal, plan: Plan) -> bool:
    """Whether somebody who asks for the goal can mean the steps: each moves a row that the goal is about on in its lifecycle, for good.

    A step that puts an end to what others have or want (a loan, an application) would not be meant.
    """
    named = [(one.entity, one.key) for one in refs(goal)]
    about = {*named, *(up for one in named for up in shop.kinship.of(*one))}
    end = Play(shop.domain, plan.state).try_call(goal.tool.name, goal.arguments()).state
    state = shop.state
    for step in plan.steps:
        after = Play(shop.domain, state).try_call(step.tool.name, step.arguments()).state
        changes = accepted_change(shop.domain, state, after).changes
        moved = [one for one in changes if (one.table, one.key) in about and _moves_on(shop, one, end)]
        if not moved or (len(changes) > 1 and not any((one.table, one.key) in named and _further(shop, one, end) for one in moved)):
            return False
        state = after
    return True


def _moves_on(shop: Workshop, change: RowChange, end: State) -> bool:
    """Whether the row comes into another state of its lifecycle, for good, and keeps what it refers to."""
    row = end.row(change.table, change.key)
    fields = [one for one in shop.domain.entity(change.table).fields if any(column.name in change.values for column in one.columns)]
    moving = next((one.columns[0].name for one in fields if one.lifecycle), None)
    if change.op != "update" or row is None or moving is None or any(one.role == "reference" for one in fields):
        return False
    return row[moving] != shop.state.tables[change.table][change.key][moving]


def _further(shop: Workshop, change: RowChange, end: State) -> bool:
    """Whether what is asked for moves the row on from where the step has brought it."""
    row, entity = end.row(change.table, change.key), shop.domain.entity(change.table)
    columns = [one.columns[0].name for one in entity.fields if one.lifecycle and one.columns[0].name in change.values]
    return row is not None and all(row[name] != change.values[name].after for name in columns)


def _finish(shop: Workshop, asked: Asked, plan: Plan) -> Draft | None:
    words = request(shop, [asked]).stripped(CLOSING) + shop.rng.choice(HINTS) + CLOSING
    script = shop.script(shop.state, words)
    try:
        script.find_all(asked)
        known = [Ref(one.entity, one.key) for _, several in asked.rows for one in several]
        found = [(step, _found(script, step, known)) for step in plan.steps]
        for step, symbols in found:
            sources: dict[str, Source] = {name: result_source(one) for name, one in symbols.items()}
            script.play.call(step.tool.name, symbols, sources)
        script.perform(asked)
    except (Stuck, SymbolError):
        return None
    return replace(
        done_draft(script, "do", described_rows([asked]), (asked.proposal,)),
        implied=len(plan.steps),
    )


def _found(script: Script, step: Proposal, known: list[Ref]) -> dict[str, str]:
    """Symbols for the rows of a step, which reads from the known rows find."""
    symbols: dict[str, str] = {}
    for param in step.tool.params:
        row = step.values.get(param.name)
        if isinstance(row, Ref):
            known += reach(script.play, known, row.key)
            symbols[param.argument] = script.play.found[row.entity, row.key]
    return symbols
