import re
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

from synth.data.world import make_world
from synth.lang.domain import Domain
from synth.reference.interpret import reference
from synth.reference.state import Ref
from synth.seed.read import read_seed
from synth.tasks.draft import Draft, start_of
from synth.tasks.kinds.bulk import plurals
from synth.tasks.kinds.sets import members
from synth.tasks.level import level
from synth.tasks.make import Made, making
from synth.tasks.rows.view import View
from tests import made_once
from tests.seeds import ALL, every

NAMES = ("vet_clinic", "wholesale_orders", "equipment_rental")
COUNT = 4
"""Of tasks, twins among them: laws of start states leave few sets whose rows one fact may move."""


@cache
def domain_of(name: str) -> Domain:
    return read_seed(Path("seeds") / f"{name}.yaml")


@cache
def made(name: str) -> Made:
    domain = domain_of(name)
    machine = reference(domain)
    states = [machine.state(make_world(domain, number).rows) for number in (7, 8)]
    return making(domain, states[0], states[1], COUNT, 0, ("bulk",)).made()


def rows_of(draft: Draft) -> set[str]:
    assert draft.gathered is not None
    return {str(one.arguments()[draft.gathered.param.argument]) for one in draft.operations}


@pytest.mark.parametrize("name", every(NAMES))
def test_a_bulk_task_acts_on_every_row_that_its_query_fits_and_on_no_other(name: str) -> None:
    for draft in made(name).drafts:
        gathered = draft.gathered
        assert gathered is not None
        view = View(domain_of(name), start_of(made(name).state, draft.patch))
        assert rows_of(draft) == set(members(view, gathered.entity, gathered.wanted))
        assert len(rows_of(draft)) >= 2
        assert level(domain_of(name), draft) >= 2


@pytest.mark.parametrize("name", every(NAMES))
def test_each_fact_of_the_query_leaves_rows_out_and_on_one_of_them_the_operation_is_allowed(name: str) -> None:
    for draft in made(name).drafts[::2]:
        gathered = draft.gathered
        assert gathered is not None
        view = View(domain_of(name), made(name).state)
        inside = rows_of(draft)
        for wanted in gathered.wanted:
            rest = tuple(one for one in gathered.wanted if one != wanted)
            assert set(members(view, gathered.entity, rest)) > inside
        machine = reference(domain_of(name))
        for _, key in gathered.near:
            arguments = {**gathered.shared, gathered.param.argument: key}
            assert key not in inside
            assert machine.predict(made(name).state, gathered.proposal.tool.name, arguments, machine.now).kind == "ok"


@pytest.mark.parametrize("name", every(NAMES))
def test_the_twin_of_a_bulk_task_has_the_same_words_and_another_set(name: str) -> None:
    drafts = made(name).drafts
    assert len(drafts) == COUNT
    for one, twin in zip(drafts[::2], drafts[1::2], strict=True):
        assert one.instruction == twin.instruction
        assert rows_of(one) != rows_of(twin)


@pytest.mark.parametrize("name", ALL)
def test_every_seed_that_ships_has_a_tool_that_can_be_asked_for_on_several_rows(name: str) -> None:
    domain = made_once.domain_of(name)
    assert any(plurals(domain, tool) for tool in domain.tools)


def test_a_wording_for_several_rows_may_name_another_row_and_stands_for_the_one_in_the_plural() -> None:
    domain = made_once.domain_of("records_archive")
    found = {tool.name: [param.name for _, param in plurals(domain, tool)] for tool in domain.tools if tool.bulk}
    assert found == {"move_document": ["document"], "dispose_document": ["document"], "change_owner": ["document"]}
    moved, wording = domain.tool("move_document"), domain.tool("move_document").bulk[0]
    for text in ("move {documents}", "move {document} to {folder}", "move {documents} to {folders}"):
        assert plurals(domain, replace(moved, bulk=(replace(wording, text=text),))) == []


def test_a_row_that_all_rows_of_a_set_get_is_looked_up_first_and_given_to_each_call() -> None:
    domain = domain_of("records_archive")
    machine = reference(domain)
    states = [machine.state(make_world(domain, number).rows) for number in (7, 8)]
    drafts = making(domain, states[0], states[1], 2 * COUNT, 0, ("bulk",)).made().drafts
    assert drafts
    for draft in drafts:
        assert draft.gathered is not None
        others = [one for one in draft.gathered.proposal.tool.params if isinstance(draft.gathered.proposal.values.get(one.name), Ref)]
        for param in others:
            source = draft.gathered.sources[param.argument]
            assert source.kind == "result"
            assert source.call is not None
            assert source.call < draft.gathered.call
            writes = [call for call in draft.calls if call.tool == draft.gathered.proposal.tool.name]
            assert {call.arguments[param.argument] for call in writes} == {draft.gathered.shared[param.argument]}
        assert not re.search(r" all \S.* (?:whose|that|who) .* to the folder ", draft.instruction)
    assert any(isinstance(one, Ref) for draft in drafts if draft.gathered is not None for one in draft.gathered.proposal.values.values())
