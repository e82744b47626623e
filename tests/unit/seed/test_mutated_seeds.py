"""The clinic's seed with one mistake of each kind: refused with its place, reason and advice."""

from pathlib import Path

import pytest

from synth.seed.read import check_seed

TEXT = Path("seeds/vet_clinic.yaml").read_text(encoding="utf-8")

MUTANTS = [
    ("typo in a field", "a.starts_at, a.length, start", "a.starts_at, a.lenght, start", "UNKNOWN_FIELD"),
    ("typo in a parameter", "require(starts_at > now, IN_THE_PAST", "require(start_at > now, IN_THE_PAST", "UNKNOWN_NAME"),
    ("typo in a function", "on_the_clock(starts_at, length), OUT", "on_the_clok(starts_at, length), OUT", "UNKNOWN_FUNCTION"),
    ("typo in a type", "start: datetime, length: integer, but", "start: datetme, length: integer, but", "UNKNOWN_TYPE"),
    ("typo in an enum word", "pick(['none', 'basic', 'premium'], [6", "pick(['none', 'basc', 'premium'], [6", "UNKNOWN_WORD"),
    ("typo in a state", "a.status in ('booked', 'checked_in') and a != but", "a.status in ('booked', 'checkd_in') and a != but", "UNKNOWN_WORD"),
    ("typo in a key of YAML", "unique: true, about: Phone", "uniqe: true, about: Phone", "UNKNOWN_KEY"),
    ("typo in an entity", "ref: Pet, many: appointments", "ref: Pett, many: appointments", "UNKNOWN_ENTITY"),
    ("typo in a slot", '"{owner} has a new number, {phone},', '"{owner} has a new number, {phon},', "UNKNOWN_SLOT"),
    (
        "typo in a group of facts",
        "facts: [diet, medication, temper], about: What staff",
        "facts: [diet, medicaton, temper], about: What staff",
        "UNKNOWN_NAME",
    ),
    ("wrong type of a field", "credit: {type: money, start", "credit: {type: cash, start", "UNKNOWN_TYPE"),
    ("wrong type of an argument", "bill(appointment, appointment.fee / 2)", "bill(appointment, appointment.reason)", "WRONG_TYPE"),
    ("wrong type of an assignment", "prescription.stop_reason = reason", "prescription.packs = reason", "WRONG_TYPE"),
    ("wrong type of a comparison", "appointment.moved < 2, MOVED", "appointment.moved < NOTICE, MOVED", "WRONG_TYPE"),
    ("wrong type of a constant", 'value: "24 hours"', 'value: "a day or so"', "BAD_VALUE"),
    ("wrong type of data", "hourly_rate = money(100, 240)", "hourly_rate = person_name()", "WRONG_TYPE"),
    ("unknown field in create", "packs=packs, issued_on=today)", "packs=packs, isued_on=today)", "UNKNOWN_FIELD"),
    ("missing field in create", "packs=packs, issued_on=today)", "packs=packs)", "FIELD_NOT_SET"),
    ("missing field in data", "      hourly_rate = money(100, 240)\n", "", "FIELD_NOT_SET"),
    ("missing key of a field", "findings: {type: text, length", "findings: {length", "WRONG_SHAPE"),
    ("missing title", "title: Veterinary clinic front desk\n", "", "MISSING_KEY"),
    ("unreachable state", "cancelled: [], no_show: []}}", "cancelled: [], no_show: [], lost: []}}", "UNREACHABLE_STATE"),
    ("undeclared move", "checked_in: [done], done", "checked_in: [], done", "UNREACHABLE_STATE"),
    (
        "move that a rule makes impossible",
        "appointment.status == 'booked', NOT_EXPECTED",
        "appointment.status == 'cancelled', NOT_EXPECTED",
        "WRONG_MOVE",
    ),
    ("rule that contradicts another", "require(amount > 0, NOT_POSITIVE", "require(invoice.status == 'paid', NOT_POSITIVE", "CONTRADICTION"),
    ("limits that contradict", "require(amount > 0, NOT_POSITIVE", "require(amount < 0 and amount > 5, NOT_POSITIVE", "CONTRADICTION"),
    (
        "rule after an effect",
        "      invoice.status = 'written_off'\n",
        "      invoice.status = 'written_off'\n      require(invoice.paid > 0, UNPAID, \"It is paid.\")\n",
        "RULE_AFTER_EFFECT",
    ),
    ("missing wording of a tool", '  @asked("the patient for {appointment} has arrived, so please check them in",', "  @role(", "NO_WORDING"),
    (
        "missing wording of an update",
        "        email: [\"{owner}'s email address is now {email},",
        "        mail: [\"{owner}'s email address is now {email},",
        "NO_WORDING",
    ),
    ("wording that leaves an argument out", '"take a payment of {amount} for {invoice}"', '"take a payment for {invoice}"', "SILENT_ARGUMENT"),
    ("missing description", '      """Note that the patient of a booked appointment has arrived."""\n', "", "NO_DOCSTRING"),
    ("missing advice of a rule", '"A payment can be recorded only for an open invoice."', '"no"', "BAD_SENTENCE"),
    ("code in small letters", "NOT_ENOUGH_CREDIT", "not_enough_credit", "BAD_CODE"),
    (
        "unsafe expression",
        "late = appointment.starts_at",
        "late = __import__('os').system('true') == 0 and appointment.starts_at",
        "UNKNOWN_FUNCTION",
    ),
    ("unsafe attribute", 'says=f"{medicine.name} is not', 'says=f"{medicine.__class__} is not', "REFUSED"),
    ("cyclic reference", "owner: {ref: Owner, many: pets, each", "owner: {ref: Prescription, many: pets, each", "CYCLIC_REFERENCE"),
    ("cyclic data", "hourly_rate = money(100, 240)", "hourly_rate = money(60, 180 + len(Appointment))", "CYCLIC_REFERENCE"),
    ("recursion", "return within(start, length, OPEN, CLOSE) and", "return on_the_clock(start, length) and", "RECURSION"),
    ("value that may be None", "(a.cancel_reason is not None) for a", "(a.cancel_reason < 'cost') for a", "MAY_BE_NONE"),
    ("None where a value is needed", "invoice.paid += amount", "invoice.paid = None", "MAY_BE_NONE"),
    ("order of rows", "closed = [i for i in invoices", "closed = [i for i in sorted(invoices)", "ROW_ORDER"),
    ("local accumulator", "          i.paid = i.amount\n", "          due += i.amount\n          i.paid = i.amount\n", "ACCUMULATOR"),
    ("loop without end", "      for i in invoices:\n          i.paid", "      while due > 0:\n          i.paid", "REFUSED"),
    (
        "unbounded work",
        "for i in Invoice)\n\n  def paid",
        "for i in Invoice for j in Invoice for k in Invoice for l in Invoice)\n\n  def paid",
        "UNBOUNDED",
    ),
    ("division by zero", "vet.hourly_rate * length / 60", "vet.hourly_rate * length / moved", "DIVISION_BY_ZERO"),
    ("computed field written", "      appointment.moved += 1\n", "      appointment.fee = 1\n", "READ_ONLY"),
    ("reserved name", "      phone: {type: text", "      metadata: {type: text", "RESERVED_NAME"),
    ("name twice", "  def paid_in_full", "  def no_overpayment", "DUPLICATE_NAME"),
    ("shadowing", "      due = sum(", "      Owner = sum(", "SHADOWING"),
    ("syntax error", "return all(i.paid <= i.amount for i in Invoice)", "return all(i.paid <= for i in Invoice)", "SYNTAX"),
    ("YAML value of another kind", "derive:\n  search:", "derive:\n  serach:", "UNKNOWN_KEY"),
    ("same ids", 'id: "MED-{n:02}"', 'id: "PET-{n:02}"', "DUPLICATE_NAME"),
]


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda one: one[0])
def test_a_mutated_seed_is_refused_where_it_is_wrong(mutant):
    _, before, after, code = mutant
    assert TEXT.count(before) >= 1
    text = TEXT.replace(before, after, 1)
    domain, problems = check_seed(text.encode(), "clinic.yaml")
    assert domain is None
    found = [one for one in problems if one.code == code]
    assert found, [str(one) for one in problems]
    changed = TEXT[: TEXT.index(before)].count("\n") + 1
    lines = range(changed - 1, changed + max(before.count("\n"), after.count("\n"), 1) + 1)
    nearest = min(found, key=lambda one: abs(one.where.line - changed))
    elsewhere = (
        "FIELD_NOT_SET",
        "NO_WORDING",
        "UNBOUNDED",
        "NO_DOCSTRING",
        "CONTRADICTION",
        "WRONG_MOVE",
        "CYCLIC_REFERENCE",
        "MISSING_KEY",
        "UNREACHABLE_STATE",
        "RECURSION",
    )
    assert nearest.where.line in lines or code in elsewhere, nearest
    assert nearest.fix
    assert nearest.got


def test_at_least_forty_kinds_of_mistakes_are_tried():
    assert len({one[0] for one in MUTANTS}) >= 40


def test_ten_mistakes_are_reported_at_once():
    text = TEXT
    wanted = [MUTANTS[number] for number in (0, 1, 3, 5, 12, 8, 10, 14, 21, 32)]
    for _, before, after, _ in wanted:
        text = text.replace(before, after, 1)
    _, problems = check_seed(text.encode(), "clinic.yaml")
    assert {one[3] for one in wanted} <= {one.code for one in problems}
    assert len(problems) >= 10
    assert [(one.where.line, one.where.column) for one in problems] == sorted((one.where.line, one.where.column) for one in problems)


def test_a_syntax_error_in_one_function_does_not_hide_mistakes_in_others():
    text = TEXT.replace("return all(i.paid <= i.amount for i in Invoice)", "return all(i.paid <= for i in Invoice)", 1)
    text = text.replace("i.paid == i.amount for i in Invoice", "i.paid == i.amuont for i in Invoice", 1)
    _, problems = check_seed(text.encode(), "clinic.yaml")
    assert {one.code for one in problems} == {"SYNTAX", "UNKNOWN_FIELD"}
