"""What `envfarm compare` remarks of an interval and a p-value that seem to disagree."""

import pytest

from evals.metrics.comparison import Pair, difference
from evals.metrics.records import Attempt
from server.cli.compare import disagreement


def pair(number: int, a: int, b: int) -> Pair:
    def attempt(reward: int) -> Attempt:
        line = {"task": f"shop-{number}", "environment": "shop", "epoch": 1, "try": 1, "run": f"{number}", "verdict": "PASS" if reward else "FAIL"}
        return Attempt.model_validate({**line, "reward": reward, "partial": float(reward)})

    return Pair(a=attempt(a), b=attempt(b))


@pytest.mark.parametrize(("gained", "same", "said"), [(4, 0, "leaves out 0, yet p = 0.125, as 4 of 4 pairs differ"), (8, 0, ""), (1, 9, "")])
def test_where_few_pairs_make_interval_and_test_disagree_it_is_said_by_which_to_go(gained: int, same: int, said: str) -> None:
    found = disagreement(difference("all", [*(pair(one, 0, 1) for one in range(gained)), *(pair(100 + one, 1, 1) for one in range(same))]))

    assert len(found) == bool(said)
    assert said in "".join(found)
