from fractions import Fraction
from pathlib import Path

import pytest

from synth.lang import nodes as n
from synth.lang.domain import Domain, Entity, Lifecycle, Param, Tool
from synth.lang.types import INTEGER, MONEY, TEXT, Type, list_of, row
from synth.reference.interpret import Reference
from synth.seed.read import read_seed
from tests.unit.data.small_domain import AT, NOW, STATUS, attr, compare, const, field, link, local


def rule(condition, code, sentence, evidence, *, enforced):
    return n.Rule(where=AT, condition=condition, code=code, sentence=sentence, says=None, evidence=evidence, enforced=enforced)


def shop(*tools):
    customer = Entity(
        name="Customer",
        where=AT,
        plural="customers",
        id_pattern="CUS-{n:02}",
        fields=(field("name", TEXT, unique=True), field("credit", MONEY, low=const(0, INTEGER))),
    )
    order = Entity(
        name="Order",
        where=AT,
        plural="orders",
        id_pattern="ORD-{n:03}",
        fields=(
            link("customer", "Customer", many="orders"),
            field("total", MONEY),
            field("status", STATUS, lifecycle=Lifecycle(states=("open", "paid"), moves=(("open", "paid"),))),
        ),
    )
    return Domain(
        id="shop", title="Shop", about="", now=NOW.isoformat(), sha256="", source="", entities=(customer, order), enums=(), structs=(),
        constants=(), functions=(), tools=tools, invariants=(), makers=(),
    )  # fmt: skip


ROWS = [
    ("Customer", {"id": "CUS-01", "name": "Ann", "credit": 1000}),
    ("Customer", {"id": "CUS-02", "name": "Bob", "credit": 5}),
    ("Order", {"id": "ORD-001", "customer_id": "CUS-01", "total": 999, "status": "open"}),
    ("Order", {"id": "ORD-002", "customer_id": "CUS-02", "total": 999, "status": "open"}),
]
ORDER = local("order", row("Order"))
OWNER = attr(ORDER, "customer", row("Customer"))


def pay():
    due = attr(ORDER, "total", MONEY)
    body = (
        rule(compare(attr(ORDER, "status", STATUS), "==", const("open", STATUS)), "NOT_OPEN", "Open ones only.", (ORDER,), enforced=True),
        rule(compare(due, "<", const(Fraction(5))), "DEAR", "Small ones only.", (ORDER, OWNER), enforced=False),
        n.Assign(where=AT, target=attr(OWNER, "credit", MONEY), op="-=", value=due),
        n.Assign(where=AT, target=attr(ORDER, "status", STATUS), op="=", value=const("paid", STATUS)),
        n.Return(where=AT, value=ORDER),
    )
    param = Param(name="order", argument="order_id", where=AT, type=row("Order"), required=True)
    return Tool(name="pay", where=AT, kind="declared", params=(param,), body=body, result=row("Order"), read_only=False, doc="")


def remove():
    customer = Param(name="customer", argument="customer_id", where=AT, type=row("Customer"), required=True)
    body = (n.Delete(where=AT, row=local("customer", row("Customer"))),)
    return Tool(name="remove", where=AT, kind="declared", params=(customer,), body=body, result=Type(kind="none"), read_only=False, doc="")


@pytest.fixture
def reference():
    return Reference(shop(pay(), remove()))


def test_a_call_that_breaks_no_rule_gives_the_new_row_and_its_net_change(reference):
    state = reference.state(ROWS)
    found = reference.predict(state, "pay", {"order_id": "ORD-001"}, NOW)
    assert found.result == {"id": "ORD-001", "customer_id": "CUS-01", "total": 9.99, "status": "paid"}
    changes = [(one.table, one.op, one.key, {name: (c.before, c.after) for name, c in one.values.items()}) for one in found.changes()]
    assert changes == [("Customer", "update", "CUS-01", {"credit": (1000, 1)}), ("Order", "update", "ORD-001", {"status": ("open", "paid")})]
    assert state.tables["Order"]["ORD-001"]["status"] == "open"


def test_the_first_broken_rule_refuses_with_its_evidence(reference):
    state = reference.predict(reference.state(ROWS), "pay", {"order_id": "ORD-001"}, NOW).state
    found = reference.predict(state, "pay", {"order_id": "ORD-001"}, NOW)
    assert (found.kind, found.code, found.evidence) == ("refused", "NOT_OPEN", ("ORD-001",))
    assert found.state is state


def test_a_limit_of_a_field_refuses_the_effect_that_breaks_it(reference):
    found = reference.predict(reference.state(ROWS), "pay", {"order_id": "ORD-002"}, NOW)
    assert (found.kind, found.code, found.evidence) == ("refused", "LIMIT", ("CUS-02",))
    assert found.text == "The credit of a customer must be at least 0.00."
    assert found.changes() == ()


def test_a_row_to_which_others_refer_is_not_deleted(reference):
    found = reference.predict(reference.state(ROWS), "remove", {"customer_id": "CUS-02"}, NOW)
    assert (found.kind, found.code, found.evidence) == ("refused", "IN_USE", ("ORD-002",))


@pytest.mark.parametrize("arguments", [{}, {"order_id": 3}, {"order_id": "ORD-1"}, {"order_id": "ORD-001", "x": 1}, 3, []])
def test_arguments_that_do_not_fit_are_invalid(reference, arguments):
    assert reference.predict(reference.state(ROWS), "pay", arguments, NOW).kind == "invalid"


def test_an_id_of_no_row_is_refused(reference):
    assert reference.predict(reference.state(ROWS), "pay", {"order_id": "ORD-999"}, NOW).code == "NOT_FOUND"


def test_all_broken_rules_and_derived_refusals_are_told(reference):
    state = reference.state(ROWS)
    paid = reference.predict(state, "pay", {"order_id": "ORD-001"}, NOW).state
    assert [(one.code, one.enforced) for one in reference.broken(paid, "pay", {"order_id": "ORD-001"}, NOW)] == [
        ("NOT_OPEN", True),
        ("DEAR", False),
        ("LIMIT", True),
        ("WRONG_STATE", True),
    ]
    assert [(one.code, one.derived) for one in reference.broken(state, "pay", {"order_id": "ORD-002"}, NOW)] == [("DEAR", False), ("LIMIT", True)]


def test_forks_do_not_see_each_other(reference):
    origin = reference.state(ROWS)
    assert origin.where("Order", "customer_id", "CUS-01") == ("ORD-001",)
    one, other = origin.fork(), origin.fork()
    one.insert("Order", {"id": "ORD-003", "customer_id": "CUS-01", "total": 1, "status": "open"})
    other.delete("Order", "ORD-001")
    assert [state.where("Order", "customer_id", "CUS-01") for state in (origin, one, other)] == [("ORD-001",), ("ORD-001", "ORD-003"), ()]
    assert [state.keys("Order") for state in (origin, one, other)] == [["ORD-001", "ORD-002"], ["ORD-001", "ORD-002", "ORD-003"], ["ORD-002"]]


def test_a_list_comprehension_keeps_key_order_and_stops_at_the_limit_of_steps(reference):
    orders = n.Rows(where=AT, type=list_of(row("Order")), entity="Order")
    each = n.Comprehension(
        where=AT,
        type=list_of(TEXT),
        element=attr(local("o", row("Order")), "id", TEXT, "id"),
        key=None,
        clauses=(n.Clause(targets=("o",), source=orders, conditions=()),),
    )
    run = reference.run(reference.state(ROWS), NOW)
    assert reference.expressions.code(each)(run, {}) == ["ORD-001", "ORD-002"]
    run.steps = 1
    with pytest.raises(Exception, match="too many steps"):
        reference.expressions.code(each)(run, {})


def test_rows_above_each_other_are_found_once():
    domain = read_seed(Path(__file__).parents[2] / "data/whole_language.yaml")
    machine = Reference(domain)
    columns = {name: None for field in domain.entity("Category").fields for name in (one.name for one in field.columns)}
    rows = [("Category", {**columns, "id": key, "name": key, "above_id": above}) for key, above in (("CAT-01", "CAT-02"), ("CAT-02", "CAT-01"))]
    found = machine.broken(machine.state(rows), "close_category", {"category_id": "CAT-01"}, NOW)
    assert "NOT_EMPTY" not in {one.code for one in found}
