"""A farm of several workers: keys name their worker, one control plane leads to all, and so does nginx by path alone."""

import contextlib
import json
import os
import re
import shutil
import signal
import subprocess
import tempfile
from pathlib import Path

import anyio
import httpx
import pytest

from registry.catalogue import Catalogue
from registry.config import RegistrySettings
from registry.episode import Episodes, EpisodeSpec
from registry.errors import StoreLocked
from registry.home import Home
from registry.store.choose import store_of
from registry.store.lock import take_lock
from server.building import builder
from server.listen import bind
from server.router import worker_of
from tests.farm import ROOT, farm_process
from tests.interaction.test_agent_plane import JSON
from tests.interaction.test_farm_process import note_ids
from tests.made_once import put_packages
from tests.postgres import missing, postgres_server

NGINX = shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin")
pytestmark = pytest.mark.timeout(300)
WORKERS = ("--workers", "2", "--worker-port", "0")


@pytest.mark.parametrize(
    ("key", "worker"), [("w1-abc", 1), ("w2-abc", 2), ("w12-x", 12), ("w0-x", 1), ("abc", 1), ("w2", 1), ("small~a", 1), ("xw2-a", 1)]
)
def test_the_number_in_a_key_names_its_worker(key, worker):
    assert worker_of(key) == worker


async def served(http, key):
    return (await http.get(f"/v1/episodes/{key}")).json()


async def kept_by(home, worker):
    """The key of an episode that a single process (0) or a worker kept, and that waits for its next call."""
    settings = RegistrySettings(worker=worker)
    async with Episodes(Catalogue(home / "environments"), store_of(settings, Home(root=home), 4), settings).running() as episodes:
        return (await episodes.create(EpisodeSpec(environment="small"))).key


async def test_episodes_are_spread_over_workers_and_each_is_found_by_its_key(home):
    older = [await kept_by(home, worker) for worker in (0, 3)]
    with farm_process(home, *WORKERS, sidecar=True) as farm:
        async with farm.control() as control:
            made = [(await control.post("/v1/episodes", json={"environment": "small"})).json() for _ in range(4)]
            assert [one["key"][:3] for one in made] == ["w1-", "w2-", "w1-", "w2-"]
            assert len({one["mcp_url"].partition("/env/")[0] for one in made}) == 2
            for one in made:
                assert await note_ids(one["mcp_url"]) == "OWN-1-N2"
                assert (await served(control, one["key"]))["calls"] == 1
            forked = (await control.post(f"/v1/episodes/{made[1]['key']}/fork", json={"at": 1})).json()
            assert forked["key"].startswith("w2-")
            assert await note_ids(forked["mcp_url"]) == "OWN-1-N3"
            assert (await served(control, "w3-nothing"))["error"]["code"] == "EPISODE_NOT_FOUND"
            for key in older:  # of a farm with one process, and of one with more workers
                assert await note_ids((await served(control, key))["mcp_url"]) == "OWN-1-N2"
                assert (await served(control, key))["calls"] == 1
            refused = await control.post("/v1/episodes", json={"environment": "small", "key": "w3-mine"})
            assert refused.json()["error"]["code"] == "EPISODE_REFUSED"
            assert (await control.get("/v1/environments")).json()["environments"][1]["id"] == "small"
            assert 'envfarm_calls_total{outcome="ok"} 7.0' in (await control.get("/v1/metrics")).text
            assert (await control.post("/v1/gc", json={"dry": True})).json() == {"closed": [], "removed": []}
            assert [(await control.get(path)).status_code for path in ("/healthz", "/readyz")] == [200, 200]
        async with farm.control(token="nobody") as stranger:
            for path in ("/v1/environments", f"/v1/episodes/{made[1]['key']}", "/v1/metrics"):
                assert (await stranger.get(path)).status_code == 401
        async with httpx.AsyncClient(trust_env=False) as http:
            assert (await http.get(f"{farm.sidecar_url}/readyz")).status_code == 200
        with pytest.raises(StoreLocked):  # so that neither a second farm nor `envfarm restore` works on the home
            take_lock(home / "store")
    assert sorted(path.name for path in (home / "logs").iterdir()) == ["worker-1.log", "worker-2.log"]


@pytest.mark.every_domain
@pytest.mark.skipif(bool(missing()), reason=missing() or "there")
async def test_a_worker_with_records_on_postgresql_comes_back_with_its_episodes(home):
    with postgres_server() as server:
        url = server.database()
        await killed_and_back(home, ENVFARM_STORE=url)
        with farm_process(home, *WORKERS, ENVFARM_STORE=url) as farm:
            async with farm.control() as control:
                assert "envfarm_open_episodes 2.0" in (await control.get("/v1/metrics")).text
            (home / "second").mkdir()
            with pytest.raises(AssertionError, match="in use by another farm"), farm_process(home / "second", *WORKERS, ENVFARM_STORE=url):
                pass
    assert not list((home / "store").rglob("records.sqlite"))


async def test_a_worker_that_is_killed_comes_back_with_its_episodes(home):
    await killed_and_back(home)


async def killed_and_back(home, **variables):
    with farm_process(home, *WORKERS, **variables) as farm:
        async with farm.control() as control:
            made = [(await control.post("/v1/episodes", json={"environment": "small"})).json() for _ in range(2)]
            assert [await note_ids(one["mcp_url"]) for one in made] == ["OWN-1-N2"] * 2
            port = re.search(r":(\d+)/", made[1]["mcp_url"])[1]
            os.kill(worker_on(port, farm.process.pid), signal.SIGKILL)
            assert await note_ids(made[0]["mcp_url"]) == "OWN-1-N3"
            with anyio.fail_after(120):
                while (await control.get(f"/v1/episodes/{made[1]['key']}")).status_code != 200:  # noqa: ASYNC110 (another process)
                    await anyio.sleep(0.1)  # asking all the time would keep the processor from the worker
            assert await note_ids(made[1]["mcp_url"]) == "OWN-1-N3"
    assert "worker 2 ended with exit code -9; starting it again" in (home / "farm.err").read_text()


def worker_on(port, parent):
    """The process below the farm whose environment names the port."""
    for place in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if f"ENVFARM_PORT={port}\0".encode() in (place / "environ").read_bytes() and f"PPid:\t{parent}\n" in (place / "status").read_text():
                return int(place.name)
    raise AssertionError(port)


@pytest.mark.every_domain
async def test_what_is_missing_is_built_while_workers_serve(tmp_path):
    put_packages(tmp_path / "environments", "vet_clinic")
    with farm_process(tmp_path, *WORKERS, "--build", "--port", "9830") as farm:
        assert [one["id"] for one in farm.ready["environments"]] == ["vet_clinic"]
        assert builder(Home(root=tmp_path))
    said = (tmp_path / "farm.err").read_text()
    assert "building what is missing while serving" in said
    assert "--port 9830 is not used: each of 2 workers has a port of its own" in said


@contextlib.contextmanager
def nginx(ports):
    """nginx with our example, its ports replaced; gives its address."""
    with bind("127.0.0.1", 0, "--port") as free:
        own = free.getsockname()[1]
    text = (ROOT / "docs/nginx.conf").read_text(encoding="utf-8")
    for shown, real in (("listen 8800", f"listen 127.0.0.1:{own}"), ("8811", ports[0]), ("8812", ports[1])):
        assert shown in text
        text = text.replace(shown, str(real))
    with tempfile.TemporaryDirectory(prefix="envfarm-nginx-") as folder:
        Path(folder).chmod(0o755)
        (Path(folder) / "nginx.conf").write_text(text)
        words = [NGINX, "-p", folder, "-c", "nginx.conf", "-e", "error.log", "-g", f"daemon off; pid {folder}/pid; error_log {folder}/error.log;"]
        process = subprocess.Popen(words, stderr=subprocess.DEVNULL)
        try:
            yield f"http://127.0.0.1:{own}"
        finally:
            process.terminate()
            process.wait(10)


@pytest.mark.skipif(NGINX is None, reason="nginx is not installed")
async def test_one_public_port_leads_to_every_worker_by_path_alone(home):
    with farm_process(home, *WORKERS, "--no-free-play") as farm:
        async with farm.control() as control:
            made = [(await control.post("/v1/episodes", json={"environment": "small"})).json() for _ in range(2)]
            real = [int(re.search(r":(\d+)/", one["mcp_url"])[1]) for one in made]
            with nginx(real) as public:
                async with httpx.AsyncClient(base_url=public, headers=JSON, trust_env=False) as http:
                    with anyio.fail_after(60):
                        while not await answers(http):  # noqa: ASYNC110 (another process)
                            await anyio.sleep(0.1)
                    for number, one in enumerate(made, start=1):
                        url = public + one["mcp_url"][one["mcp_url"].index("/env/") :]
                        assert await note_ids(url) == "OWN-1-N2"
                        assert await note_ids(url, mode="legacy") == "OWN-1-N3"
                        assert (await served(control, one["key"]))["calls"] == 2, number
                        crossed = url.replace(f"/w{number}-", f"/w{3 - number}-")
                        assert (await http.post(crossed, json={})).status_code == 404
                        assert (await http.post(url.replace(f"/w{number}-", f"/%77{number}-"), json={})).status_code == 404
                    for path in ("/v1/episodes", "/v1/environments", "/docs", "/metrics", "/env/../v1/episodes", "/env/..%2fv1/episodes"):
                        assert (await http.get(path)).status_code in (400, 404), path
                    await no_other_address(public, made[0]["key"])
                    smuggled = f"{made[0]['mcp_url'][made[0]['mcp_url'].index('/env/') :]}"
                    await no_second_request(public, smuggled)
    assert json.loads((home / "tokens").read_text())


async def answers(http):
    with contextlib.suppress(httpx.TransportError):
        return (await http.get("/")).status_code == 404
    return False


async def no_other_address(public, mine):
    """Whatever nginx makes of a request target, the farm or nginx itself says that nothing is there."""
    from tests.security.prey import status
    from tests.security.test_addresses import CLIMBS, ELSEWHERE, UNICODE

    async def one(target):
        data = f"GET {target.replace('{mine}', mine)} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n"
        answer = b""
        async with await anyio.connect_tcp("127.0.0.1", int(public.rpartition(":")[2])) as stream:
            await stream.send(data.encode("utf-8", "surrogateescape"))
            with contextlib.suppress(anyio.EndOfStream, anyio.BrokenResourceError):
                while True:
                    answer += await stream.receive()
        assert status(answer) in (0, 400, 404, 505), (target, answer[:200])
        assert b"episodes" not in answer

    with anyio.fail_after(60):
        async with anyio.create_task_group() as tasks:
            for target in (*ELSEWHERE, *CLIMBS, *UNICODE):
                tasks.start_soon(one, target)


async def no_second_request(public, path):
    """Requests in two readings: nginx and the farm agree on where each ends."""
    from tests.security.test_http import SECOND, SMUGGLED, request

    port = int(public.rpartition(":")[2])
    for name, (lines, body) in SMUGGLED.items():
        data = request(path, *((lines,) if isinstance(lines, bytes) else lines), body=body)
        stream = await anyio.connect_tcp("127.0.0.1", port)
        answer = b""
        async with stream:
            await stream.send(data)
            with anyio.move_on_after(0.2):
                with contextlib.suppress(anyio.EndOfStream, anyio.BrokenResourceError):
                    while True:
                        answer += await stream.receive()
        assert b'"episodes"' not in answer, name
        assert b"environments" not in answer, name
        assert SECOND not in answer, name
