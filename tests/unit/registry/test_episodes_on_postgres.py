"""The tests of episodes once more, with records on a PostgreSQL server; what is about SQLite's file stays there."""

import asyncio
import inspect

import anyio
import psycopg
import pytest

from registry.catalogue import Catalogue
from registry.config import RegistrySettings
from registry.episode import Episodes, EpisodeSpec
from registry.errors import EpisodeNotFound, StoreError, StoreLocked
from registry.home import Home
from registry.store.choose import store_of
from registry.store.sqlite import SqliteStore
from server.archive import read_archive, write_archive
from server.errors import UserError
from tests.postgres import missing, postgres_server
from tests.unit.registry import test_episodes as same
from tests.unit.registry.small_package import write_package

pytestmark = [pytest.mark.skipif(bool(missing()), reason=missing() or "there"), pytest.mark.timeout(300)]
OF_SQLITE = ("sqlite", "_database", "sync=", "change(home", "StoreLocked")
SAME = {
    name: value
    for name, value in vars(same).items()
    if name.startswith("test_") and not [word for word in OF_SQLITE if word in inspect.getsource(value)]
}
globals().update(SAME)


@pytest.fixture(scope="module")
def server():
    with postgres_server() as server:
        yield server


@pytest.fixture
def url(server):
    return server.database()


@pytest.fixture
def home(tmp_path, url, monkeypatch):
    write_package(tmp_path / "environments")

    def farm(home, *, memory_bytes=10**9, **more):
        settings = RegistrySettings(memory_bytes=memory_bytes, store=url, **more)
        return Episodes(Catalogue(home / "environments"), store_of(settings, Home(root=home)), settings)

    monkeypatch.setattr(same, "farm", farm)
    return tmp_path


def test_most_of_the_tests_are_the_same():
    assert len(SAME) >= 20


async def test_the_tables_are_as_sqlmodel_has_them_from_every_earlier_format(home, server):
    from alembic.autogenerate import compare_metadata
    from alembic.migration import MigrationContext
    from sqlalchemy import create_engine, text

    from registry.store.migrate import migrate
    from registry.store.tables import METADATA

    for first in ("0001", "0002"):
        url = server.database()
        migrate(url, first)
        engine = create_engine(url.replace("postgresql://", "postgresql+psycopg://"))
        with engine.begin() as connection:
            values = "1, 'old', '{}', '', 'open', 3, -1, ''"
            connection.execute(text(f"INSERT INTO episodes (id, key, spec, scenario, status, answered, state_seq, state_digest) VALUES ({values})"))
        migrate(url)
        migrate(url)
        with engine.connect() as connection:
            found = [change for change in compare_metadata(MigrationContext.configure(connection), METADATA) if "alembic_version" not in str(change)]
            assert found == []
            assert connection.execute(text("SELECT key, answered FROM episodes")).all() == [("old", 3)]
        engine.dispose()


async def test_records_move_nowhere_by_themselves_and_both_stores_give_the_same_log(home, url):
    logs = []
    for store in (store_of(RegistrySettings(store=url), Home(root=home)), SqliteStore(home / "store")):
        async with Episodes(Catalogue(home / "environments"), store).running() as episodes:
            await episodes.create(EpisodeSpec(environment="small", key="a"))
            for text in ("one", "two"):
                await episodes.call("a", "add_note", {"owner_id": "OWN-1", "text": text})
            await episodes.rewind("a", 1)
            await episodes.call("a", "add_note", {"owner_id": "OWN-1", "text": "three"})
            logs.append(await episodes.log("a"))
    assert logs[0] == logs[1]


async def test_two_farms_on_one_database_are_refused(home, url):
    async with same.farm(home).running():
        with pytest.raises(StoreLocked, match="in use by another farm"):
            await same.farm(home).start()
    async with same.farm(home).running():
        pass


async def test_a_server_that_restarts_under_load_loses_no_answered_call(home, server):
    answered, enough, restarted = [], [0], asyncio.Event()
    async with same.farm(home).running() as episodes:
        await episodes.create(EpisodeSpec(environment="small", key="a", call_limit=0))

        async def play():
            failures = 0
            while not restarted.is_set() or len(answered) < enough[0]:
                try:
                    made = await episodes.call("a", "add_note", {"owner_id": "OWN-1", "text": "x"})
                except StoreError:
                    failures += 1
                    await asyncio.sleep(0.02)
                else:
                    answered.append(made.result["id"])
            return failures

        async with asyncio.timeout(90):
            playing = asyncio.create_task(play())
            for goal in (15, 30):
                while len(answered) < goal:
                    await anyio.lowlevel.checkpoint()
                await asyncio.to_thread(server.stop, "immediate")
                await asyncio.to_thread(server.start)
            # Some more are answered by the server that is there to stay.
            enough[0] = len(answered) + 5
            restarted.set()
            failures = await playing
        assert failures >= 1
        log = await episodes.log("a")
        assert set(answered) <= {record.result["id"] for record in log.records}
        assert (await episodes.info("a")).status == "open"
        assert episodes.trouble() == ""


@pytest.mark.parametrize("how", ["fast", "immediate", "kill"])
async def test_the_first_call_after_a_restart_in_a_quiet_moment_does_not_fail(home, server, how):
    async with same.farm(home).running() as episodes:
        await episodes.create(EpisodeSpec(environment="small", key="a"))
        await asyncio.to_thread(server.kill if how == "kill" else lambda: server.stop(how))
        await asyncio.to_thread(server.start)
        made = await episodes.call("a", "add_note", {"owner_id": "OWN-1", "text": "x"})
        assert (made.kind, len((await episodes.log("a")).records), episodes.trouble()) == ("ok", 1, "")


def of_worker(home, url, number):
    settings = RegistrySettings(store=url, worker=number)
    return Episodes(Catalogue(home / "environments"), store_of(settings, Home(root=home)), settings)


async def two_notes(episodes, text):
    made = await episodes.create(EpisodeSpec(environment="small"))
    for _ in range(2):
        await episodes.call(made.key, "add_note", {"owner_id": "OWN-1", "text": text})
    return made.key, (await episodes.info(made.key)).state_digest


async def test_workers_on_one_database_have_records_of_their_own_and_each_is_there_once(home, url):
    told = {}
    async with of_worker(home, url, 1).running() as first, of_worker(home, url, 2).running() as second, same.farm(home).running() as alone:
        for number, episodes in enumerate((alone, first, second)):
            told[number] = await two_notes(episodes, f"of {number}")
        with pytest.raises(StoreLocked, match="in use by another farm"):
            await of_worker(home, url, 2).start()
        assert [len(await episodes.kept()) for episodes in (alone, first, second)] == [1, 1, 1]
        with pytest.raises(EpisodeNotFound):
            await second.info(told[1][0])
    assert [told[number][0][:3] for number in (1, 2)] == ["w1-", "w2-"]
    for number in (1, 2):
        async with of_worker(home, url, number).running() as again:
            assert (await again.info(told[number][0])).state_digest == told[number][1]
            assert [one.key for one in await again.kept()] == [told[number][0]]


async def test_records_of_a_server_are_backed_up_while_it_serves_and_go_back_into_another_database(home, url, server, tmp_path):
    place, kept = Home(root=home), tmp_path / "kept.tar.gz"
    async with of_worker(home, url, 3).running() as worker, same.farm(home).running() as alone:
        keys = [await two_notes(worker, "tab\t, quote ', and \\."), await two_notes(alone, "snow \u2603")]
        told = write_archive(place, kept, packages=False, elsewhere=url)
        await two_notes(alone, "later")
    assert (told["episodes"], told["files"]) == (2, 6)
    with pytest.raises(UserError, match="expected records of a home"):
        read_archive(Home(root=tmp_path / "other"), kept, force=True)
    with pytest.raises(UserError, match="expected a database without records, got 3 episodes"):
        read_archive(place, kept, force=False, elsewhere=url)
    async with of_worker(home, url, 3).running():
        with pytest.raises(StoreLocked):
            read_archive(place, kept, force=True, elsewhere=url)
    for target in (url, server.database()):
        read_archive(place, kept, force=target == url, elsewhere=target)
        async with of_worker(home, target, 3).running() as worker, of_worker(home, target, 0).running() as alone:
            assert [(await episodes.info(key)).state_digest for episodes, (key, _) in zip((worker, alone), keys, strict=True)] == [
                digest for _, digest in keys
            ]
            assert len(await alone.kept()) == 1
            assert (await alone.call(keys[1][0], "add_note", {"owner_id": "OWN-1", "text": "on"})).result["id"] == "OWN-1-N4"


async def test_a_backup_of_an_earlier_format_is_brought_to_this_one(home, url, server, tmp_path):
    from registry.store.migrate import migrate
    from registry.store.postgres_copy import episodes_kept, replace_tables, table_files

    migrate(url, "0001")
    with psycopg.connect(url) as connection:
        values = "1, 'old', '{}', '', 'open', 3, -1, ''"
        connection.execute(f"INSERT INTO episodes (id, key, spec, scenario, status, answered, state_seq, state_digest) VALUES ({values})")
    old = dict(table_files(url))
    target = server.database()
    replace_tables(target, old)
    assert episodes_kept(target) == 1
    async with of_worker(home, target, 0).running() as episodes:
        assert [one.key for one in await episodes.kept()] == ["old"]
    for broken in ({**old, "0/tokens": b""}, {"0/episodes": old["0/episodes"]}):
        with pytest.raises(StoreError, match="This is no backup"):
            replace_tables(server.database(), broken)


@pytest.mark.parametrize("store", ["mysql://x", "postgresql://farm@127.0.0.1:1/none"])
async def test_a_url_that_leads_nowhere_is_one_sentence(home, store):
    with pytest.raises(StoreError, match=r"^ENVFARM_STORE: expected "):
        await store_of(RegistrySettings(store=store), Home(root=home)).open()


def test_the_url_may_lie_in_a_file(home, tmp_path):
    (tmp_path / "url").write_text("postgresql://farm@db/records\n")
    chosen = store_of(RegistrySettings(store_file=tmp_path / "url"), Home(root=home))
    assert type(chosen).__name__ == "PostgresStore"
    with pytest.raises(StoreError, match="expected a file with a URL"):
        store_of(RegistrySettings(store_file=tmp_path / "none"), Home(root=home))
