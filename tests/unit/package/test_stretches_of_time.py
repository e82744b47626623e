import datetime as dt

from hypothesis import given
from hypothesis import strategies as st

from registry.package.language import overlaps

START = dt.datetime(2026, 5, 4, 9)  # noqa: DTZ001 times of an environment have no zone
minutes = st.integers(-5, 5)


@given(minutes, minutes, minutes, minutes)
def test_stretches_overlap_when_each_begins_before_the_other_ends(first, length, second, other_length):
    one, other = START + dt.timedelta(minutes=first), START + dt.timedelta(minutes=second)
    ends, other_ends = one + dt.timedelta(minutes=length), other + dt.timedelta(minutes=other_length)
    assert overlaps(one, length, other, other_length) == (one < other_ends and other < ends)
