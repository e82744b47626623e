"""The text matcher on its fixed set of labelled pairs; false accepts and rejects are printed."""

import pytest

from registry.score.pairs import accepted, labelled
from registry.score.text import same_text


def published(name: str) -> tuple[int, int, int, int]:
    """Prints and gives (false accepts, wrong texts, false rejects, right texts)."""
    rows = [(pair.case["reference"], pair.text, pair.kind, accepted(pair)) for pair in labelled(name)]
    accepts = [row for row in rows if row[2] != "accept" and row[3]]
    rejects = [row for row in rows if row[2] == "accept" and not row[3]]
    wrong = sum(row[2] != "accept" for row in rows)
    print(f"{name}: {len(accepts)} false accepts of {wrong} wrong texts, {len(rejects)} false rejects of {len(rows) - wrong} right texts")
    for reference, text, kind, _ in accepts + rejects:
        print(f"  {'false accept' if kind != 'accept' else 'false reject'} ({kind}): {text!r} for {reference!r}")
    return len(accepts), wrong, len(rejects), len(rows) - wrong


def test_the_labelled_pairs_are_all_judged_right(capsys: pytest.CaptureFixture[str]) -> None:
    with capsys.disabled():
        print()
        accepts, wrong, rejects, right = published("text_pairs.yaml")
    assert wrong + right >= 100
    assert (accepts, rejects) == (0, 0)


def test_on_pairs_that_no_rule_was_made_for_nothing_wrong_is_accepted(capsys: pytest.CaptureFixture[str]) -> None:
    with capsys.disabled():
        print()
        accepts, _, rejects, right = published("text_pairs_held_out.yaml")
    assert accepts == 0
    assert rejects / right <= 0.15


def test_equal_texts_pass_and_case_spacing_dates_are_no_difference() -> None:
    assert same_text("  Bring   the passport.", "Bring the passport.").passed
    assert same_text("Due on 12 March 2026 at 9:00.", "due 2026-03-12 at 9 am").passed
    assert not same_text("Due on 12 March 2026 at 9:00.", "due 2026-03-12 at 9 pm").passed


def test_invisible_characters_and_lookalikes_of_form_change_nothing() -> None:
    assert same_text("Not sick.", "not\u200b sick").passed
    assert not same_text("Sick.", "n\u200bot sick").passed
    assert not same_text("Sick.", "isn\u2019t sick").passed
