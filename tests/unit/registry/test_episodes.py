"""Episodes of a farm: keys, durability, eviction, forks, branches, failures of the store."""

import asyncio
import shutil
from concurrent.futures import Executor, Future

import apsw
import pytest

from registry.catalogue import Catalogue, open_folder
from registry.config import RegistrySettings
from registry.episode import Episodes, EpisodeSpec, LocalEpisode
from registry.errors import EnvNotFound, EpisodeNotFound, EpisodeRefused, StoreError, StoreLocked
from registry.package.digest import state_digest
from registry.package.errors import PackageError
from registry.store.sqlite import SqliteStore
from tests.unit.registry.small_package import world_rows, write_package

RENAMES = [("rename_owner", {"owner_id": "OWN-1", "name": name}) for name in "ABCDE"]


@pytest.fixture
def home(tmp_path):
    write_package(tmp_path / "environments")
    return tmp_path


def farm(home, *, memory_bytes=10**9, sync="normal", **more):
    return Episodes(Catalogue(home / "environments"), SqliteStore(home / "store", sync=sync), RegistrySettings(memory_bytes=memory_bytes, **more))


async def play(episodes, key, calls):
    return [await episodes.call(key, tool, arguments) for tool, arguments in calls]


async def test_a_new_key_is_long_and_random_and_opens_the_world(home):
    async with farm(home).running() as episodes:
        one, two = [await episodes.create(EpisodeSpec(environment="small")) for _ in range(2)]
        assert one.key != two.key
        assert len(one.key) >= 43
        assert (one.status, one.calls) == ("open", 0)
        assert one.state_digest == LocalEpisode(open_folder(home / "environments/small")).state_digest
        assert await episodes.info(one.key) == one


async def test_calls_of_the_farm_come_to_the_same_log_as_in_process(home):
    local = LocalEpisode(open_folder(home / "environments/small"))
    expected = local.replay(RENAMES)
    async with farm(home).running() as episodes:
        key = (await episodes.create(EpisodeSpec(environment="small"))).key
        assert tuple(await play(episodes, key, RENAMES)) == expected
        log = await episodes.log(key)
        assert log.records == local.log()
        assert (log.digest, log.state_digest) == (local.digest, local.state_digest)
        assert (await episodes.changes(key)).changes == local.changes()
        assert (await episodes.snapshot(key)).rows == local.snapshot()


async def test_two_keys_never_share_rows(home):
    async with farm(home).running() as episodes:
        one, two = [(await episodes.create(EpisodeSpec(environment="small"))).key for _ in range(2)]
        start = (await episodes.info(two)).state_digest
        await play(episodes, one, RENAMES)
        assert (await episodes.info(two)).state_digest == start
        assert (await episodes.changes(two)).changes == ()


async def test_state_survives_a_restart(home):
    async with farm(home).running() as episodes:
        key = (await episodes.create(EpisodeSpec(environment="small", instruction="Do it."))).key
        await play(episodes, key, RENAMES[:3])
        before = await episodes.info(key)
    async with farm(home).running() as episodes:
        assert await episodes.info(key) == before
        assert before.status == "open"
        await play(episodes, key, RENAMES[3:])
        local = LocalEpisode(open_folder(home / "environments/small"))
        local.replay(RENAMES)
        assert (await episodes.log(key)).digest == local.digest


async def test_idle_episodes_leave_memory_and_come_back_the_same(home):
    async with farm(home, memory_bytes=150_000).running() as episodes:
        keys = [(await episodes.create(EpisodeSpec(environment="small"))).key for _ in range(6)]
        for call in RENAMES:
            for key in keys:
                assert (await episodes.call(key, *call)).kind == "ok"
                assert episodes.hot <= 2
        infos = [await episodes.info(key) for key in keys]
        assert {info.calls for info in infos} == {len(RENAMES)}
        assert len({info.digest for info in infos}) == 1


async def test_many_callers_of_one_cold_episode_are_served_in_turn(home):
    async with farm(home).running() as episodes:
        key = (await episodes.create(EpisodeSpec(environment="small"))).key
        outcomes = await asyncio.gather(*(episodes.call(key, "add_note", {"owner_id": "OWN-1", "text": "t"}) for _ in range(20)))
        assert sorted(int(one.result["id"].split("N")[-1]) for one in outcomes) == list(range(2, 22))
        assert [record.seq for record in (await episodes.log(key)).records] == list(range(1, 21))


async def test_a_fork_equals_a_replay_of_its_prefix_and_leaves_the_original_alone(home):
    async with farm(home).running() as episodes:
        key = (await episodes.create(EpisodeSpec(environment="small"))).key
        await play(episodes, key, RENAMES)
        before = await episodes.info(key)
        fork = await episodes.fork(key, 2)
        local = LocalEpisode(open_folder(home / "environments/small"))
        local.replay(RENAMES[:2])
        assert (fork.digest, fork.state_digest, fork.calls, fork.origin) == (local.digest, local.state_digest, 2, f"{key}@2")
        await play(episodes, fork.key, RENAMES[4:])
        assert await episodes.info(key) == before
        assert (await episodes.fork(key)).digest == before.digest


async def test_a_fork_of_all_calls_has_the_same_records_and_rebuilds_from_them(home):
    async with farm(home).running() as episodes:
        key = (await episodes.create(EpisodeSpec(environment="small"))).key
        await play(episodes, key, RENAMES[:3])
        fork = await episodes.fork(key)
        assert (await episodes.log(fork.key)).records == (await episodes.log(key)).records
        await play(episodes, fork.key, RENAMES[3:])
        await play(episodes, key, RENAMES[3:4])
        twice = await episodes.fork(fork.key)
        kept = [await episodes.info(one) for one in (key, fork.key, twice.key)]
        assert [one.calls for one in kept] == [4, 5, 5]
    async with farm(home).running() as episodes:
        assert [await episodes.info(one.key) for one in kept] == kept
        assert (await episodes.changes(twice.key)) == (await episodes.changes(fork.key))


async def test_rewinding_and_redoing_comes_to_the_same_state_and_deletes_nothing(home):
    async with farm(home).running() as episodes:
        key = (await episodes.create(EpisodeSpec(environment="small"))).key
        await play(episodes, key, RENAMES)
        before = await episodes.info(key)
        rewound = await episodes.rewind(key, 2)
        assert (rewound.calls, rewound.branch) == (2, 1)
        again = await play(episodes, key, RENAMES[2:])
        assert [one.kind for one in again] == ["ok"] * 3
        after = await episodes.info(key)
        assert (after.state_digest, after.calls) == (before.state_digest, 5)
        log = await episodes.log(key)
        assert [record.tool for record in log.records].count("$rewind") == 1
        assert [(record.parent, record.branch) for record in log.records[5:7]] == [(2, 1), (6, 1)]
    async with farm(home).running() as episodes:
        assert await episodes.info(key) == after
        fork = await episodes.fork(key, 4)
        assert fork.calls == 4
        assert (await episodes.rewind(key, 5)).state_digest == before.state_digest


async def test_branches_that_were_left_are_kept_but_not_read(home):
    async with farm(home).running() as episodes:
        key = (await episodes.create(EpisodeSpec(environment="small"))).key
        for to in (0, 1, 2, 0, 3, 2):
            await play(episodes, key, RENAMES[:4])
            await episodes.rewind(key, to)
        before = await episodes.info(key)
        records = (await episodes.log(key)).records
        kept = (await episodes._residence.claim(key)).kept
        assert len(records) == 30
        path = await episodes._store.branch(kept.id)
        assert len(path) < 20
    async with farm(home).running() as episodes:
        assert await episodes.info(key) == before
        follower = LocalEpisode(open_folder(home / "environments/small"))
        follower.follow(records)
        assert (follower.digest, follower.state_digest) == (before.digest, before.state_digest)


async def test_a_reset_gives_the_initial_state_and_opens_a_closed_episode(home):
    async with farm(home).running() as episodes:
        info = await episodes.create(EpisodeSpec(environment="small"))
        await play(episodes, info.key, [*RENAMES, ("submit_answer", {"outcome": "done"})])
        assert (await episodes.info(info.key)).status == "closed"
        fork = await episodes.fork(info.key)
        assert fork.status == "closed"
        reset = await episodes.reset(info.key)
        assert (reset.state_digest, reset.calls, reset.status) == (info.state_digest, 0, "open")
        assert (await episodes.call(info.key, *RENAMES[0])).kind == "ok"


async def test_steps_that_do_not_exist_are_refused_in_one_sentence(home):
    async with farm(home).running() as episodes:
        key = (await episodes.create(EpisodeSpec(environment="small"))).key
        await play(episodes, key, RENAMES[:1])
        for wrong in (2, -1):
            with pytest.raises(EpisodeRefused, match=f"expected 0 to 1 calls of the present branch, got {wrong}"):
                await episodes.rewind(key, wrong)
            with pytest.raises(EpisodeRefused):
                await episodes.fork(key, wrong)
        assert (await episodes.call(key, *RENAMES[1])).kind == "ok"


async def test_a_closed_episode_refuses_calls_also_after_a_restart(home):
    async with farm(home).running() as episodes:
        key = (await episodes.create(EpisodeSpec(environment="small"))).key
        await play(episodes, key, RENAMES[:1])
        assert (await episodes.close(key)).status == "closed"
        assert (await episodes.call(key, *RENAMES[1])).code == "EPISODE_CLOSED"
    async with farm(home).running() as episodes:
        assert (await episodes.call(key, *RENAMES[1])).code == "EPISODE_CLOSED"
        assert (await episodes.info(key)).status == "closed"
        log = await episodes.log(key)
        follower = LocalEpisode(open_folder(home / "environments/small"))
        follower.follow([record.to_json() for record in log.records])
        assert (follower.digest, follower.state_digest) == (log.digest, log.state_digest)


async def test_an_agent_that_calls_a_control_record_by_name_is_answered_invalid(home):
    async with farm(home).running() as episodes:
        key = (await episodes.create(EpisodeSpec(environment="small"))).key
        outcomes = await play(episodes, key, [("$rewind", {"to": 0}), ("$close", {}), RENAMES[0]])
        assert [one.kind for one in outcomes] == ["invalid", "invalid", "ok"]
    async with farm(home).running() as episodes:
        assert (await episodes.info(key)).calls == 3


async def test_a_defect_makes_the_episode_invalid_for_good(home, caplog):
    async with farm(home).running() as episodes:
        key = (await episodes.create(EpisodeSpec(environment="small"))).key
        outcome = await episodes.call(key, "break_down", {"how": "raise"})
        info = await episodes.info(key)
        assert (info.status, info.reason) == ("invalid", f"defect in tool break_down, incident {outcome.incident}")
    async with farm(home).running() as episodes:
        assert (await episodes.info(key)).status == "invalid"


async def test_a_scenario_is_kept_with_its_episode(home):
    rows = tuple((table, {**values, "name": "Zoe"}) if table == "Owner" else (table, values) for table, values in world_rows())
    async with farm(home).running() as episodes:
        info = await episodes.create(EpisodeSpec(environment="small", scenario=rows))
        fork = await episodes.fork(info.key)
    async with farm(home).running() as episodes:
        for key in (info.key, fork.key):
            found = (await episodes.call(key, "search_owners", {"name": "Zoe"})).result["items"]
            assert len(found) == 3


async def test_rows_that_do_not_fit_the_schema_are_refused(home):
    async with farm(home).running() as episodes:
        for rows in [(("Owner", {"id": "x"}),), (("Nothing", {"id": "x"}),), (("Owner", {**world_rows()[0][1], "credit": "much"}),)]:
            with pytest.raises(PackageError, match="scenario for small: expected rows"):
                await episodes.create(EpisodeSpec(environment="small", scenario=rows))


async def test_a_scenario_that_says_a_value_otherwise_is_the_state_that_is_stored(home):
    rows = tuple((table, {**values, "credit": float(values["credit"])}) if table == "Owner" else (table, values) for table, values in world_rows())
    async with farm(home).running() as episodes:
        given = await episodes.create(EpisodeSpec(environment="small", scenario=rows))
        assert given.state_digest == (await episodes.create(EpisodeSpec(environment="small"))).state_digest
        assert state_digest((await episodes.snapshot(given.key)).rows) == given.state_digest


async def test_stopping_while_calls_are_under_way_keeps_them_and_their_answers(home):
    episodes = farm(home, sync="full")
    await episodes.start()
    keys = [(await episodes.create(EpisodeSpec(environment="small"))).key for _ in range(5)]
    calls = [asyncio.create_task(episodes.call(key, *RENAMES[0])) for key in keys]
    await asyncio.sleep(0)
    await episodes.stop()
    assert [call.result().kind for call in calls] == ["ok"] * 5
    async with farm(home).running() as episodes:
        assert {(info.calls, info.status) for info in [await episodes.info(key) for key in keys]} == {(1, "open")}


async def test_unknown_and_taken_names_are_refused(home):
    async with farm(home).running() as episodes:
        with pytest.raises(EnvNotFound, match="Did you mean small"):
            await episodes.create(EpisodeSpec(environment="smal"))
        with pytest.raises(EpisodeNotFound):
            await episodes.call("nobody", "search_owners", {})
        await episodes.create(EpisodeSpec(environment="small", key="mine"))
        for key in ("mine", "", "with space", "x" * 201):
            with pytest.raises(EpisodeRefused, match="key: expected"):
                await episodes.create(EpisodeSpec(environment="small", key=key))
        made = await asyncio.gather(*(episodes.create(EpisodeSpec(environment="small", key="same")) for _ in range(3)), return_exceptions=True)
        assert sorted(type(one).__name__ for one in made) == ["EpisodeInfo", "EpisodeRefused", "EpisodeRefused"]


async def test_open_episodes_are_bounded_and_closed_ones_make_room(home):
    async with farm(home, max_episodes=2).running() as episodes:
        keys = [(await episodes.create(EpisodeSpec(environment="small"))).key for _ in range(2)]
        with pytest.raises(EpisodeRefused, match="fewer than 2 open ones"):
            await episodes.create(EpisodeSpec(environment="small"))
        await episodes.call(keys[0], "submit_answer", {"outcome": "done"})
        await episodes.create(EpisodeSpec(environment="small"))


async def test_a_second_process_on_the_same_store_is_refused(home):
    async with farm(home).running():
        with pytest.raises(StoreLocked, match="Stop it, or set ENVFARM_HOME elsewhere"):
            await farm(home).start()
    async with farm(home).running():
        pass


async def test_a_failing_append_is_an_infrastructure_error_and_the_call_did_not_happen(home):
    episodes = farm(home)
    async with episodes.running():
        key = (await episodes.create(EpisodeSpec(environment="small"))).key
        await play(episodes, key, RENAMES[:1])
        before = await episodes.info(key)
        # The disk is full: SQLite itself refuses to grow the file.
        database = episodes._store._database
        pages = database.pragma("page_count")
        database.pragma("max_page_count", pages)
        long = {"owner_id": "OWN-1", "text": "x" * 9000}
        with pytest.raises(StoreError, match="FullError"):
            await episodes.call(key, "add_note", long)
        assert await episodes.info(key) == before
        database.pragma("max_page_count", 10**6)
        assert (await episodes.call(key, "add_note", long)).result["id"] == "OWN-1-N2"
        assert (await episodes.info(key)).status == "open"


async def test_a_caller_that_goes_away_leaves_a_whole_record(home):
    async with farm(home, sync="full").running() as episodes:
        key = (await episodes.create(EpisodeSpec(environment="small"))).key
        call = asyncio.create_task(episodes.call(key, *RENAMES[0]))
        await asyncio.sleep(0)
        call.cancel()
        with pytest.raises(asyncio.CancelledError):
            await call
        assert (await episodes.call(key, *RENAMES[1])).kind == "ok"
        records = (await episodes.log(key)).records
        assert [record.arguments["name"] for record in records][-1] == "B"
        assert [record.seq for record in records] == list(range(1, len(records) + 1))


def change(home, sql, *values):
    database = apsw.Connection(str(home / "store/records.sqlite"))
    database.execute(sql, values)
    database.close()


@pytest.mark.parametrize(
    ("sql", "reason"),
    [
        ("UPDATE records SET body = replace(CAST(body AS TEXT), '\"A\"', '\"Q\"') WHERE at % 16777216 = 1", "to be made again with its digest"),
        ("DELETE FROM records WHERE at % 16777216 = 2", "got one after 2"),
        ("UPDATE episodes SET state_digest = 'other'", "expected digest other after call 5"),
    ],
)
async def test_records_that_do_not_rebuild_make_the_episode_invalid_with_the_reason(home, sql, reason):
    async with farm(home).running() as episodes:
        key = (await episodes.create(EpisodeSpec(environment="small"))).key
        await play(episodes, key, RENAMES)
    change(home, sql.replace("replace(", "CAST(replace(").replace("'\"Q\"')", "'\"Q\"') AS BLOB)"))
    async with farm(home).running() as episodes:
        outcome = await episodes.call(key, *RENAMES[0])
        assert outcome.kind == "defect"
        info = await episodes.info(key)
        assert info.status == "invalid"
        assert reason in info.reason


async def test_a_call_that_was_logged_but_not_answered_marks_the_episode(home):
    async with farm(home).running() as episodes:
        key = (await episodes.create(EpisodeSpec(environment="small"))).key
        await play(episodes, key, RENAMES)
    change(home, "UPDATE episodes SET answered = 4")
    async with farm(home).running() as episodes:
        assert (await episodes.info(key)).status == "interrupted"
        assert (await episodes.call(key, *RENAMES[0])).kind == "ok"


class AtOnce(Executor):
    """Does at once what a thread of a busy machine may do late."""

    def submit(self, fn, /, *args, **named):
        done = Future()
        done.set_result(fn(*args, **named))
        return done


async def test_the_write_ahead_log_starts_over_instead_of_growing(home, monkeypatch):
    monkeypatch.setattr("registry.store.sqlite.CHECKPOINT_PAGES", 50)
    monkeypatch.setattr("registry.store.sqlite.ThreadPoolExecutor", lambda *_: AtOnce())
    async with farm(home).running() as episodes:
        key = (await episodes.create(EpisodeSpec(environment="small", call_limit=0))).key
        sizes = set()
        for _ in range(600):
            await episodes.call(key, *RENAMES[0])
            sizes.add((home / "store/records.sqlite-wal").stat().st_size)
    assert max(sizes) < 100 * 4096
    async with farm(home).running() as episodes:
        assert (await episodes.info(key)).calls == 600


async def test_a_free_play_episode_starts_afresh_when_its_package_was_rebuilt_and_others_are_invalid(home):
    async with farm(home).running() as episodes:
        await episodes.create(EpisodeSpec(environment="small", key="small~shared", free_play=True))
        scored = (await episodes.create(EpisodeSpec(environment="small"))).key
        await play(episodes, "small~shared", RENAMES)
    manifest = home / "environments/small/env.toml"
    manifest.write_text(manifest.read_text().replace('generator = "0"', 'generator = "1"'))
    async with farm(home).running() as episodes:
        with pytest.raises(EpisodeNotFound):
            await episodes.info("small~shared")
        await episodes.create(EpisodeSpec(environment="small", key="small~shared", free_play=True))
        assert (await episodes.changes("small~shared")).changes == ()
        info = await episodes.info(scored)
        assert info.status == "invalid"
        assert "rebuilt since" in info.reason
        assert len(await episodes.keys()) == 3
    manifest.write_text(manifest.read_text().replace('generator = "1"', 'generator = "0"'))
    async with farm(home).running() as episodes:
        assert (await episodes.info(scored)).status == "open"


async def test_a_store_that_is_no_store_is_refused_in_one_sentence(home):
    (home / "store").mkdir()
    (home / "store/records.sqlite").write_bytes(b"not a database, but long enough to be looked at" * 100)
    with pytest.raises(StoreError, match="expected records of format 2"):
        await farm(home).start()
    shutil.rmtree(home / "store")
    async with farm(home).running():
        pass
