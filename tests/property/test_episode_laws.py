"""Laws of episodes, over random calls."""

import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from registry.catalogue import Catalogue, open_folder
from registry.config import RegistrySettings
from registry.episode import Episodes, EpisodeSpec, LocalEpisode
from registry.package.digest import state_digest
from registry.store.sqlite import SqliteStore
from tests.unit.registry.small_package import write_package

OWNER = st.sampled_from(["OWN-1", "OWN-2", "OWN-3", "OWN-9"])
CALL = st.one_of(
    st.tuples(st.just("rename_owner"), st.fixed_dictionaries({"owner_id": OWNER, "name": st.text(max_size=5)})),
    st.tuples(st.just("add_credit"), st.fixed_dictionaries({"owner_id": OWNER, "amount": st.integers(-2000, 2000).map(lambda cents: cents / 100)})),
    st.tuples(st.just("add_note"), st.fixed_dictionaries({"owner_id": OWNER, "text": st.sampled_from(["hello", "refuse me", "ü"])})),
    st.tuples(
        st.just("remove_notes"), st.fixed_dictionaries({"note_ids": st.lists(st.sampled_from(["OWN-1-N1", "OWN-1-N2", "OWN-2-N4", "OWN-2-N5"]))})
    ),
    st.tuples(st.just("search_owners"), st.dictionaries(st.sampled_from(["name", "nam"]), st.text(max_size=3), max_size=1)),
    st.tuples(
        st.sampled_from(["submit", "postpone", "$close", "é", "x" * 200, 7, None, ""]),
        st.recursive(st.none() | st.floats() | st.integers(), st.lists, max_leaves=3),
    ),
)
CALLS = st.lists(CALL, max_size=12)
FEW = settings(max_examples=60, deadline=None)


@pytest.fixture(scope="module")
def environment(tmp_path_factory):
    return open_folder(write_package(tmp_path_factory.mktemp("package")))


def played(environment, calls):
    episode = LocalEpisode(environment)
    episode.replay(calls)
    return episode


@FEW
@given(calls=CALLS)
def test_a_replay_of_the_log_gives_the_same_log_and_state(environment, calls):
    episode = played(environment, calls)
    again = played(environment, [record.to_json() for record in episode.log()])
    assert (again.log(), again.digest, again.state_digest) == (episode.log(), episode.digest, episode.state_digest)
    follower = LocalEpisode(environment)
    follower.follow(episode.log())
    assert follower.state_digest == episode.state_digest


@FEW
@given(calls=CALLS)
def test_net_changes_lead_from_the_initial_state_to_the_present_one_and_hold_nothing_else(environment, calls):
    episode = played(environment, calls)
    state = {(table, row["id"]): dict(row) for table, row in LocalEpisode(environment).snapshot()}
    for change in episode.changes():
        at = (change.table, change.key)
        assert (at in state) == (change.op != "insert")
        assert change.values
        row = state.setdefault(at, {"id": change.key})
        for column, value in change.values.items():
            assert row.get(column) == value.before
            assert change.op != "update" or value.before != value.after
            row[column] = value.after
        if change.op == "delete":
            del state[at]
    assert state == {(table, row["id"]): dict(row) for table, row in episode.snapshot()}


@FEW
@given(calls=CALLS)
def test_the_rows_that_are_held_and_the_database_say_the_same_of_what_changed(environment, calls):
    episode = played(environment, calls)
    assert repr(episode.held_changes()) == repr(episode.changes())


@FEW
@given(calls=CALLS)
def test_the_digest_of_the_state_is_that_of_all_its_rows(environment, calls):
    episode = played(environment, calls)
    assert episode.state_digest == state_digest(episode.snapshot())


@FEW
@given(calls=CALLS)
def test_no_changes_means_the_initial_state(environment, calls):
    episode = played(environment, calls)
    assert (episode.changes() == ()) == (episode.state_digest == LocalEpisode(environment).state_digest)


@FEW
@given(calls=CALLS, data=st.data())
def test_a_fork_equals_a_replay_of_its_prefix(environment, calls, data):
    at = data.draw(st.integers(0, len(calls)))
    fork = played(environment, calls).fork(at)
    prefix = played(environment, calls[:at])
    assert (fork.log(), fork.state_digest) == (prefix.log(), prefix.state_digest)


@FEW
@given(calls=CALLS, more=CALLS)
def test_a_copied_state_goes_on_like_one_that_was_replayed_and_shares_nothing(environment, calls, more):
    episode, whole = played(environment, calls), played(environment, [*calls, *more])
    before = (episode.log(), episode.state_digest, episode.snapshot())
    fork = episode.fork()
    second = fork.fork()
    fork.replay(more)
    assert (fork.log(), fork.state_digest, fork.snapshot(), fork.changes()) == (whole.log(), whole.state_digest, whole.snapshot(), whole.changes())
    assert (episode.log(), episode.state_digest, episode.snapshot()) == before
    assert (second.snapshot(), second.changes()) == (episode.snapshot(), episode.changes())


@FEW
@given(calls=CALLS)
def test_a_call_that_is_not_ok_writes_nothing(environment, calls):
    episode = LocalEpisode(environment)
    for tool, arguments in calls:
        before = episode.state_digest
        outcome = episode.call(tool, arguments)
        assert outcome.kind != "defect"
        if outcome.kind != "ok":
            assert (outcome.writes, episode.state_digest) == ((), before)


@settings(max_examples=15, deadline=None)
@given(calls=CALLS.filter(bool), data=st.data())
async def test_rewinding_and_redoing_and_crashing_in_between_come_to_the_same_state(calls, data):
    to = data.draw(st.integers(0, len(calls)))
    with tempfile.TemporaryDirectory() as folder:
        write_package(Path(folder) / "environments")

        def farm():
            return Episodes(Catalogue(Path(folder) / "environments"), SqliteStore(Path(folder) / "store"), RegistrySettings(memory_bytes=0))

        async with farm().running() as episodes:
            keys = [(await episodes.create(EpisodeSpec(environment="small"))).key for _ in range(2)]
            for tool, arguments in calls:
                await episodes.call(keys[0], tool, arguments)
            before = await episodes.info(keys[0])
            await episodes.rewind(keys[0], to)
        async with farm().running() as episodes:
            for tool, arguments in calls[to:]:
                await episodes.call(keys[0], tool, arguments)
            after = await episodes.info(keys[0])
            assert (after.state_digest, after.calls, after.status) == (before.state_digest, before.calls, before.status)
            assert (await episodes.changes(keys[1])).changes == ()
