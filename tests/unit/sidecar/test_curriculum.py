"""Which tasks a curriculum chooses."""

from server.sidecar.curriculum import Candidate, choose, estimates
from server.sidecar.curriculum_store import Tally

TASKS = [Candidate(task=f"t{number:02}", level=1 + number % 2) for number in range(40)]


def played(rates: dict[str, float], rounds: int, target: float) -> list[str]:
    """Tasks given in the last third of a curriculum in which each task succeeds at its own rate."""
    tallies: dict[str, Tally] = {}
    given: list[str] = []
    for number in range(rounds):
        for one in choose(estimates(TASKS, tallies), 4, target, f"s/{number}"):
            before = tallies.get(one.task, Tally())
            wanted = rates[one.task] * (before.tries + 1)
            tallies[one.task] = Tally(tries=before.tries + 1, successes=before.successes + (wanted - before.successes >= 0.5))
            given.append(one.task)
    return given[-len(given) // 3 :]


def test_tasks_near_the_wanted_rate_are_given_most():
    rates = {one.task: 0.5 if number < 10 else 0.0 if number < 25 else 1.0 for number, one in enumerate(TASKS)}

    given = played(rates, 300, 0.5)

    assert sum(rates[task] == 0.5 for task in given) > 0.7 * len(given)


def test_a_low_target_gives_harder_tasks_than_a_high_one():
    rates = {one.task: number / 39 for number, one in enumerate(TASKS)}

    low, high = (sum(rates[task] for task in played(rates, 200, target)) for target in (0.2, 0.8))

    assert low < 0.6 * high


def test_the_choice_follows_from_seed_and_history_alone():
    known = estimates(TASKS, {"t03": Tally(tries=5, successes=2.0)})

    assert choose(known, 5, 0.5, "a") == choose(known, 5, 0.5, "a")
    assert choose(known, 40, 0.5, "a") != choose(known, 40, 0.5, "b")
    assert len({one.task for one in choose(known, 99, 0.5, "a")}) == 40


def test_an_untried_task_has_the_smoothed_rate_of_its_level():
    known = {one.task: one.mean for one in estimates(TASKS, {"t00": Tally(tries=8, successes=7.0)})}

    assert known["t02"] == (7 + 1) / (8 + 2)
    assert known["t01"] == 0.5
    assert known["t00"] == (2 * 0.8 + 7) / (2 + 8)
