"""The tests of episodes once more, with records on a PostgreSQL server; what is about SQLite's file stays there."""

import asyncio
import inspect

import anyio
import pytest

from registry.catalogue import Catalogue
from registry.config import RegistrySettings
from registry.episode import Episodes, EpisodeSpec
from registry.errors import StoreError, StoreLocked
from registry.home import Home
from registry.store.choose import store_of
from registry.store.sqlite import SqliteStore
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
