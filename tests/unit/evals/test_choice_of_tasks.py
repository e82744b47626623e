"""Which tasks an evaluation plays, and what is said where a filter names nothing."""

import pytest

from evals.errors import EvalError
from evals.running.plan import Choice, choose
from evals.sidecar import PackLine, TaskLine

PACK = PackLine(pack="shop-test-0", digest="d", environment="shop", environment_digest="e", split="test", generator="1")
TASK = TaskLine(task="shop-1", environment="shop", kind="do", level=2, instruction="Do it.", pack="shop-test-0", multi_turn=False)


@pytest.mark.parametrize(
    ("given", "advice"), [({"kinds": ("declin",)}, "Did you mean decline"), ({"kinds": ("foo",)}, "There are: do"), ({"split": "tset"}, "mean test")]
)
def test_a_kind_or_a_split_that_there_is_not_is_refused_before_a_farm_starts(given, advice):
    with pytest.raises(EvalError, match=advice):
        Choice(**given)


@pytest.mark.parametrize(
    ("given", "advice"),
    [
        ({"environments": ("shob",)}, "Did you mean shop"),
        ({"tasks": ("shop-2",)}, "Did you mean shop-1"),
        ({"environments": ("shop",), "split": "train"}, "envfarm tasks make shop --split train"),
        ({"kinds": ("bulk",)}, "at least one task that fits all filters"),
    ],
)
def test_a_filter_that_nothing_fits_says_what_there_is(given, advice):
    with pytest.raises(EvalError, match=advice):
        choose([TASK], [PACK], Choice(**given))


def test_the_split_of_a_task_is_that_of_its_pack():
    assert choose([TASK], [PACK], Choice(split="test")) == (TASK,)
