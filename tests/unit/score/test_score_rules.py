"""Every rule of the score, each with near misses that must fail."""

import json
from typing import Any

import pytest

from registry.package.change import RowChange
from registry.package.meta import ColumnMeta, Meta, TableMeta
from registry.package.pack import Alternative, Declined, Gold, Reason, TypedAnswer
from registry.score import ScoreReport, Submission, score


def column(name: str, kind: str = "text", match: str = "exact", **more: Any) -> ColumnMeta:
    return ColumnMeta.model_validate({"name": name, "kind": kind, "match": match, **more})


def table(name: str, *columns: ColumnMeta, id_kind: str = "counter") -> TableMeta:
    identity = column("id", match="exempt" if id_kind == "counter" else "exact")
    return TableMeta.model_validate({"name": name, "plural": name + "s", "id_kind": id_kind, "columns": (identity, *columns)})


META = Meta(
    now="2026-03-02T08:00:00",
    tables=(
        table(
            "Appointment",
            column("pet_id", "reference", references=("Pet",)),
            column("status", "enum"),
            column("cancel_reason", "enum", optional=True),
            column("moved", "integer", "exempt", history=True),
            column("created_at", "datetime", "exempt"),
            column("invoice_id", "reference", references=("Invoice",), optional=True),
        ),
        table("Invoice", column("appointment_id", "reference", references=("Appointment",)), column("amount", "money", places=2)),
        table("Line", column("invoice_id", "reference", references=("Invoice",)), column("item", "text"), column("note", "text", "text")),
        table("Pet", column("note", "text", "text", optional=True, facts=("diet",)), column("owner_id", "reference", references=("Owner",))),
        table("Tag", column("label"), id_kind="given"),
        table("Visit", column("seen_at", "datetime", "exempt")),
        table(
            "Pet_tags",
            column("pet_id", "reference", references=("Pet",)),
            column("target_id", "reference", references=("Tag",)),
            id_kind="key",
        ),
    ),
    tools=(),
    facts={"diet": (("soft food", "soft diet"), ("raw food", "raw diet"))},
)


def change(op: str, table_name: str, key: str, **values: Any) -> RowChange:
    """Updates give (from, to); inserts and deletes the one value they have."""
    columns = {}
    for name, value in values.items():
        before, after = value if op == "update" else (None, value) if op == "insert" else (value, None)
        columns[name] = {"from": before, "to": after, "class": "exact"}
    return RowChange.model_validate({"table": table_name, "op": op, "key": key, "values": columns})


def gold(*changes: RowChange, kind: str = "do", outcome: str = "done", **more: Any) -> Gold:
    accepted = more.pop("accepted", (Alternative(changes=changes),))
    base = {"task": "t1", "kind": kind, "level": 1, "calls": (), "outcome": outcome, "accepted": accepted}
    return Gold.model_validate({**base, **more})


def judge(gold_: Gold, *changes: RowChange, said: Submission | None = None) -> ScoreReport:
    return score(gold_, changes, said, META)


CANCEL = change("update", "Appointment", "APT-1", status=("booked", "cancelled"), cancel_reason=(None, "cost"))
DONE = Submission(outcome="done")


# --- classes of columns


def test_the_same_net_change_passes_with_all_checks() -> None:
    report = judge(gold(CANCEL), CANCEL)
    assert (report.verdict, report.reward, report.partial) == ("PASS", 1, 1.0)
    assert [(check.key, check.column) for check in report.checks if check.table] == [("APT-1", "cancel_reason"), ("APT-1", "status")]


def test_the_worked_example_of_the_contract_scores_one_half() -> None:
    wrong = change("update", "Appointment", "APT-1", status=("booked", "cancelled"), cancel_reason=(None, "other"))
    body = judge(gold(CANCEL), wrong).to_json()
    assert (body["verdict"], body["reward"], body["partial"], body["collateral"]) == ("FAIL", 0, 0.5, [])
    assert {"table": "Appointment", "key": "APT-1", "column": "cancel_reason", "class": "exact", "expected": "cost", "actual": "other"}.items() <= (
        body["checks"][0].items()
    )
    json.dumps(body)


def test_doing_nothing_earns_nothing() -> None:
    report = judge(gold(CANCEL))
    assert (report.verdict, report.partial) == ("FAIL", 0.0)
    assert [check.actual for check in report.checks if check.column == "status"] == ["booked"]


def test_exempt_columns_are_skipped_in_updates_and_inserts() -> None:
    run = change("update", "Appointment", "APT-1", status=("booked", "cancelled"), cancel_reason=(None, "cost"), moved=(0, 7))
    assert judge(gold(CANCEL), run).verdict == "PASS"
    new = {"pet_id": "PET-1", "status": "booked", "cancel_reason": None, "moved": 0, "invoice_id": None}
    wanted = change("insert", "Appointment", "$1", created_at="2026-03-02T08:00:01", **new)
    assert judge(gold(wanted), change("insert", "Appointment", "APT-9", created_at="2026-03-02T08:03:20", **new)).verdict == "PASS"


def test_a_row_changed_only_in_exempt_columns_is_unchanged() -> None:
    assert judge(gold(CANCEL), CANCEL, change("update", "Appointment", "APT-2", moved=(0, 1))).verdict == "PASS"
    assert judge(gold(CANCEL), CANCEL, change("update", "Appointment", "APT-2", moved=(0, 1), status=("booked", "done"))).verdict == "FAIL"


def test_match_classes_come_from_meta_not_from_the_change() -> None:
    lie = RowChange.model_validate(
        {"table": "Appointment", "op": "update", "key": "APT-2", "values": {"status": {"from": "booked", "to": "done", "class": "exempt"}}}
    )
    assert judge(gold(CANCEL), CANCEL, lie).verdict == "FAIL"


@pytest.mark.parametrize(
    ("written", "passes"),
    [
        ("Needs a soft diet.", True),
        ("soft food", True),
        ("raw food", False),
        ("No soft food.", False),
        ("soft food and raw food", False),
        (None, False),
    ],
)
def test_text_columns_must_mean_the_same(written: str | None, passes: bool) -> None:
    wanted = change("update", "Pet", "PET-1", note=(None, "Soft food."))
    facts = {"Pet.note": (("soft food", "soft diet"),)}
    assert (judge(gold(wanted, facts=facts), change("update", "Pet", "PET-1", note=("old", written))).verdict == "PASS") is passes


def test_facts_of_one_row_go_before_those_of_the_column() -> None:
    wanted = [change("update", "Pet", key, note=(None, "Soft food.")) for key in ("PET-1", "PET-2")]
    facts = {"Pet.note": (("soft food", "soft diet"),), "Pet.PET-2.note": (("raw food",),)}
    report = judge(gold(*wanted, facts=facts), *[change("update", "Pet", key, note=(None, "soft diet")) for key in ("PET-1", "PET-2")])
    assert [(check.key, check.passed) for check in report.checks if check.table] == [("PET-1", True), ("PET-2", False)]


def test_clearing_a_text_is_met_by_null_or_empty_only() -> None:
    wanted = gold(change("update", "Pet", "PET-1", note=("bites", None)))
    assert judge(wanted, change("update", "Pet", "PET-1", note=("bites", None))).verdict == "PASS"
    assert judge(wanted, change("update", "Pet", "PET-1", note=("bites", ""))).verdict == "PASS"
    assert judge(wanted, change("update", "Pet", "PET-1", note=("bites", "none"))).verdict == "FAIL"


# --- collateral


@pytest.mark.parametrize(
    "extra",
    [
        change("update", "Appointment", "APT-2", status=("booked", "cancelled")),
        change("insert", "Invoice", "INV-9", appointment_id="APT-1", amount=100),
        change("delete", "Pet", "PET-3", note=None, owner_id="OWN-1"),
        change("insert", "Visit", "VIS-1", seen_at="2026-03-02T08:00:00"),
    ],
)
def test_any_other_change_is_collateral_and_fails(extra: RowChange) -> None:
    report = judge(gold(CANCEL), CANCEL, extra)
    assert (report.verdict, report.reward) == ("FAIL", 0)
    assert [(one.table, one.key, one.op) for one in report.collateral] == [(extra.table, extra.key, extra.op)]
    assert report.partial == pytest.approx(2 / 3)


def test_another_column_of_the_same_row_is_collateral() -> None:
    run = change("update", "Appointment", "APT-1", status=("booked", "cancelled"), cancel_reason=(None, "cost"), pet_id=("PET-1", "PET-2"))
    report = judge(gold(CANCEL), run)
    assert report.verdict == "FAIL"
    assert [one.values for one in report.collateral] == [{"pet_id": "PET-2"}]


def test_deleting_a_row_that_should_change_fails_and_is_collateral() -> None:
    gone = change("delete", "Appointment", "APT-1", status="booked", cancel_reason=None, pet_id="PET-1")
    report = judge(gold(CANCEL), gone)
    assert (report.verdict, report.partial) == ("FAIL", 0.0)
    assert [one.op for one in report.collateral] == ["delete"]


def test_a_row_that_should_go_must_be_gone() -> None:
    gone = change("delete", "Pet", "PET-3", note="x", owner_id="OWN-1")
    assert judge(gold(gone), gone).verdict == "PASS"
    assert judge(gold(gone)).verdict == "FAIL"
    assert judge(gold(gone), change("update", "Pet", "PET-3", note=("x", None))).verdict == "FAIL"


# --- new rows, references


def invoice(key: str, appointment: str, amount: int) -> RowChange:
    return change("insert", "Invoice", key, appointment_id=appointment, amount=amount)


def line(key: str, parent: str, item: str, note: str = "") -> RowChange:
    return change("insert", "Line", key, invoice_id=parent, item=item, note=note)


def test_new_rows_are_matched_by_content_in_any_order() -> None:
    wanted = gold(invoice("$1", "APT-1", 100), invoice("$2", "APT-2", 200))
    assert judge(wanted, invoice("INV-7", "APT-2", 200), invoice("INV-8", "APT-1", 100)).verdict == "PASS"
    assert judge(wanted, invoice("INV-7", "APT-2", 100), invoice("INV-8", "APT-1", 200)).verdict == "FAIL"
    assert judge(wanted, invoice("INV-7", "APT-2", 200)).verdict == "FAIL"
    assert judge(wanted, invoice("INV-7", "APT-2", 200), invoice("INV-8", "APT-1", 100), invoice("INV-9", "APT-1", 100)).verdict == "FAIL"


def test_references_to_new_rows_follow_the_match() -> None:
    wanted = gold(invoice("$1", "APT-1", 100), invoice("$2", "APT-1", 100), line("$3", "$1", "visit"), line("$4", "$2", "x-ray"))
    parents = (invoice("INV-1", "APT-1", 100), invoice("INV-2", "APT-1", 100))
    assert judge(wanted, *parents, line("LIN-1", "INV-2", "visit"), line("LIN-2", "INV-1", "x-ray")).verdict == "PASS"
    both_on_one = judge(wanted, *parents, line("LIN-1", "INV-1", "visit"), line("LIN-2", "INV-1", "x-ray"))
    assert both_on_one.verdict == "FAIL"
    assert [check.column for check in both_on_one.checks if not check.passed] == ["invoice_id"]
    assert judge(wanted, *parents, line("LIN-1", "INV-2", "visit"), line("LIN-2", "INV-OLD", "x-ray")).verdict == "FAIL"


def test_twenty_equal_parents_are_told_apart_by_their_children_alone() -> None:
    def rows(names: dict[int, str], parent_of: dict[int, int]) -> list[RowChange]:
        parents = [invoice(names[n], "APT-1", 100) for n in range(20)]
        return parents + [line(names[100 + n], names[parent_of[n]], f"item {n // 2}") for n in range(20)]

    numbers = [*range(20), *range(100, 120)]
    wanted = gold(*rows({n: f"${n}" for n in numbers}, {n: n for n in range(20)}))
    good = rows({n: f"N-{977 - n}" for n in numbers}, {n: (7 * n) % 20 for n in range(20)})
    assert judge(wanted, *good).verdict == "PASS"
    bad = rows({n: f"N-{977 - n}" for n in numbers}, {n: 0 if n < 2 else (7 * n) % 20 for n in range(20)})
    assert judge(wanted, *bad).verdict == "FAIL"


def test_a_reference_must_not_point_at_a_new_row_where_gold_has_an_old_one() -> None:
    wanted = gold(invoice("$1", "APT-1", 100), line("$2", "INV-OLD", "visit"))
    assert judge(wanted, invoice("INV-5", "APT-1", 100), line("LIN-1", "INV-OLD", "visit")).verdict == "PASS"
    assert judge(wanted, invoice("INV-5", "APT-1", 100), line("LIN-1", "INV-5", "visit")).verdict == "FAIL"


def test_an_old_row_made_to_refer_to_a_new_one_must_refer_to_its_match() -> None:
    pointed = change("update", "Appointment", "APT-1", invoice_id=(None, "$2"))
    wanted = gold(invoice("$1", "APT-1", 100), invoice("$2", "APT-1", 100), line("$3", "$1", "visit"), pointed)
    rows = (invoice("INV-1", "APT-1", 100), invoice("INV-2", "APT-1", 100), line("LIN-1", "INV-2", "visit"))
    assert judge(wanted, *rows, change("update", "Appointment", "APT-1", invoice_id=(None, "INV-1"))).verdict == "PASS"
    assert judge(wanted, *rows, change("update", "Appointment", "APT-1", invoice_id=(None, "INV-2"))).verdict == "FAIL"


def test_text_decides_between_new_rows_of_equal_columns() -> None:
    wanted = gold(line("$1", "INV-0", "visit", "dog bites"), line("$2", "INV-0", "visit", "cat scratches"))
    assert judge(wanted, line("LIN-1", "INV-0", "visit", "the cat scratches"), line("LIN-2", "INV-0", "visit", "dog bites")).verdict == "PASS"
    assert judge(wanted, line("LIN-1", "INV-0", "visit", "dog bites"), line("LIN-2", "INV-0", "visit", "the dog bites")).verdict == "FAIL"


def test_given_ids_are_content() -> None:
    wanted = gold(change("insert", "Tag", "urgent", label="Urgent"))
    assert judge(wanted, change("insert", "Tag", "urgent", label="Urgent")).verdict == "PASS"
    report = judge(wanted, change("insert", "Tag", "hurry", label="Urgent"))
    assert (report.verdict, [one.key for one in report.collateral]) == ("FAIL", ["hurry"])


def test_links_between_new_rows_follow_the_match() -> None:
    wanted = gold(
        change("insert", "Pet", "$1", note=None, owner_id="OWN-1"), change("insert", "Pet_tags", "$1/urgent", pet_id="$1", target_id="urgent")
    )
    pet = change("insert", "Pet", "PET-9", note=None, owner_id="OWN-1")
    assert judge(wanted, pet, change("insert", "Pet_tags", "PET-9/urgent", pet_id="PET-9", target_id="urgent")).verdict == "PASS"
    assert judge(wanted, pet, change("insert", "Pet_tags", "PET-1/urgent", pet_id="PET-1", target_id="urgent")).verdict == "FAIL"


def test_a_new_row_of_exempt_columns_alone_still_has_to_exist() -> None:
    wanted = gold(change("insert", "Visit", "$1", seen_at="2026-03-02T08:00:00"))
    assert judge(wanted, change("insert", "Visit", "VIS-4", seen_at="2026-03-02T09:00:00")).verdict == "PASS"
    assert judge(wanted).verdict == "FAIL"


def test_the_nearest_new_row_is_reported_column_by_column() -> None:
    wanted = gold(invoice("$1", "APT-1", 100), invoice("$2", "APT-2", 200))
    report = judge(wanted, invoice("INV-8", "APT-2", 250), invoice("INV-9", "APT-1", 100))
    assert [(check.key, check.column, check.expected, check.actual) for check in report.checks if not check.passed] == [("INV-8", "amount", 200, 250)]
    assert report.partial == 0.75


# --- alternatives, outcomes


def test_the_best_accepted_alternative_is_reported() -> None:
    other = change("update", "Appointment", "APT-1", status=("booked", "no_show"))
    wanted = gold(accepted=(Alternative(changes=(CANCEL,)), Alternative(changes=(other,))))
    assert (judge(wanted, other).verdict, judge(wanted, other).alternative) == ("PASS", 1)
    assert (judge(wanted, CANCEL).verdict, judge(wanted, CANCEL).alternative) == ("PASS", 0)


def test_alternatives_are_whole_and_do_not_mix() -> None:
    other = change("update", "Appointment", "APT-1", status=("booked", "no_show"))
    wanted = gold(accepted=(Alternative(changes=(CANCEL,)), Alternative(changes=(other,))))
    mixed = change("update", "Appointment", "APT-1", status=("booked", "no_show"), cancel_reason=(None, "cost"))
    assert judge(wanted, mixed).verdict == "FAIL"


@pytest.mark.parametrize(
    ("said", "verdict"),
    [
        (None, "PASS"),
        (DONE, "PASS"),
        (Submission(outcome="declined", reason_code="X"), "FAIL"),
        (Submission(outcome="answered", answer="1"), "FAIL"),
    ],
)
def test_a_do_task_is_done_or_silent(said: Submission | None, verdict: str) -> None:
    report = judge(gold(CANCEL), CANCEL, said=said)
    assert report.verdict == verdict
    assert report.partial == (1.0 if verdict == "PASS" else pytest.approx(2 / 3))
    assert [one.why for one in report.checks if one.cls == "outcome"] == ["no submission is taken as done" if said is None else ""]


def test_partial_is_the_share_of_what_counts_or_is_broken_where_all_collateral_is_one_more() -> None:
    stray = [change("update", "Pet", key, note=("a", "b")) for key in ("PET-1", "PET-2")]
    report = judge(gold(CANCEL), CANCEL, *stray, said=DONE)
    counted = [one for one in report.checks if one.counts or not one.passed]

    assert len(report.collateral) == 2
    assert report.partial == pytest.approx(sum(one.passed for one in counted) / (len(counted) + 1))


ANSWER = TypedAnswer(kind="number", value="3")


@pytest.mark.parametrize(
    ("said", "verdict"),
    [
        (Submission(outcome="answered", answer="3"), "PASS"),
        (Submission(outcome="answered", answer="4"), "FAIL"),
        (Submission(outcome="done", answer="3"), "FAIL"),
        (Submission(outcome="declined", answer="3"), "FAIL"),
        (None, "FAIL"),
    ],
)
def test_an_answer_task_is_answered(said: Submission | None, verdict: str) -> None:
    for accepted in ((), (Alternative(changes=()),)):
        report = judge(gold(kind="answer", outcome="answered", answer=ANSWER, accepted=accepted), said=said)
        assert report.verdict == verdict
        assert report.answer is not None


def test_an_answer_with_a_change_on_the_side_fails() -> None:
    wanted = gold(kind="answer", outcome="answered", answer=ANSWER, accepted=())
    report = judge(wanted, CANCEL, said=Submission(outcome="answered", answer="3"))
    assert (report.verdict, report.partial) == ("FAIL", 0.5)


DECLINED = Declined(
    tool="cancel_appointment",
    arguments={"appointment_id": "APT-1"},
    reasons=(Reason(code="TOO_LATE", required=("APT-1",), optional=("PET-1",)), Reason(code="NOT_PAID", required=("INV-1", "INV-2"))),
)


@pytest.mark.parametrize(
    ("code", "evidence", "verdict"),
    [
        ("TOO_LATE", ("APT-1",), "PASS"),
        ("TOO_LATE", ("PET-1", "APT-1", "APT-1"), "PASS"),
        ("NOT_PAID", ("INV-2", "INV-1"), "PASS"),
        ("TOO_LATE", ("PET-1",), "FAIL"),
        ("TOO_LATE", ("APT-1", "APT-2"), "FAIL"),
        ("TOO_LATE", (), "FAIL"),
        ("NOT_PAID", ("INV-1",), "FAIL"),
        ("NOT_PAID", ("APT-1",), "FAIL"),
        ("OTHER", ("APT-1",), "FAIL"),
        (None, ("APT-1",), "FAIL"),
    ],
)
def test_a_decline_cites_a_broken_rule_with_its_evidence(code: str | None, evidence: tuple[str, ...], verdict: str) -> None:
    wanted = gold(kind="decline", outcome="declined", declined=DECLINED, accepted=())
    assert judge(wanted, said=Submission(outcome="declined", reason_code=code, evidence=evidence)).verdict == verdict
    assert judge(wanted, said=Submission(outcome="done", reason_code=code, evidence=evidence)).verdict == "FAIL"


def test_a_decline_leaves_everything_as_it_was() -> None:
    wanted = gold(kind="decline", outcome="declined", declined=DECLINED, accepted=())
    said = Submission(outcome="declined", reason_code="TOO_LATE", evidence=("APT-1",))
    assert judge(wanted, change("update", "Appointment", "APT-2", moved=(0, 1)), said=said).verdict == "PASS"
    assert judge(wanted, CANCEL, said=said).verdict == "FAIL"


# --- invalid


def test_a_broken_run_is_invalid_and_says_why() -> None:
    report = score(gold(CANCEL), (CANCEL,), DONE, META, broken="The episode met a defect.")
    assert (report.verdict, report.reward, report.reason) == ("INVALID", 0, "The episode met a defect.")


@pytest.mark.parametrize(
    "wanted",
    [
        gold(accepted=()),
        gold(),
        gold(change("update", "Appointment", "APT-1", moved=(0, 1))),
        gold(change("update", "Appointment", "APT-1", status=("booked", "booked"))),
        gold(accepted=(Alternative(changes=(CANCEL,)), Alternative(changes=()))),
        gold(kind="answer", outcome="answered", accepted=()),
        gold(kind="decline", outcome="declined", accepted=()),
        gold(kind="decline", outcome="declined", declined=Declined(tool="x", arguments={}, reasons=()), accepted=()),
        gold(line("$1", "$9", "visit")),
        gold(invoice("$1", "APT-1", 100), invoice("$1", "APT-1", 200)),
        gold(change("update", "Nothing", "X", y=(1, 2))),
        gold(kind="answer", outcome="answered", answer=TypedAnswer(kind="date", value="soon"), accepted=()),
    ],
)
def test_gold_with_nothing_to_check_or_in_error_is_invalid_never_a_pass(wanted: Gold) -> None:
    for said in (None, DONE, Submission(outcome="answered", answer="1"), Submission(outcome="declined", reason_code="X")):
        report = judge(wanted, CANCEL, said=said)
        assert (report.verdict, report.reward) == ("INVALID", 0)
        assert report.reason


def test_a_flooded_table_is_scored_in_bounded_work_and_still_finds_the_right_row() -> None:
    wanted = gold(*[line(f"${n}", "INV-0", f"item {n}", f"note number {n} about the dog") for n in range(10)])
    flood = [line(f"LIN-{n}", "INV-0", f"other {n}", "the cat scratches everybody") for n in range(5_000)]
    right = [line(f"LIN-R{n}", "INV-0", f"item {n}", f"note number {n} about a dog") for n in range(10)]
    report = judge(wanted, *flood, *right)
    assert report.verdict == "FAIL"
    assert len(report.collateral) == 5_000
    assert all(check.passed for check in report.checks)
