"""Worlds made from a domain."""

import datetime as dt
import itertools

import pytest

from synth.data.renumber import renumber
from synth.data.stream import world_stream
from synth.data.world import make_world
from synth.errors import WorldError
from synth.lang import nodes as n
from synth.lang.types import DATE, DATETIME, DURATION, INTEGER, TEXT
from tests.unit.data import small_domain as d


def rows(world, table):
    return [row for name, row in world.rows if name == table]


def test_the_same_seed_and_number_give_the_same_rows_and_another_number_others():
    domain = d.shop(makers=(d.ORDER_MAKER,))
    assert make_world(domain, 1) == make_world(domain, 1)
    assert rows(make_world(domain, 1), "Customer") != rows(make_world(domain, 2), "Customer")
    assert rows(make_world(domain, 1), "Customer") != rows(make_world(d.shop(makers=(d.ORDER_MAKER,), sha256="1"), 1), "Customer")


def test_rows_stand_by_table_then_id_and_every_reference_points_at_a_row():
    world = make_world(d.shop())
    assert [name for name, _ in itertools.groupby(name for name, _ in world.rows)] == ["Customer", "Order", "Line"]
    for table in ("Customer", "Order", "Line"):
        ids = [row["id"] for row in rows(world, table)]
        assert ids == sorted(set(ids))
    customers = {row["id"] for row in rows(world, "Customer")}
    assert {row["customer_id"] for row in rows(world, "Order")} <= customers


def test_counts_follow_rows_and_each():
    world = make_world(d.shop())
    assert len(rows(world, "Customer")) == 30
    for one in rows(world, "Customer"):
        assert 1 <= sum(row["customer_id"] == one["id"] for row in rows(world, "Order")) <= 3


def test_ids_of_parts_count_within_their_owner():
    world = make_world(d.shop())
    for one in rows(world, "Order"):
        assert [row["id"] for row in rows(world, "Line") if row["order_id"] == one["id"]] in (
            [f"{one['id']}-1"],
            [f"{one['id']}-1", f"{one['id']}-2"],
        )


def test_unique_fields_and_what_rows_are_called_are_distinct():
    world = make_world(d.shop(entities=(d.customer(rows=400),)))
    for column in ("name", "email", "phone"):
        values = [row[column] for row in rows(world, "Customer")]
        assert len(set(values)) == len(values) == 400


def test_defaults_agree_with_each_other_and_computed_fields_hold():
    world = make_world(d.shop())
    for row in rows(world, "Customer"):
        assert row["name"].split()[-1].lower().replace("-", "") in row["email"].replace("-", "")
    for row in rows(world, "Order"):
        assert row["total"] == row["quantity"] * 500
        assert row["status"] in ("open", "paid")


def test_ids_follow_the_time_at_which_rows_came_into_being():
    world = make_world(d.shop(makers=(d.ORDER_MAKER,)))
    stamps = [row["ordered_at"] for row in rows(world, "Order")]
    assert stamps == sorted(stamps)


def test_later_bindings_see_earlier_ones():
    for row in rows(make_world(d.shop(makers=(d.ORDER_MAKER,))), "Order"):
        assert dt.date.fromisoformat(row["due"]) - dt.datetime.fromisoformat(row["ordered_at"]).date() == dt.timedelta(days=14)


def test_an_invariant_that_the_data_break_names_its_rows_and_its_sentence():
    with pytest.raises(
        WorldError, match=r"invariants\.not_too_many: expected rows for which it holds that 'No order is larger than allowed\.', got ORD-"
    ):
        make_world(d.shop(makers=(d.ORDER_MAKER,), invariants=(d.at_most(5),)))


def test_there_are_rows_below_at_and_above_the_boundary_of_a_rule():
    late = d.compare(d.attr(d.ORDER, "quantity", INTEGER), "<", d.const(40, INTEGER))
    domain = d.shop(makers=(d.ORDER_MAKER,), tools=(d.tool("ship", d.rule(late, "TOO_MANY")),), edges=True)
    assert {39, 40, 41} <= {row["quantity"] for row in rows(make_world(domain), "Order")}


def test_a_boundary_on_the_clock_is_met_from_both_sides_on_rows_in_the_state_that_the_tool_asks_for():
    overdue = d.compare(d.given("today", DATE), ">", d.attr(d.ORDER, "due", DATE))
    is_open = d.compare(d.attr(d.ORDER, "status", d.STATUS), "==", d.const("open", d.STATUS))
    domain = d.shop(tools=(d.tool("remind", d.rule(is_open, "CLOSED"), d.rule(overdue, "NOT_DUE")),), edges=True)
    due = {row["due"] for row in rows(make_world(domain), "Order") if row["status"] == "open"}
    assert {"2026-03-01", "2026-03-02", "2026-03-03"} <= due


def test_a_boundary_of_a_difference_is_found():
    age = n.Binary(where=d.AT, type=DURATION, op="-", left=d.given("now", DATETIME), right=d.attr(d.ORDER, "ordered_at", DATETIME))
    domain = d.shop(makers=(d.ORDER_MAKER,), tools=(d.tool("send_back", d.rule(d.compare(age, "<=", d.days(30)), "TOO_LATE")),), edges=True)
    stamps = {row["ordered_at"] for row in rows(make_world(domain), "Order")}
    assert {"2026-01-31T07:59:00", "2026-01-31T08:00:00", "2026-01-31T08:01:00"} <= stamps


def test_rows_at_a_boundary_never_break_an_invariant():
    large = d.compare(d.attr(d.ORDER, "quantity", INTEGER), "<", d.const(40, INTEGER))
    tools = (d.tool("ship", d.rule(large, "TOO_MANY")),)
    world = make_world(d.shop(makers=(d.ORDER_MAKER,), tools=tools, invariants=(d.at_most(40),), edges=True))
    found = {row["quantity"] for row in rows(world, "Order")}
    assert {39, 40} <= found
    assert 41 not in found


def test_ids_do_not_tell_which_rows_stand_at_a_boundary():
    large = d.compare(d.attr(d.ORDER, "quantity", INTEGER), "<", d.const(40, INTEGER))
    domain = d.shop(makers=(d.ORDER_MAKER,), tools=(d.tool("ship", d.rule(large, "TOO_MANY")),), edges=True)
    places = []
    for number in range(12):
        orders = rows(make_world(domain, number), "Order")
        places += [at / len(orders) for at, row in enumerate(orders) if row["quantity"] >= 39]
    assert 0.25 < sum(places) / len(places) < 0.75


def test_scale_gives_about_so_many_rows():
    for scale in (60, 1000, 5000):
        assert 0.8 * scale < len(make_world(d.shop(edges=True), scale=scale).rows) < 1.2 * scale


def test_data_that_make_no_row_are_refused():
    nothing = d.bind("name", d.call("pick", TEXT, d.n.Display(where=d.AT, type=d.list_of(TEXT), items=())))
    maker = d.Maker(entity="Customer", where=d.AT, params=(), body=(nothing,))
    with pytest.raises(WorldError, match=r"data\.Customer: expected 30 rows, got none"):
        make_world(d.shop(makers=(maker,)))


def test_new_numbers_are_drawn_again_where_they_do_not_fit():
    domain = d.shop(makers=(d.ORDER_MAKER,))
    before = make_world(domain).rows
    _, plain = renumber(domain, before, world_stream("again"))
    first = min((new, old) for (table, old), new in plain.items() if table == "Customer")[1]
    _, fit = renumber(domain, before, world_stream("again"), lambda ids: ids["Customer"][first] == plain["Customer", first])
    assert fit["Customer", first] != plain["Customer", first]


def test_new_numbers_change_ids_and_nothing_else():
    domain = d.shop(makers=(d.ORDER_MAKER,))
    before = make_world(domain).rows
    after, ids = renumber(domain, before, world_stream("again"))
    assert after != before
    references = {"id": None, "customer_id": "Customer", "order_id": "Order"}
    moved = [
        (table, {name: ids[references[name] or table, value] if name in references else value for name, value in row.items()})
        for table, row in before
    ]
    order = {"Customer": 0, "Order": 1, "Line": 2}
    assert list(after) == sorted(moved, key=lambda line: (order[line[0]], line[1]["id"]))
