"""A home served with another number of workers than before: what any of them kept is found, gone on with, forked and forgotten."""

import pytest

from registry.catalogue import Catalogue
from registry.config import RegistrySettings
from registry.episode import Episodes, EpisodeSpec
from registry.home import Home
from registry.store.choose import store_of
from registry.store.lock import give_back, take_lock
from tests.unit.registry.small_package import world_rows, write_package

RENAMES = [("rename_owner", {"owner_id": "OWN-1", "name": name}) for name in "ABCDE"]


@pytest.fixture
def home(tmp_path):
    write_package(tmp_path / "environments")
    return tmp_path


def process(home, worker=0, workers=1):
    """The episodes of a single process (worker 0), or of one of several workers."""
    settings = RegistrySettings(worker=worker)
    return Episodes(Catalogue(home / "environments"), store_of(settings, Home(root=home), workers), settings)


async def begun(episodes, calls, **more):
    key = (await episodes.create(EpisodeSpec(environment="small", **more))).key
    for tool, arguments in RENAMES[:calls]:
        await episodes.call(key, tool, arguments)
    return key, await episodes.log(key)


async def gone_on(episodes, key, log):
    """The same log, and one more call than it holds."""
    assert await episodes.log(key) == log
    assert (await episodes.call(key, *RENAMES[-1])).kind == "ok"
    assert (await episodes.info(key)).calls == len(log.records) + 1
    return await episodes.log(key)


async def test_one_process_goes_on_with_what_workers_kept_and_they_with_what_it_made_of_it(home):
    async with process(home, 2, 2).running() as second:
        key, log = await begun(second, 2)
    async with process(home).running() as alone:
        log = await gone_on(alone, key, log)
        own, own_log = await begun(alone, 1)
    async with process(home, 2, 2).running() as second:
        assert await second.log(key) == log
        assert await second.keys() == (key,)  # what one process made is the first worker's
    async with process(home, 1, 2).running() as first:
        assert await first.keys() == (own,)
        await gone_on(first, own, own_log)


async def test_fewer_workers_go_on_with_what_more_kept(home):
    async with process(home, 3, 3).running() as third:
        key, log = await begun(third, 3)
    async with process(home, 2, 2).running() as second:
        assert await second.keys() == ()
    async with process(home, 1, 2).running() as first:
        await gone_on(first, key, log)


async def test_what_lies_in_another_store_is_forked_rewound_closed_and_forgotten(home):
    async with process(home, 1, 1).running() as first:
        key, log = await begun(first, 3, scenario=tuple(world_rows()), rewindable=True)
    async with process(home).running() as alone:
        own, own_log = await begun(alone, 1)
        fork, part = await alone.fork(key), await alone.fork(key, 1)
        assert [len((await alone.log(one.key)).records) for one in (fork, part)] == [3, 1]
        assert (await alone.log(fork.key)).records == log.records
        assert (await alone.rewind(key, 1)).state_digest == part.state_digest
        again = await alone.fork(own)
        assert (await alone.log(again.key)).digest == own_log.digest
        assert alone.open == 5
        assert (await alone.close(key)).status == "closed"
        assert alone.open == 4
        await alone.remove([one for one in await alone.kept() if one.key in (key, own)])
        assert set(await alone.keys()) == {fork.key, part.key, again.key}
    async with process(home, 1, 1).running() as first:
        assert await first.keys() == ()


async def test_a_store_that_another_process_has_is_left_out_and_said(home, caplog):
    async with process(home, 2, 2).running() as second:
        key, _ = await begun(second, 1)
    held = take_lock(home / "store/w2")
    try:
        async with process(home).running() as alone:
            assert await alone.keys() == ()
    finally:
        give_back(held)
    assert f"{home / 'store/w2'}: expected a store that nobody writes" in caplog.text
    async with process(home).running() as alone:
        assert await alone.keys() == (key,)
