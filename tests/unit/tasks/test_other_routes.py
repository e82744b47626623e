from functools import cache
from pathlib import Path

from synth.data.world import make_world
from synth.lang.domain import Domain
from synth.reference.interpret import reference
from synth.reference.state import Ref, State
from synth.seed.read import read_seed
from synth.tasks.draft import Draft, accepted_change
from synth.tasks.goal import Goal, goals_of, met
from synth.tasks.make import making
from synth.tasks.proving.others import NOTHING_ELSE, with_other_routes


@cache
def domain() -> Domain:
    return read_seed(Path("seeds/vet_clinic.yaml"))


@cache
def world(number: int = 7) -> State:
    return reference(domain()).state(make_world(domain(), number).rows)


@cache
def made() -> tuple[State, tuple[Draft, ...]]:
    tasks = making(domain(), world(), world(8), 12, 0, ("do", "multi-turn")).made()
    whole = [with_other_routes(domain(), tasks.state, draft) for draft in tasks.drafts]
    return tasks.state, tuple(draft for draft in whole if draft is not None)


def row(entity: str, **values: object) -> str:
    return next(str(one["id"]) for one in world().rows(entity) if values.items() <= one.items())


def test_what_the_values_of_a_call_are_put_into_is_wanted_and_its_consequences_are_not() -> None:
    key = row("Appointment", status="booked")
    goals = goals_of(domain(), world(), ("cancel_appointment", {"appointment_id": key, "reason": "cost"}))
    assert {(one.table, one.key) for one in goals} == {("Appointment", key)}
    assert [value for one in goals for value in one.values] == [("status", "cancelled"), ("cancel_reason", "cost")]
    invoice = row("Invoice", status="open", paid=0)
    (paid,) = goals_of(domain(), world(), ("record_payment", {"invoice_id": invoice, "amount": 5}))
    assert paid.values == (("paid", 500),)


def test_a_row_that_has_to_be_made_is_wanted_by_its_values_and_was_not_there() -> None:
    arguments = {"owner_id": row("Owner"), "name": "Rex", "species": "dog", "born": "2025-01-01", "weight": 4.5}
    goals = goals_of(domain(), world(), ("create_pet", arguments))
    assert [(one.table, one.key) for one in goals] == [("Pet", "")]
    end = reference(domain()).predict(world(), "create_pet", arguments, reference(domain()).now).state
    assert met(goals, world(), end)
    assert not met(goals, world(), world())
    assert not met((*goals, *goals), world(), end)


def test_gold_of_every_task_comes_to_what_is_wanted_and_doing_nothing_does_not() -> None:
    state, drafts = made()
    assert len(drafts) >= 10
    for draft in drafts:
        assert draft.goals
        assert not met(draft.goals, state, state)


def test_other_routes_come_to_the_same_with_another_change_and_a_rule_forbids_what_nobody_asked_for() -> None:
    state, drafts = made()
    machine, seen = reference(domain()), 0
    for draft in drafts:
        for route in draft.others:
            end = state
            for tool, arguments in route.calls:
                end = machine.predict(end, tool, arguments, machine.now).state
            assert met(draft.goals, state, end)
            assert accepted_change(domain(), state, end) != draft.accepted[0]
            assert (route.verdict == "accepted") == (not route.rule)
            seen += route.rule == NOTHING_ELSE and bool(route.where)
    assert seen > 0


def test_a_row_counts_as_gone_only_when_it_is_deleted_or_archived() -> None:
    key = row("Pet")
    wanted = (Goal(table="Pet", key=key, gone=True),)
    assert not met(wanted, world(), world())
    after = world().fork()
    after.delete("Pet", key)
    assert met(wanted, world(), after)
    assert Ref("Pet", key).key not in after.tables["Pet"]
