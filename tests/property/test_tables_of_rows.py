"""Rows of an episode are found by their columns as a search through all of them would find them, whatever was written."""

from hypothesis import given
from hypothesis import strategies as st

from registry.episode.own_table import OwnTable
from registry.start_table import StartTable

KEYS = st.sampled_from([f"K-{number}" for number in range(8)])
ROWS = st.tuples(st.sampled_from(["a", "b", None]), st.integers(0, 2), st.sampled_from([0, 1]))
PLACES = st.sampled_from([(1,), (2, 1), (1, 3), (3, 2, 1)])


def searched(table, places, values):
    wanted = [value if len(places) > 1 else (value,) for value in values]
    return [row for _, row in sorted(table.rows.items()) if tuple(row[place] for place in places) in wanted]


def some_values(places, rows):
    found = [tuple(row[place] for place in places) for row in rows]
    return list(dict.fromkeys(one if len(places) > 1 else one[0] for one in found))


@given(st.dictionaries(KEYS, ROWS), st.lists(st.tuples(KEYS, st.none() | ROWS)), PLACES, st.lists(ROWS, min_size=1, max_size=3), st.integers(0, 9))
def test_rows_found_by_several_columns_are_those_of_a_search_before_and_after_writes(start, writes, places, asked, looked):
    values = some_values(places, [("", *one) for one in asked])
    first = StartTable((key, *row) for key, row in start.items())
    assert list(first.having(places, values)) == searched(first, places, values)
    own = OwnTable(first)
    for number, (key, row) in enumerate(writes):
        if number == looked:
            own.having(places, values)
        own.put(key, None if row is None else (key, *row))
    assert list(own.having(places, values)) == searched(own, places, values)
    assert list(own.copy().having(places, values)) == searched(own, places, values)
    assert list(first.having(places, values)) == searched(first, places, values), "the start is not written to"


@given(st.dictionaries(KEYS, ROWS), st.dictionaries(KEYS, st.none() | ROWS), PLACES, st.booleans())
def test_a_table_made_from_another_one_is_the_same_as_one_made_anew(start, changed, places, looked):
    first = StartTable((key, *row) for key, row in start.items())
    if looked:
        first.index(places)
    before = dict(first.index(places)), dict(first.rows)
    rows = {key: None if row is None else (key, *row) for key, row in changed.items()}
    other, anew = first.near(rows), StartTable(row for row in ({key: (key, *row) for key, row in start.items()} | rows).values() if row is not None)
    assert list(other.rows.items()) == list(anew.rows.items())
    assert dict(other.index(places)) == dict(anew.index(places))
    assert other.ordered(None) == anew.ordered(None)
    assert (dict(first.index(places)), dict(first.rows)) == before, "the start is not changed"
