"""Which tasks an evaluation plays: filters, and the first so many."""

import pytest

from evals.running.plan import Choice, choose
from evals.sidecar import TaskLine


def line(task: str, twin: str = "") -> TaskLine:
    environment = task.partition("-")[0]
    return TaskLine(task=task, environment=environment, kind="do", level=1, instruction="", pack=environment, multi_turn=False, twin=twin)


# As a pack lists them: by id, so that the two of a pair need not stand together.
TASKS = [line("bank-1", "bank-3"), line("bank-2"), line("bank-3", "bank-1"), line("shop-1", "shop-2"), line("shop-2", "shop-1"), line("shop-3")]


def first(limit: int) -> list[str]:
    return [one.task for one in choose(TASKS, (), Choice(limit=limit))]


@pytest.mark.parametrize("limit", range(1, 7))
def test_the_first_so_many_never_hold_one_twin_alone(limit):
    kept = first(limit)

    assert len(kept) in (limit, limit + 1)
    assert all(one.twin in kept for one in TASKS if one.task in kept and one.twin)


def test_environments_take_turns():
    assert first(2) == ["bank-1", "bank-3"]
    assert first(4) == ["bank-1", "bank-3", "shop-1", "shop-2"]
    assert first(5) == ["bank-1", "bank-2", "bank-3", "shop-1", "shop-2"]
    assert first(0) == [one.task for one in TASKS]


def test_a_task_whose_twin_a_filter_left_out_counts_alone():
    chosen = choose(TASKS, (), Choice(tasks=("bank-1", "shop-3"), limit=1))

    assert [one.task for one in chosen] == ["bank-1"]
