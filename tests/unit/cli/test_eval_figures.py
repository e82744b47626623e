"""What `envfarm eval` plays beside an agent, and what it says of pairs of twins."""

from evals.agents.baselines import BASELINES
from server.cli.eval import baselines_beside, both_twins


def test_an_agent_that_is_a_baseline_is_not_played_beside_itself():
    assert baselines_beside("command:./agent.sh") == tuple(BASELINES)
    assert baselines_beside("oracle") == tuple(name for name in BASELINES if name != "oracle")


def test_where_no_pair_was_played_none_is_counted():
    assert both_twins(pairs=0, both=0) == "no pairs"
    assert both_twins(pairs=5, both=2) == "2 of 5"
