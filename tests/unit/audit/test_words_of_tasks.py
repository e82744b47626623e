"""What an instruction must not tell, and when two of them are nearly the same."""

import pytest

from synth.audit.words import alike, tells

TASKS = [
    "Cancel Rex's check-up on Monday 2 March at 09:00 and give cost as the reason. If the rules do not allow this, decline.",
    "Put Ruth Moore on the basic plan. If the rules do not allow this, decline.",
    "What is the total credit of the owners whose plan is basic? If the rules do not allow this, decline.",
    "Register Ruth Moore's new dog Otis, born on 3 May 2020 and weighing 12 kg. If the rules do not allow this, decline.",
]


def test_other_rows_and_values_make_another_task_and_other_filling_words_do_not() -> None:
    assert alike(TASKS) == []
    again = "Hello, and good morning! Please cancel Rex's check-up on Monday 2 March at 09:00 and give cost as the reason. Many thanks, dear."
    again += " If the rules do not allow this, decline."
    assert alike([*TASKS, again]) == [(0, 4)]
    assert alike([*TASKS, TASKS[1].replace("Ruth Moore", "Ann Lee")]) == []
    assert alike([*TASKS, f"Register Otis. {TASKS[0]}"]) == [(0, 4)]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("Take 1,200.50 for it.", "1200.50"),
        ("At least 5 of them.", "5"),
        ("The new number is 501-555-0191.", "501-555-0191"),
        ("Say that it is booked.", "booked"),
        ("It goes out of stock.", "out_of_stock"),
    ],
)
def test_a_value_that_stands_in_the_text_is_told(text: str, value: str) -> None:
    assert tells(text, value)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("Take 12.50 for it.", "12"),
        ("On Monday 2 March at 09:00.", "9"),
        ("The number is 501-555-0191.", "555"),
        ("It was rebooked.", "booked"),
        ("Pack 24 pieces.", "2"),
    ],
)
def test_part_of_another_value_is_not(text: str, value: str) -> None:
    assert not tells(text, value)
