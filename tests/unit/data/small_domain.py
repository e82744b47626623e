"""A domain put together by hand, so that worlds are tested without the reader of seeds."""

import datetime as dt

from synth.lang import nodes as n
from synth.lang.domain import Column, Domain, Entity, Enum, Field, Invariant, Lifecycle, Maker, Param, Tool
from synth.lang.types import BOOL, DATE, DATETIME, DURATION, INTEGER, MONEY, TEXT, Type, list_of, row

AT = n.Where(file="shop.yaml", line=1, column=1)
NOW = dt.datetime.fromisoformat("2026-03-02T08:00:00")
STATUS = Type(kind="enum", name="Order.status")


def field(name, of, **more):
    return Field(name=name, where=AT, type=of, columns=(Column(name=name, field=name, type=of),), **more)


def link(name, to, **more):
    column = Column(name=f"{name}_id", field=name, type=TEXT, references=(to,))
    return Field(name=name, where=AT, type=row(to), role="reference", columns=(column,), **more)


def attr(base, name, of, access="field"):
    return n.Attr(where=AT, type=of, base=base, name=name, access=access)


def local(name, of):
    return n.Local(where=AT, type=of, name=name)


def const(value, of=TEXT):
    return n.Const(where=AT, type=of, value=value)


def call(name, of, *args):
    return n.Call(where=AT, type=of, name=name, args=args)


def given(name, of):
    return n.Given(where=AT, type=of, name=name)


def compare(left, op, right):
    return n.Compare(where=AT, type=BOOL, left=left, rest=((op, right),))


def bind(name, value):
    return n.Bind(where=AT, name=name, value=value)


def rule(condition, code):
    return n.Rule(where=AT, condition=condition, code=code, sentence="A rule.", says=None, evidence=(), enforced=True)


ORDER = local("order", row("Order"))


def tool(name, *rules):
    param = Param(name="order", argument="order_id", where=AT, type=row("Order"), required=True)
    body = (*rules, n.Return(where=AT, value=ORDER))
    return Tool(name=name, where=AT, kind="declared", params=(param,), body=body, result=row("Order"), read_only=True, doc="")


def customer(**more):
    name = local("row", row("Customer"))
    return Entity(
        name="Customer",
        where=AT,
        plural="customers",
        id_pattern="CUS-{n:03}",
        called=attr(name, "name", TEXT),
        fields=(field("name", TEXT), field("email", TEXT, unique=True), field("phone", TEXT, unique=True), field("credit", MONEY)),
        **more,
    )


QUANTITY = attr(local("row", row("Order")), "quantity", INTEGER)
FIVE_EACH = n.Binary(where=AT, type=MONEY, op="*", left=QUANTITY, right=const(5, INTEGER))


def order(**more):
    fields = (
        link("customer", "Customer", many="orders", each=(1, 3)),
        field("quantity", INTEGER),
        field("ordered_at", DATETIME),
        field("due", DATE),
        field("total", MONEY, computed=FIVE_EACH),
        field("status", STATUS, lifecycle=Lifecycle(states=("open", "paid"), moves=(("open", "paid"),))),
        field("note", TEXT.or_none()),
    )
    return Entity(name="Order", where=AT, plural="orders", id_pattern="ORD-{n:04}", fields=fields, **more)


def line(**more):
    fields = (link("order", "Order", many="lines", part=True, each=(1, 2)), field("quantity", INTEGER))
    return Entity(name="Line", where=AT, plural="lines", id_pattern="{parent}-{n}", id_per="order", fields=fields, **more)


ALL_ORDERS = n.Rows(where=AT, type=list_of(row("Order")), entity="Order")


def at_most(quantity):
    """The invariant that no order has a larger quantity."""
    element = compare(attr(local("o", row("Order")), "quantity", INTEGER), "<=", const(quantity, INTEGER))
    every = n.Comprehension(
        where=AT, type=list_of(BOOL), element=element, key=None, clauses=(n.Clause(targets=("o",), source=ALL_ORDERS, conditions=()),)
    )
    return Invariant(name="not_too_many", where=AT, doc="No order is larger than allowed.", condition=call("all", BOOL, every))


def days(count):
    return call("days", DURATION, const(count, INTEGER))


def shop(*, entities=None, tools=(), invariants=(), makers=(), edges=False, sha256="0"):
    return Domain(
        id="shop", title="Shop", about="", now=NOW.isoformat(), sha256=sha256, source="", entities=entities or (customer(rows=30), order(), line()),
        enums=(Enum(name="Order.status", words=("open", "paid")),), structs=(), constants=(), functions=(), tools=tools, invariants=invariants,
        makers=makers, edges=edges,
    )  # fmt: skip


ORDER_MAKER = Maker(
    entity="Order",
    where=AT,
    params=("customer",),
    body=(
        bind("quantity", call("integer", INTEGER, const(1, INTEGER), const(9, INTEGER))),
        bind("ordered_at", call("datetime_between", DATETIME, n.Unary(where=AT, type=DURATION, op="-", operand=days(60)), given("now", DATETIME))),
        bind("due", n.Binary(where=AT, type=DATE, op="+", left=call("day", DATE, local("ordered_at", DATETIME)), right=days(14))),
    ),
)
