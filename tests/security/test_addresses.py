"""Addresses: nothing but an MCP endpoint can be reached on the agents' port, however the request target is written."""

import pytest

from tests.interaction.wire_lines import modern
from tests.security.prey import status

ELSEWHERE = [
    "/v1/episodes",
    "/v1/environments",
    "/v1/tasks",
    "/v1/runs",
    "/docs",
    "/redoc",
    "/openapi.json",
    "/metrics",
    "/admin",
    "/debug",
    "/.env",
    "/.git/config",
    "/tokens",
    "/packs",
    "/packs/small-pack/gold/gold.jsonl",
    "/store/records.sqlite",
    "/environments/small/env.toml",
    "/favicon.ico",
    "/robots.txt",
    "/.well-known/openid-configuration",
    "/.well-known/oauth-authorization-server",
    "/farm.json",
    "/server-status",
    "/v1/tokens",
    "//",
    "/%2f",
]
CLIMBS = [
    "/env/small/e/{mine}/mcp/../../../../v1/episodes",
    "/env/small/e/{mine}/../{mine}/mcp",
    "/env/small/e/{mine}/%2e%2e/{mine}/mcp",
    "/env/../v1/episodes",
    "/env/%2e%2e/v1/episodes",
    "/env/..%2fv1/episodes",
    "/env/..%252f..%252fv1/episodes",
    "/env/..;/v1/episodes",
    "/env/small/e/..%2f..%2f..%2ftokens/mcp",
    "/env/small/e/....//....//tokens/mcp",
    "/env/small/..%5c..%5ctokens",
    "/env/small\\e\\{mine}\\mcp",
    "/env/small/e/%2e%2e%2f%2e%2e%2ftokens/mcp",
    "/env/%c0%ae%c0%ae/tokens",
    "/env/small/e/..%c0%af..%c0%aftokens/mcp",
    "/env/%uff0e%uff0e/tokens",
    "/env/small/e/{mine}/mcp%00.json",
    "/env/small%00/e/{mine}/mcp",
    "/env/small/e/{mine}%00/mcp",
    "/env/small/e/{mine}/mcp;x=1",
    "/env/small/e/{mine};a/mcp",
    "/env/small/e/{mine}%0d%0aX-Injected:%20yes/mcp",
    "/env/small/e/{mine}%0a/mcp",
    "/env/small/e/{mine}/mcp%0a",
    "/env/small/e/{mine}/mcp%20",
    "/env/small/e/%7bmine%7d/mcp",
    "/env/small/e/{mine}%2fmcp",
    "/env/small%2fe/{mine}/mcp",
    "/env%2fsmall/e/{mine}/mcp",
    "/./env/small/./e/{mine}/mcp",
    "//env/small/e/{mine}/mcp",
    "/env//small/e/{mine}/mcp",
    "/env/small/e/{mine}//mcp",
    "/env/small/e/{mine}/mcp//",
    "/env/small/E/{mine}/mcp",
    "/ENV/small/e/{mine}/mcp",
    "/env/Small/e/{mine}/mcp",
    "/env/small/e/{mine}/MCP",
    "/env/small/e/{mine}/mcp/admin",
    "/env/small/e/{mine}/gold",
    "/env/small/e/{mine}/messages/../../../other",
    "/env/small/e/*/mcp",
    "/env/*/e/{mine}/mcp",
    "/env/small/e/{mine}'--/mcp",
    "/env/small/e/%27%20OR%201=1/mcp",
]
UNICODE = [
    "/env/ſmall/e/{mine}/mcp",
    "/env/sma%c5%82l/e/{mine}/mcp",
    "/env/%ef%bd%93mall/e/{mine}/mcp",
    "/env/small%e2%80%8b/e/{mine}/mcp",
    "/env/small/e/{mine}%cc%81/mcp",
    "/env/small/e/%e2%80%ae{mine}/mcp",
    "/env/small/e/{mine}%ef%bc%8fmcp",
    "/env/small/e/{mine}/%ef%bd%8dcp",
    "/env/s%6dall/%ff/{mine}/mcp",
    "/env/%f0%9f%92%80/mcp",
    "/env/small/e/%d9%a1%d9%a2/mcp",
    "/env/%ed%a0%80/mcp",
]
FORMS = [
    "http://localhost:8801/v1/episodes",
    "http://127.0.0.1:{control}/v1/episodes",
    "https://localhost/v1/episodes",
    "http://localhost/v1/environments",
    "*",
    "localhost:8801",
    "/v1/episodes#/env/small/e/{mine}/mcp",
    "?/v1/episodes",
    "/?/env/small/e/{mine}/mcp",
    "file:///etc/passwd",
]
METHODS = ["PUT", "PATCH", "HEAD", "OPTIONS", "TRACE", "CONNECT", "PROPFIND", "DEBUG", "PURGE", "LOCK", "get", "SOURCE"]
QUERIES = [
    "key={foreign}",
    "e={foreign}",
    "environment=other",
    "path=/v1/episodes",
    "session_id={foreign}",
    "token=x",
    "_method=DELETE",
    "root_path=/v1",
    "debug=1",
    "../../x",
]


def filled(prey, target):
    return target.replace("{mine}", prey.mine).replace("{control}", prey.farm.control_url.rpartition(":")[2])


@pytest.mark.parametrize("targets", [ELSEWHERE, CLIMBS, UNICODE, FORMS], ids=["elsewhere", "climbs", "unicode", "forms"])
async def test_no_way_of_writing_a_target_leads_anywhere_else(prey, targets):
    for target in targets:
        for method in ("GET", "POST"):
            answer = await prey.get(filled(prey, target), method)
            assert status(answer) in (0, 400, 404), (target, answer[:200])
            prey.check(answer, target)


async def test_other_methods_do_nothing(prey):
    for method in METHODS:
        answer = await prey.get(prey.path, method)
        assert status(answer) in (400, 405), (method, answer[:100])
        prey.check(answer, method)


async def test_a_query_changes_nothing(prey):
    """A key in the query opens no other episode: what the address says is what is served."""
    for query in QUERIES:
        message = modern(1, "prompts/list")
        answer = await prey.post(message, path=f"{prey.path}?{query.replace('{foreign}', prey.foreign)}")
        assert answer.json()["result"]["prompts"] == [], query
        prey.check(answer.text, query)


async def test_an_address_is_not_served_under_a_second_spelling(prey):
    """A proxy in front may judge by the bytes of the path, so that there is one spelling of each."""
    for path in (f"/env/%73mall/e/{prey.mine}/mcp", f"/env/small/e/{prey.mine}/%6dcp", f"/%65nv/small/e/{prey.mine}/mcp"):
        assert (await prey.post(modern(1, "prompts/list"), path=path)).status_code == 404


async def test_every_port_of_the_farm_but_the_agents_wants_a_token(prey):
    async with prey.farm.control(token="x") as control:
        for path in ("/v1/episodes", "/v1/environments", f"/v1/episodes/{prey.foreign}", f"/v1/episodes/{prey.foreign}/log"):
            answer = await control.get(path)
            assert answer.status_code in (401, 405)
            assert "canary" not in answer.text
