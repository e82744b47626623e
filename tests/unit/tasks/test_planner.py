from synth.reference.interpret import reference
from synth.reference.state import Ref
from synth.tasks.proving.density import density, usable_tools
from synth.tasks.rows.propose import Proposal
from synth.tasks.solving.planner import determined, plans
from tests.unit.tasks.clinic import domain, world


def finishing(status: str, *, today: bool) -> Proposal:
    rows = [row for row in world().rows("Appointment") if row["status"] == status and (str(row["starts_at"])[:10] == domain().now[:10]) == today]
    return Proposal(tool=domain().tool("finish_appointment"), values={"appointment": Ref("Appointment", str(rows[0]["id"])), "findings": "Calm."})


def test_a_step_without_a_free_value_that_makes_a_call_possible_is_found_and_determined() -> None:
    goal = finishing("booked", today=True)
    found = plans(domain(), world(), goal)
    assert [[step.tool.name for step in plan.steps] for plan in found] == [["check_in_appointment"]]
    assert determined(domain(), world(), goal, found)


def test_what_no_steps_make_possible_has_no_plan() -> None:
    assert plans(domain(), world(), finishing("booked", today=False)) == ()
    assert plans(domain(), world(), finishing("cancelled", today=False)) == ()


def test_what_is_allowed_needs_no_plan() -> None:
    assert plans(domain(), world(), finishing("checked_in", today=True)) == ()


def test_no_plan_means_none_that_is_undetermined_either() -> None:
    assert not determined(domain(), world(), finishing("cancelled", today=False), ())


def test_all_tools_can_be_used_in_a_full_world_and_none_that_needs_rows_in_an_empty_one() -> None:
    usable = usable_tools(domain(), world())
    assert len(usable) == len(domain().tools)
    assert density(domain(), usable) > density(domain(), usable[:10]) > 0
    empty = reference(domain()).state([])
    assert "cancel_appointment" not in usable_tools(domain(), empty)
    assert "search_owners" in usable_tools(domain(), empty)
