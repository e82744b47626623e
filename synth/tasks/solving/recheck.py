"""What a task's calls give in a state: whether its gold still holds there, or what would be right instead."""

from dataclasses import replace

from registry.package.change import RowChange
from registry.package.pack import Declined, Reason
from registry.package.symbols import SymbolError
from synth.lang.domain import Domain
from synth.reference.interpret import reference
from synth.reference.state import State
from synth.tasks.draft import Draft, Gathered, accepted_change, start_of
from synth.tasks.play import Play, Stuck
from synth.tasks.references.refer import is_query
from synth.tasks.rows.view import View
from synth.tasks.solving.gather import gather_again
from synth.tasks.solving.readings import read_answer


def holds(domain: Domain, state: State, draft: Draft) -> bool:
    """Whether the gold of `draft`, played in `state`, is right there to the letter."""
    there = outcome_in(domain, state, draft)
    return there is not None and _same(there, draft)


def _same(there: Draft, draft: Draft) -> bool:
    """Whether the same is right to the letter."""
    return (_ordered_changes(there), there.answer, _grounds(there)) == (_ordered_changes(draft), draft.answer, _grounds(draft))


def _ordered_changes(draft: Draft) -> list[list[RowChange]]:
    """Net changes without their order, in which ids play a part; rows that are made keep theirs."""
    return [sorted(one.changes, key=lambda change: (change.table, change.key)) for one in draft.accepted]


def _grounds(draft: Draft) -> set[tuple[str, frozenset[str]]]:
    return set() if draft.declined is None else {(one.code, frozenset(one.required)) for one in draft.declined.reasons}


def outcome_in(domain: Domain, state: State, draft: Draft) -> Draft | None:
    """The same words and calls with what they lead to in `state`; None when the calls cannot be played there."""
    state = start_of(state, draft.patch)
    if any(is_query(one) and View(domain, state).meant(one.entity, one.leaves) is None for one in draft.rows):
        return None
    play = Play(domain, state, draft.held_back)
    if draft.gathered is not None:
        again = _gathered(play, draft, draft.gathered)
        if again is None:
            return None
        draft, play = again, Play(domain, state)
    try:
        for call in draft.calls:
            play.repeat(call, lawful=draft.declined is None)
    except (Stuck, SymbolError):
        return None
    if draft.reading is not None and draft.answer is not None:
        answer = read_answer(domain, play.results, draft.reading, draft.answer)
        return None if answer is None else replace(draft, answer=answer)
    if draft.declined is not None:
        declined = declined_in(domain, state, draft.declined)
        return None if declined is None else replace(draft, declined=declined)
    return replace(draft, accepted=(accepted_change(domain, state, play.state),))


def _gathered(play: Play, draft: Draft, gathered: Gathered) -> Draft | None:
    """The draft with the calls for the set as the search shows it in the state of `play`."""
    try:
        for call in draft.calls[: gathered.call + 1]:
            play.repeat(call)
    except (Stuck, SymbolError):
        return None
    shown = play.results[gathered.call]
    return gather_again(draft, [item["id"] for item in shown["items"]]) if shown["next_offset"] is None else None


def refreshed(domain: Domain, state: State, draft: Draft) -> Draft | None:
    """The draft as it is right in `state`: a count or sum may come out otherwise, all else must hold; None when it does not."""
    there = outcome_in(domain, state, draft)
    if there is None or (draft.reading is not None and draft.reading.what != "value"):
        return there
    return draft if _same(there, draft) else None


def same_outcome(one: Draft, other: Draft) -> bool:
    """Whether the same is right in both: as twins they would show nothing."""
    return (one.accepted, one.answer, one.declined) == (other.accepted, other.answer, other.declined)


def declined_in(domain: Domain, state: State, declined: Declined) -> Declined | None:
    """The grounds for the same refusal in `state`; None when nothing forbids the call there."""
    machine = reference(domain)
    rules = machine.broken(state, declined.tool, declined.arguments, machine.now)
    if not rules:
        return None
    optional = {key for reason in declined.reasons for key in (*reason.required, *reason.optional)}
    path = [key for key in _ordered(declined) if key in optional]
    reasons = tuple(
        Reason(code=one.code, required=tuple(one.evidence), optional=tuple(key for key in path if key not in one.evidence)) for one in rules
    )
    return declined.model_copy(update={"reasons": reasons})


def _ordered(declined: Declined) -> list[str]:
    first = declined.reasons[0]
    return list(dict.fromkeys([*first.optional, *first.required, *(key for one in declined.reasons for key in (*one.required, *one.optional))]))
