"""The list of what a farm offers, as registries of MCP servers give it."""

import json
import os
from pathlib import Path
from urllib.parse import quote

import httpx
import jsonschema
import pytest
from mcp import Client

from tests.farm import farm_here
from tests.unit.registry.small_package import write_package

SCHEMA = json.loads((Path(__file__).parents[1] / "data/server.schema.json").read_text())


@pytest.fixture
async def listed(farm):
    """Asks the agent's port."""
    async with httpx.AsyncClient(base_url=farm.agent_url, trust_env=False) as client:

        async def get(path, status=200, **query):
            answer = await client.get(f"/v0.1/servers{path}", params=query)
            assert answer.status_code == status
            assert answer.headers["content-type"] == "application/json"
            return answer.json()

        yield get


async def test_every_environment_is_listed_with_addresses_that_lead_there(listed, farm):
    found = await listed("")
    assert [one["server"]["name"] for one in found["servers"]] == ["local.envfarm/other", "local.envfarm/small"]
    assert found["metadata"] == {"count": 2}
    for one in found["servers"]:
        jsonschema.validate(one["server"], SCHEMA)
        assert one["_meta"]["io.modelcontextprotocol.registry/official"]["isLatest"] is True
        shared, _, own, _ = one["server"]["remotes"]
        for url in (shared["url"], own["url"].replace("{key}", "mine")):
            async with Client(url) as client:
                assert f"local.envfarm/{client.server_info.name}" == one["server"]["name"]


async def test_pages_go_on_where_the_cursor_says_and_end(farm, home, listed):
    for name in "abc":
        write_package(home / "environments", f"more_{name}")
    names, cursor = [], {}
    while True:
        page = await listed("", limit=2, **cursor)
        names += [one["server"]["title"] and one["server"]["name"].partition("/")[2] for one in page["servers"]]
        assert page["metadata"]["count"] == len(page["servers"]) <= 2
        if "nextCursor" not in page["metadata"]:
            break
        cursor = {"cursor": page["metadata"]["nextCursor"]}
    assert names == ["more_a", "more_b", "more_c", "other", "small"]
    assert (await listed("", limit=5))["metadata"] == {"count": 5}
    assert (await listed("", cursor="zzz")) == {"servers": [], "metadata": {"count": 0}}


async def test_a_list_is_narrowed_by_name_version_and_time(listed, home):
    version = (await listed("", search="SMALL"))["servers"][0]["server"]["version"]
    for query, names in (
        ({"search": "mall"}, ["small"]),
        ({"search": "nothing"}, []),
        ({"version": "latest"}, ["other", "small"]),
        ({"version": version}, ["small"]),
        ({"version": "9.9.9"}, []),
    ):
        found = await listed("", **query)
        assert [one["server"]["name"] for one in found["servers"]] == [f"local.envfarm/{name}" for name in names], query
    os.utime(home / "environments/other/env.toml", (0, 0))
    found = await listed("", updated_since="2001-01-01T00:00:00Z")
    assert [one["server"]["name"] for one in found["servers"]] == ["local.envfarm/small"]
    assert len((await listed("", updated_since="1970-01-01T00:00:00+00:00"))["servers"]) == 2


async def test_one_server_and_its_versions_are_found_by_name_encoded_or_not(listed):
    (one,) = (await listed("", search="small"))["servers"]
    version = one["server"]["version"]
    for name in ("local.envfarm%2Fsmall", "local.envfarm/small"):
        assert await listed(f"/{name}/versions") == {"servers": [one], "metadata": {"count": 1}}
        for number in ("latest", version, quote(version)):
            assert await listed(f"/{name}/versions/{number}") == one
    for wrong in (
        "/local.envfarm%2Fnone/versions",
        "/else.where%2Fsmall/versions",
        "/local.envfarm%2Fsmall/versions/0.0.1",
        "/local.envfarm%2F.../versions",
    ):
        assert await listed(wrong, status=404) == {"error": "Server not found"}


@pytest.mark.parametrize(
    "query", [{"limit": "0"}, {"limit": "x"}, {"limit": "-1"}, {"updated_since": "yesterday"}, {"updated_since": "2026-01-01T00:00:00"}]
)
async def test_parameters_that_cannot_be_read_are_refused_in_one_sentence(listed, query):
    ((name, _),) = query.items()
    assert (await listed("", status=400, **query))["error"].startswith(f"{name}: expected ")


async def test_it_can_only_be_read_and_without_free_play_it_is_not_there(farm, tmp_path_factory):
    empty = tmp_path_factory.mktemp("other")
    write_package(empty / "environments", "small")
    async with httpx.AsyncClient(trust_env=False) as http:
        for method in ("POST", "PUT", "DELETE", "PATCH"):
            answer = await http.request(method, f"{farm.agent_url}/v0.1/servers/local.envfarm%2Fsmall/versions/latest")
            assert (answer.status_code, answer.headers["allow"]) == (405, "GET")
        async with farm_here(empty, free_play=False) as closed:
            answer = await http.get(f"{closed.agent_url}/v0.1/servers")
        assert answer.status_code == 404
        assert answer.json()["error"]["message"].startswith("No episode at this address.")


async def test_a_package_that_cannot_be_read_is_left_out(listed, home):
    (home / "environments/small/env.toml").write_text("not a manifest")
    assert [one["server"]["name"] for one in (await listed(""))["servers"]] == ["local.envfarm/other"]
