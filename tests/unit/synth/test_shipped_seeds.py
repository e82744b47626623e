"""The seeds that come with envfarm: how rich they are, and that their data hold."""

import datetime as dt
from functools import cache

import pytest

from synth.data.boundaries import boundaries
from synth.data.counts import FEW
from synth.data.invariants import broken
from synth.data.rows import RowMaker
from synth.data.stream import world_stream
from synth.data.world import make_world
from synth.lang import nodes as n
from synth.reference.interpret import Reference
from synth.reference.state import Ref
from synth.seed.read import read_seed
from tests.calls import calls
from tests.seeds import ALL, every, path_of

PAST = (
    "charge_date", "created", "dispatch_date", "handed", "issued", "placed", "purchase_date", "report_date", "request_date", "return_date", "written"
)  # fmt: skip
RICH = tuple(name for name in ALL if name != "tool_library")


@cache
def domain(name):
    return read_seed(path_of(name))


@cache
def world(name, number=0):
    return make_world(domain(name), number)


def rules(found, *, enforced):
    bodies = [one.body for one in (*found.tools, *found.functions)]
    return [one for body in bodies for one in body if isinstance(one, n.Rule) and one.enforced is enforced]


@pytest.mark.parametrize("name", RICH)
def test_a_rich_seed_is_rich(name):
    found = domain(name)
    assert 20 <= len(found.tools) <= 36
    assert len(found.entities) >= 6
    assert len({one.code for one in rules(found, enforced=True)}) >= 8
    assert len({one.code for one in rules(found, enforced=False)}) >= 3
    assert len(found.invariants) >= 3
    assert len(world(name).rows) >= 300


@pytest.mark.parametrize("name", RICH)
def test_every_write_of_a_rich_seed_is_asked_for_in_three_wordings(name):
    for tool in domain(name).tools:
        if not tool.read_only:
            wordings = [group for _, group in tool.asked_fields] or [tool.asked]
            assert all(len(group) >= 3 for group in wordings), tool.name


def test_thirty_lines_are_enough_for_a_seed():
    assert len(path_of("tool_library").read_text().splitlines()) <= 30
    assert len(domain("tool_library").tools) >= 5


@pytest.mark.parametrize("name", every())
def test_every_world_keeps_the_invariants_and_has_other_rows(name):
    for number in (0, 1, 2):
        reference = Reference(domain(name))
        assert reference.invariants(reference.state(world(name, number).rows)) == []
    assert len({str(world(name, number).rows[:40]) for number in (0, 1, 2)}) == 3


@pytest.mark.parametrize("name", every())
def test_every_table_has_rows_and_every_state_of_a_lifecycle_occurs(name):
    for entity in domain(name).entities:
        rows = [row for table, row in world(name).rows if table == entity.name]
        assert rows, entity.name
        for field in entity.fields:
            if field.lifecycle is not None and len(rows) >= 30:
                assert {row[field.columns[0].name] for row in rows} == set(field.lifecycle.states), (entity.name, field.name)


@pytest.mark.parametrize("name", ALL)
def test_nothing_was_made_booked_or_reported_in_the_future(name):
    found = domain(name)
    for entity in found.entities:
        for field in entity.fields:
            past = field.type.kind in ("date", "datetime") and field.name.startswith(PAST)
            for table, row in world(name).rows if past else ():
                if table == entity.name and row[field.columns[0].name] is not None:
                    assert dt.datetime.fromisoformat(str(row[field.columns[0].name])) <= dt.datetime.fromisoformat(found.now), (entity.name, row)


@pytest.mark.parametrize("name", RICH)
def test_what_rows_are_called_is_nearly_always_distinct(name):
    reference = Reference(domain(name))
    state = reference.state(world(name).rows)
    run = reference.run(state, reference.now)
    for entity in domain(name).entities:
        if entity.called is None:
            continue
        called = [
            reference.expressions.called(run, ref)
            for ref in reference.expressions._rows(n.Rows(where=entity.where, type=n.Type(kind="list"), entity=entity.name))(run, {})
        ]
        assert len(set(called)) >= 0.97 * len(called), (entity.name, called[:5])


@pytest.mark.parametrize("scale", [50, 400])
@pytest.mark.parametrize("name", every())
def test_a_world_has_about_as_many_rows_as_were_asked_for(name, scale):
    found = domain(name)
    small = make_world(found, 0, scale)
    assert 0.8 * scale <= len(small.rows) <= 2 * scale
    reference = Reference(found)
    assert reference.invariants(reference.state(small.rows)) == []
    assert make_world(found, 0, scale).rows == small.rows


@pytest.mark.parametrize("name", every(RICH))
def test_a_world_of_four_times_the_rows_takes_nowhere_near_sixteen_times_the_work(name):
    found = domain(name)
    few, many = (calls(lambda scale=scale: make_world(found, 0, scale)) for scale in (300, 1200))
    assert many < 8 * few


@pytest.mark.parametrize("name", every(RICH))
def test_a_rich_world_grows_by_scale_and_keeps_its_invariants(name):
    found = domain(name)
    big = make_world(found, 0, 3000)
    assert 2000 < len(big.rows) < 4000
    maker = RowMaker(found, world_stream("check"))
    state = Reference(found).state(big.rows)
    maker.run.state = state
    assert broken(found, maker.statements, maker.run) == ()


@pytest.mark.parametrize("name", every(RICH))
def test_rows_stand_on_both_sides_of_every_boundary_of_a_rule(name):
    found = domain(name)
    maker, reference = RowMaker(found, world_stream("check")), Reference(domain(name))
    state = reference.state(world(name).rows)
    run = reference.run(state, reference.now)
    turning = boundaries(found, maker.expressions, maker.run)
    assert turning
    for one in turning:
        read = reference.expressions.fields.field(one.entity, one.field)
        other = reference.expressions.fields.field(one.entity, one.plus) if one.plus else None
        refs = [Ref(one.entity, key) for key in state.keys(one.entity)]
        sign = -1 if one.less else 1
        values = [sign * (read(run, ref) - other(run, ref)) if other else read(run, ref) for ref in refs]
        assert one.value in values, one
        highest = found.entity(one.entity).field(one.field).high
        assert any(value > one.value for value in values if value is not None) or getattr(highest, "value", None) == one.value, one
        assert min(value for value in values if value is not None) < one.value or one.value == 0, one


@pytest.mark.every_domain
@pytest.mark.parametrize("scale", [1, 7, 50, None])
@pytest.mark.parametrize("name", ALL)
def test_every_seed_has_a_world_however_small(name, scale):
    found = domain(name)
    for number in (0, 1, 2):
        made = make_world(found, number, scale)
        assert {table for table, _ in made.rows} >= {one.name for one in found.entities if one.single}
        reference = Reference(found)
        assert reference.invariants(reference.state(made.rows)) == []


def test_where_no_world_comes_of_three_rows_a_table_its_tables_are_left_larger():
    found = domain("cold_freight")
    worlds = [make_world(found, number, 50).rows for number in range(4)]
    fewest = {min(sum(table == one.name for table, _ in made) for one in found.entities) for made in worlds}
    assert max(fewest) > FEW  # in one of them at the least, no world came of tables that small
    assert all(len(made) <= 100 for made in worlds)
