"""`envfarm connect` and `envfarm show --server-json` give out no address that cannot serve, as the shared episode of a farm without free play."""

import json

import pytest

from registry.home import Home
from server.listen import address, bind
from server.running import Running, write_running
from tests.typed import typed
from tests.unit.registry.small_package import write_package


@pytest.fixture
def home(tmp_path):
    write_package(tmp_path / "environments")
    return tmp_path


def runs(home, agent_url, *, free_play=True):
    farm = Running(pid=1, agent_url=agent_url, control_url=agent_url, sidecar_url="", free_play=free_play)
    write_running(Home(root=home), farm)


def connect(home, *more):
    return typed(home, "connect", "small", "--client", "claude-code", *more)


def test_beside_a_farm_without_free_play_it_asks_for_an_episode(home):
    with bind("127.0.0.1", 0, "--port") as listening:
        runs(home, f"http://{address(listening)}", free_play=False)
        done = connect(home)
        listed = typed(home, "show", "small", "--server-json")
        given = connect(home, "--url", "http://farm/env/small/e/own/mcp")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("envfarm: small: expected a farm that lets agents open episodes, got one without free play. Give --url")
    assert (listed.returncode, listed.stdout) == (1, "")
    assert listed.stderr.endswith("got one without free play. Start it with --free-play to list it in a registry.\n")
    assert json.loads(given.stdout)["mcpServers"]["small"]["url"] == "http://farm/env/small/e/own/mcp"


def test_where_no_farm_runs_it_says_so_and_gives_the_usual_address(home):
    done = connect(home)
    assert done.returncode == 0
    assert "envfarm: nobody answers at http://127.0.0.1:1 now: start the farm with `envfarm up`" in done.stderr
    assert json.loads(done.stdout)["mcpServers"]["small"]["url"] == "http://127.0.0.1:1/env/small/mcp"


def test_beside_a_farm_with_free_play_it_gives_its_address_without_a_warning(home):
    with bind("127.0.0.1", 0, "--port") as free:
        free.listen()
        url = f"http://{address(free)}"
        runs(home, url)
        done = connect(home)
    assert "nobody answers" not in done.stderr
    assert json.loads(done.stdout)["mcpServers"]["small"]["url"] == f"{url}/env/small/mcp"
