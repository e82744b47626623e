"""Web pages: another site's page, or a rebound name, reaches neither agent plane nor control plane."""

import httpx
import pytest

from tests.interaction.wire_lines import modern
from tests.security.prey import headers_of

LIST = modern(1, "tools/list")
HOSTS = [
    "evil.example",
    "localhost.evil.example",
    "evil.example:8800",
    "127.0.0.1.evil.example",
    "127.0.0.1.nip.io",
    "localhost@evil.example",
    "evil.example#localhost",
    "localhost,evil.example",
    "[::1].evil.example",
    "0x7f000001",
    "2130706433",
    "0177.0.0.1",
    "localhost.",
    "LOCALHOST.evil.example",
    "xn--localhost-x",
    "169.254.169.254",
    "192.168.0.1",
    "farm",
    "",
    "localhost evil.example",
    "localhost:80:80",
    "localhost:evil",
    "[::ffff:127.0.0.1]",
]
ORIGINS = [
    "https://evil.example",
    "http://evil.example",
    "null",
    "http://localhost.evil.example",
    "https://localhost@evil.example",
    "file://",
    "chrome-extension://abc",
    "http://127.0.0.1.nip.io",
    "http://localhost:80.evil.example",
    "http://[::1].evil.example",
    "http://evil.example:8800",
    "ftp://localhost",
    "javascript://localhost",
    "http://localhost/",
    "http://localhost:evil",
    "http://LOCALHOST.evil",
    "data:",
    "http://localhost, https://evil.example",
]


@pytest.mark.parametrize("host", HOSTS)
async def test_a_rebound_name_is_refused(prey, host):
    answer = await prey.get("/healthz", **{"host": host})
    assert answer.startswith((b"HTTP/1.1 421", b"HTTP/1.1 400")), answer[:200]
    answer = await prey.get(prey.path, "POST", **{"host": host, "content-length": "0"})
    assert answer.startswith((b"HTTP/1.1 421", b"HTTP/1.1 400"))


@pytest.mark.parametrize("origin", ORIGINS)
async def test_a_page_of_another_site_is_refused_and_may_read_nothing(prey, origin):
    for method, path in (("POST", prey.path), ("GET", prey.path.replace("/mcp", "/sse")), ("OPTIONS", prey.path), ("DELETE", prey.path)):
        async with httpx.AsyncClient(trust_env=False) as http:
            answer = await http.request(
                method,
                f"{prey.farm.agent_url}{path}",
                json=LIST,
                headers={**headers_of(LIST), "origin": origin, "access-control-request-method": "POST"},
            )
        assert answer.status_code == 403, (method, origin)
        assert not [name for name in answer.headers if name.startswith("access-control")]


async def test_the_control_plane_gives_no_page_leave_to_read(prey):
    async with prey.farm.control() as control:
        for origin in ORIGINS:
            answer = await control.get("/v1/environments", headers={"origin": origin})
            assert not [name for name in answer.headers if name.startswith("access-control")]
        preflight = await control.options("/v1/episodes", headers={"origin": "https://evil.example", "access-control-request-method": "POST"})
        assert preflight.status_code == 405


async def test_a_rebound_name_does_not_reach_the_control_plane(prey):
    """A page has no token, and even with one the name must fit."""
    async with prey.farm.control() as control:
        for host in ("evil.example", "localhost.evil.example", "127.0.0.1.nip.io"):
            assert (await control.get("/v1/environments", headers={"host": host})).status_code == 421
            assert (await control.get("/healthz", headers={"host": host})).status_code == 421


async def test_a_form_of_a_page_cannot_call(prey):
    """Content types that need no preflight are refused even from an accepted origin."""
    async with httpx.AsyncClient(trust_env=False) as http:
        for kind in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x"):
            headers = {"content-type": kind, "accept": "application/json, text/event-stream"}
            answer = await http.post(f"{prey.farm.agent_url}{prey.path}", content=b'{"jsonrpc":"2.0","id":1,"method":"tools/list"}', headers=headers)
            assert answer.status_code in (400, 415), kind
