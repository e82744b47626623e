"""Damaged records: what is whole still rebuilds, what is not is INVALID with the reason, and nothing is made up."""

import random
import sqlite3

import pytest

from registry.catalogue import Catalogue
from registry.episode import Episodes, EpisodeSpec
from registry.errors import EpisodeCorrupt, EpisodeNotFound, StoreError
from registry.store.sqlite import RECORDS, SqliteStore
from tests.farm import farm_process
from tests.unit.registry.small_package import write_package


def engine(home):
    return Episodes(Catalogue(home / "environments"), SqliteStore(home / "store"))


async def recorded(home, calls=20):
    write_package(home / "environments")
    async with engine(home).running() as episodes:
        for key in ("hurt", "whole"):
            await episodes.create(EpisodeSpec(environment="small", key=key))
            for number in range(calls):
                await episodes.call(key, "add_note", {"owner_id": "OWN-1", "text": f"note {number}"})
        return {key: (await episodes.log(key)).state_digest for key in ("hurt", "whole")}


def damage(home, *statements):
    with sqlite3.connect(home / "store/records.sqlite") as database:
        for sql, values in statements:
            assert database.execute(sql, values).rowcount == 1
    database.close()


def swapped(body):
    return body.replace(b"note 7", b"note 8")


@pytest.mark.parametrize("name", ["changed", "missing", "cut", "empty", "swapped order", "another episode's", "digest"])
async def test_a_record_that_was_touched_makes_its_episode_invalid_and_no_other(tmp_path, name):
    digests = await recorded(tmp_path)
    database = sqlite3.connect(tmp_path / "store/records.sqlite")
    bodies = dict(database.execute("SELECT at, body FROM records"))
    database.close()
    place = RECORDS + 8
    change = "UPDATE records SET body = ? WHERE at = ?"
    harm = {
        "changed": [(change, (swapped(bodies[place]), place))],
        "missing": [("DELETE FROM records WHERE at = ?", (place,))],
        "cut": [(change, (bodies[place][:-20], place))],
        "empty": [(change, (b"", place))],
        "swapped order": [(change, (bodies[place + 1], place)), (change, (bodies[place], place + 1))],
        "another episode's": [(change, (bodies[2 * RECORDS + 9], place))],
        "digest": [(change, (bodies[place].replace(b'"digest":"', b'"digest":"0'), place))],
    }[name]
    damage(tmp_path, *harm)

    async with engine(tmp_path).running() as episodes:
        hurt = await episodes.info("hurt")
        assert (hurt.status, bool(hurt.reason)) == ("invalid", True)
        with pytest.raises(EpisodeCorrupt):
            await episodes.log("hurt")
        assert (await episodes.call("hurt", "add_note", {"owner_id": "OWN-1", "text": "x"})).kind == "defect"
        assert (await episodes.log("whole")).state_digest == digests["whole"]
        assert (await episodes.call("whole", "add_note", {"owner_id": "OWN-1", "text": "x"})).kind == "ok"


async def test_a_file_that_is_cut_short_or_overwritten_is_refused_or_invalid_and_never_answers_from_nothing(tmp_path):
    digests = await recorded(tmp_path, calls=200)
    path = tmp_path / "store/records.sqlite"
    whole = path.read_bytes()
    rng = random.Random(3)
    outcomes = set()
    for number in range(24):
        torn = bytearray(whole)
        if number % 3 == 0:
            torn = torn[: rng.randrange(0, len(whole))]
        else:
            at = rng.randrange(0, len(whole) - 4096)
            torn[at : at + 4096 * (number % 3)] = rng.randbytes(4096 * (number % 3))
        path.write_bytes(torn)
        for rest in ("-wal", "-shm"):
            (tmp_path / f"store/records.sqlite{rest}").unlink(missing_ok=True)
        outcomes |= await looked_at(tmp_path, digests)
    assert outcomes <= {"refused", "invalid", "whole", "unreadable", "gone"}
    assert {"refused", "whole"} & outcomes


async def looked_at(home, digests):
    """How each episode is told, given that what is told as whole is whole."""
    episodes, found = engine(home), set()
    try:
        await episodes.start()
    except StoreError:
        return {"refused"}
    try:
        for key, digest in digests.items():
            try:
                info = await episodes.info(key)
            except StoreError:
                found.add("unreadable")
                continue
            except EpisodeNotFound:
                found.add("gone")
                continue
            if info.status == "invalid":
                assert info.reason
                found.add("invalid")
            elif info.calls == 200:
                assert info.state_digest == digest
                found.add("whole")
            else:
                found.add("shorter")
    finally:
        try:
            await episodes.stop()
        except StoreError:
            found.add("unreadable")
    return found


async def test_a_store_of_another_format_is_refused_with_one_sentence(tmp_path):
    await recorded(tmp_path, calls=1)
    with sqlite3.connect(tmp_path / "store/records.sqlite") as database:
        database.execute("PRAGMA user_version = 99")
    database.close()
    with pytest.raises(AssertionError, match="expected records of format"), farm_process(tmp_path):
        pass
