"""Values that an agent may choose freely and that lead beyond what can be kept: refused, by the interpreter and by compiled code alike."""

import datetime as dt

import pytest

from registry.package import language
from synth.reference import functions

HERE = (language, functions)


@pytest.mark.parametrize("where", HERE, ids=["compiled", "interpreted"])
@pytest.mark.parametrize("months", [10**6, -(10**6), 12 * 7974, 10**15])
def test_a_month_beyond_the_calendar_is_too_far(where, months):
    with pytest.raises(OverflowError):
        where.add_months(dt.date(2026, 1, 31), months)


@pytest.mark.parametrize("where", HERE, ids=["compiled", "interpreted"])
def test_the_last_months_of_the_calendar_are_there(where):
    assert where.add_months(dt.date(9999, 11, 30), 1) == dt.date(9999, 12, 30)


@pytest.mark.parametrize("where", HERE, ids=["compiled", "interpreted"])
def test_more_steps_than_can_be_listed_are_too_many(where):
    assert len(where.steps(0, 10_000, 1)) == 10_000
    with pytest.raises(OverflowError):
        where.steps(0, 10_001, 1)


@pytest.mark.parametrize("where", HERE, ids=["compiled", "interpreted"])
@pytest.mark.parametrize("step", [0, -1])
def test_a_step_that_does_not_go_forward_is_refused(where, step):
    with pytest.raises(OverflowError):
        where.steps(0, 10, step)
