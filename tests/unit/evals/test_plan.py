"""Which tasks an evaluation plays: filters, and so many of each environment, kind and level in turn."""

from itertools import pairwise

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


def of(number: int, kind: str, level: int, environment: str = "clinic") -> TaskLine:
    """One of two twins, 2n and 2n + 1; the twin of a decline is a do."""
    task, twin = (f"{environment}-{one:02}" for one in (number, number ^ 1))
    told = "do" if kind == "decline" and number % 2 else kind
    about = {"task": task, "twin": twin, "environment": environment, "kind": told, "level": level, "instruction": "", "pack": environment}
    return TaskLine(**about, multi_turn=False)


PACK = [("do", 5), ("do", 5), ("do", 2), ("decline", 5), ("decline", 3), ("answer", 5), ("answer", 1), ("do", 1)]
CLINIC = [of(2 * place + one, kind, level) for place, (kind, level) in enumerate(PACK) for one in (0, 1)]


def test_a_few_tasks_are_of_all_kinds_and_levels_in_turn():
    def chosen(limit: int) -> list[tuple[str, int]]:
        return [(one.kind, one.level) for one in choose(CLINIC, (), Choice(limit=limit)) if int(one.task[-2:]) % 2 == 0]

    assert chosen(3) == [("do", 5), ("decline", 3)]
    assert chosen(6) == [("do", 5), ("decline", 3), ("answer", 1)]
    assert chosen(8) == [("do", 5), ("do", 2), ("decline", 3), ("answer", 1)]


def test_more_tasks_hold_those_that_are_fewer_and_the_choice_is_always_the_same():
    several = [{one.task for one in choose(CLINIC, (), Choice(limit=limit))} for limit in range(1, 17)]

    assert all(fewer <= more for fewer, more in pairwise(several))
    assert several == [{one.task for one in choose(CLINIC, (), Choice(limit=limit))} for limit in range(1, 17)]


def test_one_pair_of_each_environment_is_of_another_kind():
    tasks = [of(2 * place + one, kind, level, name) for name in ("a", "b", "c") for place, (kind, level) in enumerate(PACK) for one in (0, 1)]

    assert [one.kind for one in choose(tasks, (), Choice(limit=6))][::2] == ["do", "decline", "answer"]


def test_a_task_whose_twin_a_filter_left_out_counts_alone():
    chosen = choose(TASKS, (), Choice(tasks=("bank-1", "shop-3"), limit=1))

    assert [one.task for one in chosen] == ["bank-1"]
