"""Laws of the score over random net changes: what must hold whatever an environment looks like."""

import random
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from registry.package.change import RowChange
from registry.package.meta import ColumnMeta, Meta, TableMeta
from registry.package.pack import Alternative, Gold
from registry.score import score

WORDS = ("rex", "bella", "nils", "mona")


def _column(name: str, kind: str, match: str = "exact", *references: str) -> ColumnMeta:
    return ColumnMeta.model_validate({"name": name, "kind": kind, "match": match, "references": references})


def _table(name: str, *columns: ColumnMeta) -> TableMeta:
    return TableMeta(name=name, plural=name, id_kind="counter", columns=(_column("id", "text", "exempt"), *columns))


META = Meta(
    now="2026-03-02T08:00:00",
    tables=(
        _table("A", _column("n", "integer"), _column("at", "datetime", "exempt"), _column("up", "reference", "exact", "A", "B")),
        _table("B", _column("word", "text"), _column("note", "text", "text"), _column("a", "reference", "exact", "A")),
    ),
    tools=(),
)
COLUMNS = {"A": ("n", "at", "up"), "B": ("word", "note", "a")}


def _change(op: str, table: str, key: str, before: dict[str, Any], after: dict[str, Any]) -> RowChange:
    names = COLUMNS[table] if op != "update" else tuple(name for name in COLUMNS[table] if before[name] != after[name])
    values = {name: {"from": before.get(name), "to": after.get(name), "class": "exact"} for name in names}
    return RowChange.model_validate({"table": table, "op": op, "key": key, "values": values})


def _row(draw: Any, table: str, targets: list[str]) -> dict[str, Any]:
    reference = draw(st.sampled_from([None, "OLD-1", *targets]))
    if table == "A":
        return {"n": draw(st.integers(0, 2)), "at": draw(st.sampled_from(["t1", "t2"])), "up": reference}
    return {"word": draw(st.sampled_from(WORDS)), "note": draw(st.sampled_from(WORDS)), "a": reference}


@st.composite
def net_changes(draw: Any) -> tuple[RowChange, ...]:
    """New rows `$1`… that refer to each other, changed old rows, deleted old rows; at least one thing to check."""
    new = [(draw(st.sampled_from("AB")), f"${number}") for number in range(1, draw(st.integers(1, 6)) + 1)]
    targets = {"A": [key for _, key in new], "B": [key for table, key in new if table == "A"]}
    changes = [_change("insert", table, key, {}, _row(draw, table, targets[table])) for table, key in new]
    for number in range(draw(st.integers(0, 3))):
        table = draw(st.sampled_from("AB"))
        before, after = _row(draw, table, []), _row(draw, table, targets[table])
        if before != after:
            changes.append(_change("update", table, f"{table}-{number}", before, after))
    if draw(st.booleans()):
        changes.append(_change("delete", "A", "A-9", _row(draw, "A", []), {}))
    return tuple(sorted(changes, key=lambda change: (change.table, change.key)))


def renamed(changes: tuple[RowChange, ...], seed: int) -> tuple[RowChange, ...]:
    """The same changes as a run would make them: other ids for new rows, in another order, exempt columns otherwise."""
    rng = random.Random(seed)
    symbols = [change.key for change in changes if change.op == "insert"]
    numbers = rng.sample(range(100, 1000), len(symbols))
    ids = {symbol: f"NEW-{number}" for symbol, number in zip(symbols, numbers, strict=True)}
    made = []
    for change in changes:
        body = change.model_dump(mode="json", by_alias=True)
        body["key"] = ids.get(change.key, change.key)
        for name, value in body["values"].items():
            value["to"] = ids.get(value["to"], value["to"])
            if name == "at" and change.op == "insert":
                value["to"] = f"t{rng.randrange(9)}"
        made.append(RowChange.model_validate(body))
    rng.shuffle(made)
    return tuple(made)


def gold(changes: tuple[RowChange, ...]) -> Gold:
    return Gold(task="t", kind="do", level=1, calls=(), outcome="done", accepted=(Alternative(changes=changes),))


@settings(max_examples=150, deadline=None)
@given(net_changes(), st.integers(0, 1000))
def test_golds_own_changes_pass_whatever_the_new_ids_are(changes: tuple[RowChange, ...], seed: int) -> None:
    report = score(gold(changes), renamed(changes, seed), None, META)
    assert (report.verdict, report.partial) == ("PASS", 1.0), report


@settings(max_examples=150, deadline=None)
@given(net_changes(), st.integers(0, 1000), st.data())
def test_any_single_extra_change_fails(changes: tuple[RowChange, ...], seed: int, data: st.DataObject) -> None:
    extra = data.draw(
        st.sampled_from(
            [
                _change("insert", "A", "NEW-1", {}, {"n": 1, "at": "t", "up": None}),
                _change("insert", "B", "NEW-1", {}, {"word": "rex", "note": None, "a": None}),
                _change("update", "B", "B-77", {"word": "rex", "note": "a", "a": None}, {"word": "rex", "note": "a b", "a": None}),
                _change("delete", "A", "A-77", {"n": 1, "at": "t", "up": None}, {}),
            ]
        )
    )
    report = score(gold(changes), (*renamed(changes, seed), extra), None, META)
    assert (report.verdict, report.reward) == ("FAIL", 0)
    assert len(report.collateral) == 1
    assert report.partial < 1


@settings(max_examples=150, deadline=None)
@given(net_changes(), st.integers(0, 1000), st.data())
def test_any_missing_change_fails(changes: tuple[RowChange, ...], seed: int, data: st.DataObject) -> None:
    run = renamed(changes, seed)
    counted = [change for change in run if any(name != "at" for name in change.values)]
    dropped = data.draw(st.sampled_from(counted))
    report = score(gold(changes), tuple(change for change in run if change is not dropped), None, META)
    assert (report.verdict, report.reward) == ("FAIL", 0)


@settings(max_examples=150, deadline=None)
@given(net_changes(), st.integers(0, 1000), st.data())
def test_any_other_exact_value_fails(changes: tuple[RowChange, ...], seed: int, data: st.DataObject) -> None:
    run = renamed(changes, seed)
    places = [(index, name) for index, change in enumerate(run) if change.op != "delete" for name in change.values if name != "at"]
    index, name = data.draw(st.sampled_from(places))
    body = run[index].model_dump(mode="json", by_alias=True)
    body["values"][name]["to"] = 77 if name == "n" else "quite another"
    changed = (*run[:index], RowChange.model_validate(body), *run[index + 1 :])
    report = score(gold(changes), changed, None, META)
    assert (report.verdict, report.reward) == ("FAIL", 0)


@settings(max_examples=100, deadline=None)
@given(net_changes(), st.integers(0, 1000), st.integers(0, 1000))
def test_the_verdict_depends_on_neither_ids_nor_order(changes: tuple[RowChange, ...], one: int, other: int) -> None:
    wanted = gold(changes[: max(1, len(changes) - 1)]) if all(change.op != "insert" for change in changes[-1:]) else gold(changes)
    first, second = (score(wanted, renamed(changes, seed), None, META) for seed in (one, other))
    assert (first.verdict, first.partial, len(first.collateral)) == (second.verdict, second.partial, len(second.collateral))
    assert first == score(wanted, renamed(changes, one), None, META)
