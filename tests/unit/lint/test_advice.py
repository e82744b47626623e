"""Warnings and advice on seeds that have no error: each kind at its place, none on the seeds that ship."""

from pathlib import Path

import pytest

from synth.lint.lint import lint_seed

ROOT = Path(__file__).resolve().parents[3]
CLINIC = (ROOT / "seeds/vet_clinic.yaml").read_text(encoding="utf-8")
LIBRARY = (ROOT / "seeds/tool_library.yaml").read_text(encoding="utf-8")

KINDS = [
    # what, level, code, the line to change, what to write, what the place shows
    ("an enum that nothing uses", "warning", "UNUSED_ENUM", "enums:\n", "enums:\n  Colour: [red, green]\n", "Colour:"),
    ("a constant that nothing uses", "warning", "UNUSED_CONSTANT", "constants:\n", 'constants:\n  NOON: {type: time, value: "12:00"}\n', "NOON:"),
    ("a type that nothing uses", "warning", "UNUSED_TYPE", "entities:\n", "types:\n  Place:\n    street: text\n\nentities:\n", "Place:"),
    ("a role that nothing uses", "warning", "UNUSED_ROLE", "entities:\n", "roles:\n  boss: Decides.\n\nentities:\n", "boss:"),
    ("facts that nothing uses", "warning", "UNUSED_FACTS", "facts:\n", "facts:\n  colour: [[red], [green]]\n", "colour:"),
    ("a glossary word for nothing", "warning", "UNKNOWN_WORD", "  Vet: [doctor]", "  Vett: [doctor]", "Vett:"),
    (
        "a function that nothing calls",
        "warning",
        "UNUSED_FUNCTION",
        "functions: |\n",
        "functions: |\n  def twice(a: integer):\n      return a * 2\n\n",
        "def twice",
    ),
    (
        "a parameter that nothing reads",
        "warning",
        "UNUSED_PARAMETER",
        "def check_in_appointment(appointment: Appointment):",
        "def check_in_appointment(appointment: Appointment, at: time = None):",
        "at: time",
    ),
    (
        "a name that nothing reads",
        "warning",
        "UNUSED_NAME",
        "      appointment.status = 'checked_in'\n",
        "      early = appointment.starts_at > now\n      appointment.status = 'checked_in'\n",
        "early =",
    ),
    ("a misspelt field in the data", "warning", "UNUSED_NAME", "      note = sentence(topic)", "      notes = sentence(topic)", "notes ="),
    (
        "a wording that asks for two things",
        "warning",
        "SAME_WORDING",
        '"check in {appointment}"',
        '"put {appointment} down as a no-show"',
        '"put {appointment} down as a no-show"',
    ),
    (
        "rows that nothing finds",
        "warning",
        "NOT_FINDABLE",
        "    Prescription: {by: [pet, medicine, status], sort: [-issued_on]}\n",
        "",
        "prescription: Prescription",
    ),
    ("two wordings", "advice", "FEW_WORDINGS", '"{appointment} was missed, so mark it as a no-show", ', "", '"nobody turned up'),
    (
        "a word that no row holds",
        "advice",
        "WORD_WITHOUT_ROW",
        "pick(['none', 'basic', 'premium'], [6, 3, 1])",
        "pick(['none', 'basic'], [6, 3])",
        "premium]",
    ),
    (
        "a word of weight zero",
        "advice",
        "WORD_WITHOUT_ROW",
        "pick(['none', 'basic', 'premium'], [6, 3, 1])",
        "pick(['none', 'basic', 'premium'], [6, 3, 0])",
        "premium]",
    ),
    (
        "a state without a row",
        "advice",
        "STATE_WITHOUT_ROW",
        "pick(['open', 'paid', 'written_off'], [4, 5, 1])",
        "pick(['open', 'paid'], [4, 5])",
        "status: {lifecycle: {open: [paid",
    ),
    ("a row without a name", "advice", "NO_CALLED", '    called: "Dr. {name}"\n', "", "Vet:"),
    ("an entity without a word on it", "advice", "NO_ABOUT", "    about: A vet who sees patients.\n", "", "Vet:"),
    (
        "a policy that no row shows",
        "advice",
        "RULE_WITHOUT_EVIDENCE",
        '"An appointment may be moved at most twice.")',
        '"An appointment may be moved at most twice.", evidence=())',
        "policy(appointment.moved",
    ),
]


def shown(text, problem):
    return text.split("\n")[problem.where.line - 1][problem.where.column - 1 :]


@pytest.mark.parametrize("kind", KINDS, ids=lambda one: one[0])
def test_advice_stands_where_the_seed_can_be_mended(kind):
    _, level, code, before, after, there = kind
    assert before in CLINIC
    text = CLINIC.replace(before, after, 1)
    linted = lint_seed(text.encode(), "clinic.yaml")
    assert linted.domain is not None, [str(one) for one in linted.problems]
    assert {(one.level, one.code) for one in linted.problems} == {(level, code)}, [str(one) for one in linted.problems]
    assert any(shown(text, one).startswith(there) for one in linted.problems), [shown(text, one) for one in linted.problems]
    assert all(one.fix and one.got and one.expected and one.field for one in linted.problems)


COUNT = 'tools: |\n  def count_items():\n      """Count the tools."""\n      return len(Item)\n'
WHOLE = [
    ("no tool that writes", "NO_WRITES", LIBRARY[: LIBRARY.index("  update:\n")] + COUNT),
    ("no policy", "NO_POLICY", "\n".join(one for one in LIBRARY.split("\n") if "policy(" not in one)),
    ("no invariants", "NO_INVARIANTS", CLINIC[: CLINIC.index("invariants: |")] + CLINIC[CLINIC.index("data: |") :]),
]


@pytest.mark.parametrize(("name", "code", "text"), WHOLE, ids=[one[0] for one in WHOLE])
def test_advice_on_the_whole_seed(name, code, text):
    assert code in {one.code for one in lint_seed(text.encode(), "whole.yaml").problems}


def test_a_state_that_nobody_sees():
    text = (ROOT / "seeds/equipment_rental.yaml").read_text(encoding="utf-8")
    hidden = text.replace("many: deposits, part: true, ", "many: deposits, ", 1)
    found = lint_seed(hidden.encode(), "rental.yaml").problems
    assert [(one.code, one.got) for one in found] == [("UNREAD_STATE", "'refunded', for which none does")]


@pytest.mark.parametrize("path", sorted((ROOT / "seeds").glob("*.yaml")), ids=lambda one: one.stem)
def test_a_seed_that_ships_gives_no_cause_for_advice(path):
    linted = lint_seed(path.read_bytes(), path.name)
    assert linted.domain is not None
    assert [str(one) for one in linted.problems] == []


def test_a_seed_with_an_error_gets_no_advice():
    text = CLINIC.replace('"{appointment} was missed, so mark it as a no-show", ', "").replace(
        "appointment.status = 'no_show'", "appointment.status = 'noshow'"
    )
    assert {one.level for one in lint_seed(text.encode(), "clinic.yaml").problems} == {"error"}


def test_every_kind_of_advice_stands_on_the_page():
    page = (ROOT / "docs/seed-language.md").read_text(encoding="utf-8")
    sources = "\n".join(one.read_text(encoding="utf-8") for one in sorted((ROOT / "synth/lint").glob("*.py")))
    tried = {one[2] for one in KINDS} | {one[1] for one in WHOLE} | {"UNREAD_STATE", "UNUSED_ENTITY", "NO_DESCRIPTION"}
    said = set(page.replace("`", " ").split())
    assert tried <= said, tried - said
    assert all(f'"{code}"' in sources for code in tried)
