"""What noise does to calls, and that a replay does the same."""

import pytest

from registry.catalogue import open_folder
from registry.environment import Environment
from registry.episode import LocalEpisode
from registry.errors import EpisodeCorrupt
from registry.package.noise import NoiseSpec, OtherCall
from tests.unit.registry.small_package import write_package

SEEDS = range(12)
CREDIT = OtherCall(tool="add_credit", arguments={"owner_id": "OWN-3", "amount": 1})


@pytest.fixture(scope="module")
def environment(tmp_path_factory) -> Environment:
    return open_folder(write_package(tmp_path_factory.mktemp("noise")))


def played(environment: Environment, noise: NoiseSpec | None, calls: int = 40) -> LocalEpisode:
    episode = LocalEpisode(environment, noise=noise)
    for number in range(calls):
        if number % 2:
            episode.call("add_credit", {"owner_id": "OWN-1", "amount": 1})
        else:
            episode.call("search_owners", {"name": ""})
    return episode


def test_equal_seeds_give_equal_logs_and_others_do_not(environment):
    logs = [played(environment, NoiseSpec(profile="chaos", seed=seed)).digest for seed in (1, 1, 2)]
    assert logs[0] == logs[1] != logs[2]


def test_the_profile_none_is_the_episode_without_noise(environment):
    assert played(environment, NoiseSpec(profile="none", seed=5)).digest == played(environment, None).digest


@pytest.mark.parametrize("profile", ["office", "bad_day", "chaos"])
def test_a_log_with_noise_is_followed_to_the_same_state(environment, profile):
    spec = NoiseSpec(profile=profile, seed=4, others=(CREDIT, CREDIT))
    made = played(environment, spec)
    again = LocalEpisode(environment, noise=spec)
    again.follow(made.log())
    assert (again.digest, again.state_digest, again.changes()) == (made.digest, made.state_digest, made.changes())


def test_a_log_with_noise_is_not_that_of_another_seed(environment):
    made = played(environment, NoiseSpec(profile="chaos", seed=4))
    with pytest.raises(EpisodeCorrupt):
        LocalEpisode(environment, noise=NoiseSpec(profile="chaos", seed=5)).follow(made.log())


def test_what_another_actor_writes_is_not_the_agents_change(environment):
    spec = NoiseSpec(profile="chaos", seed=1, others=(CREDIT,) * 3)
    episode = LocalEpisode(environment, noise=spec)
    for _ in range(40):
        episode.call("search_owners", {"name": ""})
    records = episode.log()
    assert [write[:3] for record in records for write in record.others] == [("Owner", "update", "OWN-3")] * 3
    assert episode.changes() == ()
    assert dict(episode.snapshot())["Owner"] is not None
    assert next(row for table, row in episode.snapshot() if row["id"] == "OWN-3")["credit"] == 350


def test_what_the_agent_writes_after_another_actor_is_counted_from_there(environment):
    spec = NoiseSpec(profile="chaos", seed=1, others=(CREDIT,))
    episode = LocalEpisode(environment, noise=spec)
    while not any(record.others for record in episode.log()):
        episode.call("search_owners", {"name": ""})
    while not episode.changes():
        episode.call("add_credit", {"owner_id": "OWN-3", "amount": 2})
    (change,) = episode.changes()
    assert (change.values["credit"].before, change.values["credit"].after) == (150, 350)
    assert episode.fork().changes() == episode.changes()


def test_another_actor_keeps_off_rows_that_the_agent_wrote(environment):
    episode = LocalEpisode(environment, noise=NoiseSpec(profile="chaos", seed=1, others=(CREDIT,) * 5))
    while not episode.changes():
        episode.call("add_credit", {"owner_id": "OWN-3", "amount": 2})
    before = episode.changes()
    told = len([record for record in episode.log() if record.others])
    for _ in range(40):
        episode.call("search_owners", {"name": ""})
    assert len([record for record in episode.log() if record.others]) == told
    assert episode.changes() == before


@pytest.mark.parametrize("seed", SEEDS)
def test_no_more_than_two_calls_in_a_row_go_wrong(environment, seed):
    kinds = [record.outcome for record in played(environment, NoiseSpec(profile="chaos", seed=seed), 80).log()]
    assert not any(kinds[at : at + 3] == ["error"] * 3 for at in range(len(kinds)))


def test_an_error_that_says_nothing_was_done_tells_the_truth(environment):
    for record in played(environment, NoiseSpec(profile="chaos", seed=3), 100).log():
        if record.outcome == "error" and record.result["code"] in ("TRY_AGAIN", "RATE_LIMITED"):
            assert record.writes == ()
            assert "retry_after" in record.result["text"]


def test_calls_that_come_too_late_are_refused_as_ever(environment):
    episode = LocalEpisode(environment, noise=NoiseSpec(profile="chaos", seed=3), call_limit=3)
    for _ in range(3):
        episode.call("search_owners", {"name": ""})
    assert [episode.call("search_owners", {"name": ""}).code for _ in range(20)] == ["CALL_LIMIT"] * 20
