from functools import cache
from pathlib import Path

from synth.data.world import make_world
from synth.lang.domain import Domain
from synth.reference.interpret import reference
from synth.seed.read import read_seed
from synth.tasks.chance import chance
from synth.tasks.draft import Draft, accepted_change
from synth.tasks.kinds.consult import make_consulting
from synth.tasks.kinds.planned import make_planned
from synth.tasks.level import level
from synth.tasks.play import Play, reads_only
from synth.tasks.solving.planner import determined, plans
from synth.tasks.solving.readings import read_answer
from synth.tasks.workshop import Workshop


@cache
def domain() -> Domain:
    return read_seed(Path("seeds/shared_offices.yaml"))


@cache
def shop() -> Workshop:
    machine = reference(domain())
    state, sibling = (machine.state(make_world(domain(), number).rows) for number in (7, 8))
    return Workshop(domain=domain(), state=state, sibling=sibling, rng=chance(domain().sha256, 3, "unsaid"))


@cache
def planned() -> tuple[Draft, ...]:
    found = [make_planned(shop()) for _ in range(8)]
    return tuple(one for one in found if one is not None)


def test_a_request_whose_call_is_refused_as_things_are_is_made_possible_by_steps_it_does_not_name() -> None:
    assert planned()
    for draft in planned():
        (goal,) = draft.operations
        found = plans(domain(), shop().state, goal)
        assert found
        assert determined(domain(), shop().state, goal, found) or len(found) > 1
        writes = [call.tool for call in draft.calls if not reads_only(domain(), call.tool)]
        assert writes[-1] == goal.tool.name
        assert len(writes) == 1 + draft.implied > 1
        assert not any(step.replace("_", " ") in draft.instruction for step in writes[:-1])
        assert level(domain(), draft) >= 3


def test_a_step_that_stays_unsaid_moves_a_row_of_the_request_on_for_good() -> None:
    for draft in planned():
        play, moved = Play(domain(), shop().state), set[str]()
        for call in draft.calls:
            before = play.state
            play.repeat(call)
            if not reads_only(domain(), call.tool) and len(moved) < draft.implied:
                changes = accepted_change(domain(), before, play.state).changes
                assert all(one.op == "update" for one in changes)
                moved |= {one.key for one in changes}
        assert moved & {one.key for one in draft.accepted[0].changes}


def test_a_question_for_a_reading_tool_is_answered_by_what_the_tool_works_out() -> None:
    made = [one for one in (make_consulting(shop()) for _ in range(6)) if one is not None]
    assert made
    for draft in made:
        assert draft.reading is not None
        assert draft.answer is not None
        tool = domain().tool(draft.calls[draft.reading.call].tool)
        assert (tool.kind, tool.read_only) == ("declared", True)
        play = Play(domain(), shop().state)
        for call in draft.calls:
            play.repeat(call)
        assert read_answer(domain(), play.results, draft.reading, draft.answer) == draft.answer
