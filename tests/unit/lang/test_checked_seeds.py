"""What the checker makes of seeds that are right: types, None-safety, evidence, derived tools."""

from pathlib import Path

import pytest

from synth.lang.nodes import Apply, Attr, Comprehension, Create, Format, Local, Patch, Return, Rule
from synth.lang.walk import nodes, rules, shape
from synth.seed.read import check_seed, parse_seed, read_seed

DATA = Path(__file__).resolve().parents[2] / "data"
SMALL = (DATA / "small_seed.yaml").read_text(encoding="utf-8")
MARK = "      owner.credit = 0\n"


def body(*lines):
    """The small seed with other lines in its tool."""
    return SMALL.replace(MARK, "".join(f"      {line}\n" for line in lines), 1).encode()


def tool(*lines):
    return parse_seed(body(*lines), "small.yaml").tool("probe")


GOOD = [
    ["if friend is not None:", "    friend.credit = 1", "owner.credit = 0"],
    ["if friend is None:", "    owner.credit = 1", "else:", "    friend.credit = 1"],
    ["if not (friend is None):", "    friend.credit = 1", "owner.credit = 0"],
    ["if friend is not None and friend.credit > 0:", "    friend.credit = 1", "owner.credit = 0"],
    ["if friend is None or friend.credit > 0:", "    owner.credit = 1", "owner.credit = 0"],
    ["x = friend.name if friend is not None else owner.name", "owner.name = x"],
    ["x = [o.friend.name for o in Owner if o.friend is not None]", "owner.credit = len(x)"],
    ["x = [o.note for o in Owner if o.note is not None]", "owner.name = ', '.join(x)"],
    ['require(friend is not None, NO_FRIEND, "There must be a friend.")', "friend.credit = 1"],
    ['require(friend is None or friend.credit > 0, POOR, "A friend has some credit.")', "owner.credit = 1"],
    ['require(friend is None, FRIEND, "There is no friend.", says=f"{friend.name} is one.")', "owner.credit = 1"],
    ["best = max(owner.visits, key=lambda v: v.fee)", "owner.credit = best.fee if best is not None else 0"],
    ["one = first(v for v in owner.visits)", "if one is None:", "    one = create(Visit, owner=owner, starts_at=at)", "one.status = 'done'"],
    ["if friend == owner:", "    friend.credit = 1", "owner.credit = 0"],
    ["if friend in Owner:", "    friend.credit = 1", "owner.credit = 0"],
    ["if given(note) and note is not None:", "    owner.name = note", "owner.credit = 0"],
    ["patch(owner, note=note)"],
    [
        "who = visit.about",
        "if who is not None and isa(who, Owner):",
        "    who.credit = 1",
        "elif who is not None:",
        "    who.name = 'a'",
        "owner.credit = 0",
    ],
    ["owner.note = 'a'", "owner.name = owner.note"],
    ["owner.address = {'street': 'a', 'city': None}", "owner.extras = {'a': 1}"],
    ["owner.plan = 'basic' if number > 0 else 'none'", "visit.status = 'done'"],
    ["plan = 'basic' if number > 0 else 'none'", "owner.plan = plan"],
    ["for word in ['none', 'basic']:", "    owner.plan = word"],
    ["x = owner.plan >= 'basic' and owner.plan != 'premium'", "owner.credit = 1 if x else 0"],
    ["owner.credit = owner.credit / number if number != 0 else 0"],
    ["owner.credit = owner.credit / visit.minutes"],
    ["visits = owner.visits", "owner.credit = sum(v.fee for v in visits) / len(visits) if len(visits) > 0 else 0"],
    ["owner.credit = owner.credit * 3 // LIMIT * LIMIT"],
    ["made = [create(Visit, owner=owner, starts_at=t) for t in steps(at, at + hours(3), hours(1))]", "return made"],
    ["return {'owner': owner, 'visit': create(Visit, owner=owner, starts_at=at)}"],
    ["return create(Visit, owner=owner, starts_at=at)"],
    ["charge(owner, 1)", "return owner"],
    ["must_be_booked(visit)", "visit.status = 'done'"],
    ["settings.greeting = f'{owner} {at} {number} {friend}'"],
    ["x = sorted(Owner, key=lambda o: (o.plan, o.name), reverse=True)[:3]", "owner.credit = len(x)"],
    ["x = {o.id: o.credit for o in Owner}", "owner.credit = lookup(x, owner.id, 0)"],
    ["for a, b in zip(owner.visits, Owner):", "    b.credit = a.fee"],
    ["delete(visit)", "return owner"],
    ["owner.credit = owner.extras['a'] if owner.extras['a'] is not None else 0"],
    ["if owner.visits[0] is not None and owner.visits[0].fee > 1:", "    owner.credit = 1", "owner.credit = 0"],
    ["x = not owner.visits == []", "owner.credit = 1 if x else 0"],
]


@pytest.mark.parametrize("lines", GOOD, ids=lambda one: "; ".join(one)[:70])
def test_a_right_body_has_no_problem(lines):
    _, problems = check_seed(body(*lines), "small.yaml")
    assert [str(one) for one in problems] == []


def test_a_write_ends_what_was_known_about_a_field():
    lines = ["for o in Owner:", "    if o.note is not None:", "        o.name = o.note", "        o.note = None", "        o.name = o.note"]
    _, problems = check_seed(body(*lines), "small.yaml")
    assert [one.code for one in problems] == ["MAY_BE_NONE"]


def test_a_loop_forgets_what_its_own_body_writes():
    lines = [
        'require(owner.note is not None, NO_NOTE, "There must be a note.")',
        "for v in owner.visits:",
        "    owner.name = owner.note",
        "    owner.note = None",
    ]
    _, problems = check_seed(body(*lines), "small.yaml")
    assert [one.code for one in problems] == ["MAY_BE_NONE"]


def evidence(*lines):
    (first,) = [one for one in rules(tool(*lines).body) if isinstance(one, Rule)]
    return [shape(one) for one in first.evidence]


def test_evidence_is_the_row_whose_field_is_tested():
    assert evidence('require(owner.credit > 0, POOR, "An owner has credit.")', "owner.credit = 1") == [("Local", "owner")]


def test_evidence_goes_through_references_to_the_row_that_has_the_field():
    (found,) = evidence('require(visit.owner.credit > 0, POOR, "An owner has credit.")', "owner.credit = 1")
    assert found == ("Attr", ("Local", "visit"), "owner", "field")


def test_evidence_goes_through_bindings():
    assert evidence("rich = owner.credit > 0", 'require(rich, POOR, "An owner has credit.")', "owner.credit = 1") == [("Local", "owner")]


def test_evidence_goes_through_functions():
    assert evidence('require(late(visit), EARLY, "Only late visits are changed.")', "visit.status = 'done'") == [("Local", "visit")]


def test_evidence_of_a_filtered_list_is_its_members():
    found = evidence(
        "done = [v for v in owner.visits if v.status == 'done']", 'require(len(done) == 0, DONE, "No visit is done.")', "owner.credit = 1"
    )
    assert found == [("Local", "done")]


def test_evidence_of_all_is_the_members_that_fail():
    node = next(rules(tool('require(all(v.fee > 0 for v in owner.visits), FREE, "No visit is free.")', "owner.credit = 1").body)).evidence[0]
    assert isinstance(node, Comprehension)
    assert len(node.clauses[0].conditions) == 1
    assert shape(node.clauses[0].conditions[0])[:2] == ("Unary", "not")


def test_evidence_of_a_rule_about_no_row_is_empty():
    assert evidence('require(at > now, PAST, "Only the future can be booked.")', "owner.credit = 1") == []


def test_evidence_of_references_alone_is_empty():
    assert evidence('require(visit.owner == owner, OTHER, "Only own visits are changed.")', "owner.credit = 1") == []


def test_evidence_leaves_the_one_row_of_an_entity_out():
    assert evidence("require(settings.greeting == 'hi', RUDE, \"Only greetings are kind.\")", "owner.credit = 1") == []


def test_enum_words_take_the_type_of_their_place():
    made = tool("owner.plan = 'basic' if number > 0 else 'none'")
    kinds = {one.type.name for one in nodes(made.body[0]) if getattr(one, "value", None) in ("basic", "none")}
    assert kinds == {"Plan"}


def test_a_tool_without_effects_is_read_only():
    domain = read_seed(DATA / "whole_language.yaml")
    read_only = [one.name for one in domain.tools if one.read_only and one.kind == "declared"]
    assert read_only == ["report", "search_by_address"]


def test_a_function_with_effects_makes_its_caller_write():
    assert not tool("charge(owner, 1)").read_only


def test_derived_tools_have_bodies():
    domain = read_seed(DATA / "whole_language.yaml")
    assert isinstance(domain.tool("create_company").body[0].value, Create)
    assert isinstance(domain.tool("update_card").body[0], Patch)
    assert isinstance(domain.tool("get_person").body[0], Return)
    assert isinstance(domain.tool("get_person").body[0].value, Local)
    assert domain.tool("calculate").kind == "calculator"


def test_a_derived_search_filters_by_kind_of_field():
    search = read_seed(DATA / "whole_language.yaml").tool("search_products").search
    assert [(one.param, one.mode) for one in search.filters] == [
        ("name", "contains"),
        ("kind", "equal"),
        ("category", "equal"),
        ("price_from", "from"),
        ("price_to", "to"),
        ("tag", "has"),
        ("active", "equal"),
        ("size", "equal"),
    ]
    assert search.sort == ("-price", "name")


def test_columns_are_named_after_what_they_hold():
    person = read_seed(DATA / "whole_language.yaml").entity("Person")
    names = [column.name for field in person.fields for column in field.columns]
    assert names[:5] == ["name", "address_street", "address_city", "address_zone", "address_floor"]
    assert names[-1] == "archived"
    line = read_seed(DATA / "whole_language.yaml").entity("Line")
    assert [column.name for field in line.fields for column in field.columns] == ["order_id", "product_id", "quantity", "price"]


def test_parameters_take_limits_and_descriptions_from_their_field():
    due = read_seed(DATA / "whole_language.yaml").tool("add_line").params[2]
    assert due.of == ("Line", "quantity")
    assert due.description == "How many pieces."


def test_called_is_a_template_over_the_row():
    called = read_seed(DATA / "whole_language.yaml").entity("Card").called
    assert isinstance(called, Format)
    assert [type(one) for one in called.parts if isinstance(one, Attr)] == [Attr, Attr]


def test_a_role_becomes_a_rule():
    first = read_seed(DATA / "whole_language.yaml").tool("close_category").body[0]
    assert isinstance(first, Rule)
    assert (first.code, first.sentence, first.evidence) == ("FORBIDDEN", "Only a manager may do this.", ())


def test_calls_of_functions_have_all_arguments():
    domain = read_seed(DATA / "whole_language.yaml")
    calls = [one for each in domain.tools for statement in each.body for one in nodes(statement) if isinstance(one, Apply)]
    assert calls
    assert all(len(one.args) == len(domain.function(one.function).params) for one in calls)


def test_a_seed_has_at_most_thirty_six_tools():
    tools = "".join(f'  def probe_{number}(owner: Owner):\n      """Look."""\n      return owner\n\n' for number in range(34))
    _, problems = check_seed(SMALL.replace("tools: |\n", f"tools: |\n{tools}", 1).encode(), "small.yaml")
    assert [one.code for one in problems] == ["TOO_MANY_TOOLS"]
