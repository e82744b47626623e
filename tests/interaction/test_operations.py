"""Running a farm: readiness, numbers, logs, limits of age, backup and restore."""

import io
import json
import logging
import shutil
import sqlite3
import tarfile

import httpx
import pytest

from registry.catalogue import Catalogue
from registry.episode import Episodes, EpisodeSpec
from registry.episode.upkeep import AgeLimits, sweep
from registry.errors import EpisodeNotFound, StoreError
from registry.store.sqlite import SqliteStore
from server.logs import JsonLines
from server.telemetry import Telemetry, episode_id
from tests.farm import farm_here, farm_process
from tests.interaction.test_agent_plane import JSON, post_modern
from tests.interaction.test_farm_process import envfarm, note_ids  # noqa: F401 (a fixture)
from tests.interaction.wire_lines import modern

pytestmark = pytest.mark.timeout(300)
CALL = modern(1, "tools/call", name="add_note", arguments={"owner_id": "OWN-1", "text": "x"})


@pytest.fixture
async def http(farm):
    async with httpx.AsyncClient(base_url=farm.agent_url, headers=JSON, trust_env=False) as client:
        yield client


async def test_a_farm_that_is_about_to_stop_or_cannot_write_is_not_ready_and_says_why_to_its_operator(farm, http, monkeypatch):
    async with farm.control() as control:
        assert [(await one.get("/readyz")).status_code for one in (http, control)] == [200, 200]
        farm.inside.agent.draining = True
        assert [(await one.get("/readyz")).status_code for one in (http, control)] == [503, 503]
        assert (await post_modern(http, "/env/small/mcp", CALL)).status_code == 200
        farm.inside.agent.draining = False
        monkeypatch.setattr(farm.inside.episodes._store._group, "trouble", "FullError: disk full")
        assert (await http.get("/readyz")).json() == {"status": "not ready"}
        assert (await control.get("/readyz")).json() == {"status": "FullError: disk full"}
        assert [(await one.get("/healthz")).status_code for one in (http, control)] == [200, 200]


async def test_prometheus_is_told_what_was_called_and_what_is_open_and_needs_a_token(farm, http):
    await post_modern(http, "/env/small/e/a/mcp", CALL)
    await post_modern(http, "/env/small/e/a/mcp", modern(2, "tools/call", name="no_such_tool", arguments={}))
    async with farm.control(token=farm.tokens.observer) as observer:
        text = (await observer.get("/v1/metrics")).text
    lines = dict(line.rsplit(" ", 1) for line in text.splitlines() if not line.startswith("#"))
    assert lines['envfarm_calls_total{outcome="ok"}'] == "1.0"
    assert lines['envfarm_calls_total{outcome="invalid"}'] == "1.0"
    assert lines["envfarm_open_episodes"] == "1.0"
    assert lines["envfarm_hot_episodes"] == "1.0"
    assert "process_resident_memory_bytes" in lines
    async with farm.control(token="nobody") as stranger:
        assert (await stranger.get("/v1/metrics")).status_code == 401


async def test_being_turned_away_says_when_to_come_back(home):
    async with farm_here(home, max_calls_per_second=0.001, max_free_episodes=1) as farm:
        async with httpx.AsyncClient(base_url=farm.agent_url, headers=JSON, trust_env=False) as http:
            await post_modern(http, "/env/small/e/a/mcp", CALL)
            busy, full = await post_modern(http, "/env/small/e/a/mcp", CALL), await post_modern(http, "/env/small/e/b/mcp", CALL)
        assert [(one.status_code, one.headers["retry-after"]) for one in (busy, full)] == [(429, "1"), (429, "60")]
        assert [one.json()["error"]["code"] for one in (busy, full)] == [-32600, -32600]
        assert farm.inside.agent.gauges()["turned_away_total"] == 2


async def test_each_line_of_the_log_names_environment_episode_and_call_and_no_key(farm, http):
    out = io.StringIO()
    stream = logging.StreamHandler(out)
    stream.setFormatter(JsonLines())
    farm.inside.agent.telemetry = Telemetry(lines=True)
    root, calls = logging.getLogger(), logging.getLogger("envfarm.calls")
    calls.setLevel("INFO")
    root.addHandler(stream)
    try:
        await post_modern(http, "/env/small/e/secret-key/mcp", modern(41, "tools/call", name="break_down", arguments={"how": "raise"}))
        await post_modern(http, "/env/small/e/secret-key/mcp", modern(42, "tools/list"))
    finally:
        root.removeHandler(stream)
        calls.setLevel("NOTSET")
    lines = [json.loads(line) for line in out.getvalue().splitlines()]
    place = {"environment": "small", "episode": episode_id("small~secret-key")}
    assert "secret-key" not in out.getvalue()
    defect, first, second = [line for line in lines if line["logger"] in ("envfarm.calls", "registry.dispatch.tool_call")]
    assert all({**line, **place} == line for line in (defect, first, second))
    assert (defect["call"], "KeyError" in defect["traceback"]) == (41, True)
    assert [(line["call"], line["tool"]) for line in (first, second)] == [(41, "break_down"), (42, None)]


class Tracer:
    """Keeps spans as an exporter would."""

    def __init__(self):
        from opentelemetry.sdk.trace import TracerProvider
        from opentelemetry.sdk.trace.export import SimpleSpanProcessor
        from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

        self.exporter = InMemorySpanExporter()
        provider = TracerProvider()
        provider.add_span_processor(SimpleSpanProcessor(self.exporter))
        self.tracer = provider.get_tracer("test")


async def test_a_traced_call_is_a_span_with_its_ids(farm, http):
    pytest.importorskip("opentelemetry.sdk", reason="the extra otel is not installed")
    traced = Tracer()
    farm.inside.agent.telemetry = Telemetry(lines=False, tracer=traced.tracer)
    await post_modern(http, "/env/small/e/a/mcp", CALL)
    (span,) = traced.exporter.get_finished_spans()
    assert span.name == "tools/call add_note"
    assert dict(span.attributes) == {"envfarm.environment": "small", "envfarm.episode": episode_id("small~a"), "envfarm.call": "1"}


def engine(home):
    return Episodes(Catalogue(home / "environments"), SqliteStore(home / "store"))


def make_older(home, key, seconds):
    with sqlite3.connect(home / "store/records.sqlite") as database:
        database.execute("UPDATE episodes SET used = used - ?, made = made - ? WHERE key = ?", (seconds, seconds, key))
    database.close()


async def test_idle_and_old_episodes_are_closed_and_closed_ones_forgotten_with_their_records(home):
    async with engine(home).running() as episodes:
        for key in ("fresh", "idle", "done"):
            await episodes.create(EpisodeSpec(environment="small", key=key))
            await episodes.call(key, "add_note", {"owner_id": "OWN-1", "text": key})
        await episodes.close("done")
    make_older(home, "idle", 7200)
    make_older(home, "done", 90000)
    limits = AgeLimits(idle=3600, kept=86400)
    async with engine(home).running() as episodes:
        told = await sweep(episodes, limits, dry=True)
        assert (told.closed, told.removed) == (("idle",), ("done",))
        assert (await episodes.info("idle")).status == "open"
        assert await sweep(episodes, limits) == told
        assert (await episodes.info("idle")).status == "closed"
        assert [record.result["text"] for record in (await episodes.log("idle")).records[:1]] == ["idle"]
        with pytest.raises(EpisodeNotFound):
            await episodes.info("done")
        assert (await episodes.call("fresh", "add_note", {"owner_id": "OWN-1", "text": "on"})).kind == "ok"
        assert await sweep(episodes, limits) == type(told)(closed=(), removed=())
        assert await sweep(episodes, AgeLimits()) == type(told)(closed=(), removed=())
        assert (await episodes.create(EpisodeSpec(environment="small", key="done"))).calls == 0
    with sqlite3.connect(home / "store/records.sqlite") as database:
        assert database.execute("SELECT count(*) FROM records").fetchone() == (4,)
    database.close()


async def test_records_of_the_first_format_are_brought_to_this_one(home):
    async with engine(home).running() as episodes:
        await episodes.create(EpisodeSpec(environment="small", key="old"))
        await episodes.call("old", "add_note", {"owner_id": "OWN-1", "text": "x"})
        digest = (await episodes.info("old")).state_digest
    with sqlite3.connect(home / "store/records.sqlite") as database:
        database.execute("ALTER TABLE episodes DROP COLUMN made")
        database.execute("ALTER TABLE episodes DROP COLUMN used")
        database.execute("PRAGMA user_version = 1")
    database.close()
    async with engine(home).running() as episodes:
        assert (await episodes.info("old")).state_digest == digest
        assert [one.age < 60 for one in await episodes.kept()] == [True]


async def test_commands_collect_back_up_and_restore(home, envfarm, tmp_path_factory):  # noqa: F811
    kept = home / "kept.tar.gz"
    with farm_process(home, "--free-play") as farm:
        assert await note_ids(farm.mcp("small", "a")) == "OWN-1-N2"
        told = json.loads(envfarm("backup", str(kept), "--json").stdout)
        assert (told["episodes"], told["runs"]) == (1, 0)
        assert envfarm("backup", str(kept)).returncode == 1
        assert await note_ids(farm.mcp("small", "a")) == "OWN-1-N3"
        assert "expected a store that nobody writes" in envfarm("restore", str(kept), "--force").stderr
        assert json.loads(envfarm("gc", "--idle-hours", "0.00001", "--dry-run", "--json").stdout)["removed"] == []
        async with farm.control() as control:
            await control.post("/v1/episodes/small~a/close")
        assert envfarm("gc", "--keep-days", "0").stdout == "closed 0 episodes, forgot 0 episodes\n"
    assert "canary" not in str(kept)
    with tarfile.open(kept) as archive:
        assert not [name for name in archive.getnames() if "token" in name]
    refused = envfarm("restore", str(kept))
    assert "expected a home without records" in refused.stderr
    assert envfarm("restore", str(kept), "--force").returncode == 0
    with farm_process(home, "--free-play") as farm:
        assert await note_ids(farm.mcp("small", "a")) == "OWN-1-N3"  # as when it was kept, not as when it was stopped
    shutil.rmtree(home / "store")
    damaged = home / "damaged.tar.gz"
    damaged.write_bytes(kept.read_bytes()[:-200])
    assert "expected a backup" in envfarm("restore", str(damaged)).stderr
    assert not (home / "store/records.sqlite").exists()


@pytest.mark.parametrize("name", ["../evil", "/etc/evil", "store/../../evil", "tokens", "C:/evil", "store\\..\\evil"])
def test_a_backup_that_names_files_elsewhere_is_refused(tmp_path, name):
    from registry.home import Home
    from server.archive import read_archive
    from server.errors import UserError

    file = tmp_path / "evil.tar.gz"
    with tarfile.open(file, "w:gz") as archive:
        entry = tarfile.TarInfo(name)
        entry.size = 1
        archive.addfile(entry, io.BytesIO(b"x"))
    with pytest.raises(UserError, match="expected plain files of a home"):
        read_archive(Home(root=tmp_path / "home"), file, force=True)
    assert not (tmp_path / "evil").exists()


async def test_a_store_that_recovers_is_ready_again(home):
    store = SqliteStore(home / "store")
    async with Episodes(Catalogue(home / "environments"), store).running() as episodes:
        await episodes.create(EpisodeSpec(environment="small", key="a"))
        store._database.execute("PRAGMA query_only = ON")
        with pytest.raises(StoreError):
            await episodes.call("a", "add_note", {"owner_id": "OWN-1", "text": "x"})
        assert episodes.trouble()
        store._database.execute("PRAGMA query_only = OFF")
        assert (await episodes.call("a", "add_note", {"owner_id": "OWN-1", "text": "x"})).kind == "ok"
        assert episodes.trouble() == ""
