"""The rows that an episode holds against those of its database: after any writes, kept or undone, both say the same."""

import datetime as dt

import apsw
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from registry.episode.layout import make_layout
from registry.episode.rows import BATCH, EpisodeRows
from registry.errors import EpisodeCorrupt
from registry.package.meta import Meta
from registry.package.ordering import Order, OrderKey
from registry.template import build_template

SCHEMA = 'CREATE TABLE "Book" ("id" TEXT NOT NULL PRIMARY KEY, "shelf_id" TEXT NOT NULL, "pages" INTEGER, "state" TEXT NOT NULL) STRICT;'
COLUMNS = [
    {"name": "id", "kind": "text", "match": "exempt"},
    {"name": "shelf_id", "kind": "text", "match": "exact"},
    {"name": "pages", "kind": "integer", "match": "exact"},
    {"name": "state", "kind": "text", "match": "exact"},
]
META = {
    "now": "2026-03-02T08:00:00",
    "tables": [{"name": "Book", "plural": "books", "id_kind": "given", "columns": COLUMNS}],
    "tools": [],
}
NOW = dt.datetime.fromisoformat("2026-03-02T08:00:00")
SHELVES, STATES, PAGES = ("A", "B", "Å"), ("out", "in", "lost"), (None, 0, 7, 2**53)
KEYS = tuple(f"BOO-{letter}" for letter in ("a", "b", "é", "\U0001f4da", "￿"))
ORDERS = (
    None,
    Order([OrderKey(2, descending=False)]),
    Order([OrderKey(3, descending=True, ranks={"in": 0, "out": 1}), OrderKey(2, descending=True)]),
)
SQL = ('"id"', '"pages", "id"', 'CASE "state" WHEN \'in\' THEN 0 WHEN \'out\' THEN 1 END DESC, "pages" DESC, "id"')

values = st.fixed_dictionaries({"shelf_id": st.sampled_from(SHELVES), "pages": st.sampled_from(PAGES), "state": st.sampled_from(STATES)})
write = st.tuples(st.sampled_from(KEYS), st.one_of(st.none(), values))
call = st.tuples(st.lists(write, max_size=4), st.booleans())


def start_rows(count: int) -> list:
    return [("Book", {"id": key, "shelf_id": "A", "pages": number, "state": "in"}) for number, key in enumerate(KEYS[:count])]


def make(count: int, content: bytes = b"") -> tuple[EpisodeRows, apsw.Connection]:
    meta = Meta.model_validate(META)
    template = build_template(meta, SCHEMA, start_rows(count), "test")
    database = apsw.Connection(":memory:")
    database.deserialize("main", content or template.database)
    return EpisodeRows(lambda: database, make_layout(meta), template.tables, template.maxima), database


def put(rows: EpisodeRows, key: str, new: dict | None) -> None:
    there = rows.read("Book", key) is not None
    if new is None and there:
        rows.delete("Book", key)
    elif new is not None and there:
        rows.update("Book", key, {name: new[name] for name in ("state", "pages", "shelf_id")})
    elif new is not None:
        rows.insert("Book", key, new)


def seen(rows: EpisodeRows) -> list:
    lookups = [rows.having("Book", 1, shelf) for shelf in SHELVES] + [rows.having("Book", 2, pages) for pages in PAGES]
    return [list(one) for one in (*(rows.rows("Book", order) for order in ORDERS), *lookups)]


def stored(database: apsw.Connection) -> list:
    lists = [database.execute(f'SELECT * FROM "Book" ORDER BY {order}').fetchall() for order in SQL]
    lists += [database.execute('SELECT * FROM "Book" WHERE "shelf_id" = ? ORDER BY "id"', (shelf,)).fetchall() for shelf in SHELVES]
    return lists + [database.execute('SELECT * FROM "Book" WHERE "pages" IS ? ORDER BY "id"', (pages,)).fetchall() for pages in PAGES]


@settings(max_examples=40, deadline=None)
@given(st.integers(0, len(KEYS)), st.lists(call, max_size=8), st.booleans(), st.booleans())
def test_rows_lookups_and_orders_are_those_of_the_database(count, calls, early, looked_at):
    rows, database = make(count)
    for writes, kept in calls:
        if early:
            seen(rows)
        before = seen(rows)
        rows.begin(NOW)
        for key, new in writes:
            put(rows, key, new)
        if kept:
            rows.commit()
        else:
            rows.rollback()
            assert seen(rows) == before
        if looked_at:
            rows.flush()
            assert seen(rows) == stored(database)
    rows.flush()
    assert seen(rows) == stored(database)


@settings(max_examples=30, deadline=None)
@given(st.lists(call, min_size=1, max_size=4), st.lists(call, min_size=1, max_size=4))
def test_a_copy_of_the_rows_goes_its_own_way(first, second):
    rows, database = make(3)
    play(rows, first)
    rows.flush()
    other, its = make(3, database.serialize("main"))
    other.take(rows)
    before = seen(rows)
    assert seen(other) == before
    play(other, second)
    other.flush()
    assert seen(rows) == before == stored(database)
    assert seen(other) == stored(its)


def play(rows: EpisodeRows, calls: list) -> None:
    for writes, _ in calls:
        rows.begin(NOW)
        for key, new in writes:
            put(rows, key, new)
        rows.commit()


def test_of_calls_that_wait_the_database_takes_all_or_none():
    rows, database = make(2)
    start = stored(database)
    rows.begin(NOW)
    rows.delete("Book", KEYS[0])
    rows.commit()
    rows.begin(NOW)
    rows.insert("Book", KEYS[2], {"shelf_id": None, "pages": 1, "state": "in"})
    rows.commit()
    with pytest.raises(EpisodeCorrupt, match="the database refuses"):
        rows.flush()
    assert stored(database) == start


def test_a_batch_is_written_when_it_is_full():
    rows, database = make(1)
    for number in range(BATCH + 1):
        rows.begin(NOW)
        rows.update("Book", KEYS[0], {"pages": number})
        rows.commit()
    assert seen(rows) == stored(database)
