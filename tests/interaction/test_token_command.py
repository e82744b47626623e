"""`envfarm token` beside a running farm: rotation needs no restart, of farm or sidecar."""

import json

import httpx
import pytest

from server.tokens import read_tokens
from tests.farm import farm_process
from tests.interaction.test_farm_process import envfarm  # noqa: F401 (a fixture)

pytestmark = pytest.mark.timeout(300)


async def status(url, token):
    async with httpx.AsyncClient(trust_env=False) as http:
        return (await http.get(url, headers={"authorization": f"Bearer {token}"})).status_code


async def test_tokens_are_made_rotated_and_revoked_while_farm_and_sidecar_serve(home, envfarm):  # noqa: F811
    with farm_process(home, sidecar=True) as farm:
        listing, tasks = f"{farm.control_url}/v1/environments", f"{farm.sidecar_url}/v1/tasks"
        before = farm.tokens
        assert [await status(listing, before.control), await status(tasks, before.grader)] == [200, 200]
        assert [await status(listing, before.grader), await status(tasks, before.control)] == [401, 401]

        made = json.loads(envfarm("token", "new", "observer", "--label", "board", "--json").stdout)
        assert [await status(listing, made["token"]), await status(tasks, made["token"])] == [200, 200]
        listed = json.loads(envfarm("token", "list", "--json").stdout)["tokens"]
        assert [(one["role"], one["label"]) for one in listed][-1] == ("observer", "board")
        assert made["token"] not in envfarm("token", "list").stdout
        assert envfarm("token", "revoke", made["id"]).returncode == 0
        assert await status(listing, made["token"]) == 401
        assert envfarm("token", "revoke", made["id"]).returncode == 1

        assert envfarm("token", "rotate").returncode == 0
        after = read_tokens(home / "tokens")
        assert [await status(listing, before.control), await status(tasks, before.grader)] == [401, 401]
        assert [await status(listing, after.control), await status(tasks, after.grader)] == [200, 200]
        assert envfarm("list").returncode == 0
        # The sidecar asks the farm with the new token: an unknown task is its own answer, a refused token would be 502.
        async with httpx.AsyncClient(trust_env=False, headers={"authorization": f"Bearer {after.grader}"}) as http:
            assert (await http.get(f"{farm.sidecar_url}/readyz")).status_code == 200
    assert before.control not in (home / "token_hashes").read_text()


@pytest.mark.parametrize("words", [("new", "agent"), ("rotate", "root"), ("revoke",)])
def test_wrong_roles_are_wrong_usage(words, envfarm):  # noqa: F811
    assert envfarm("token", *words).returncode == 2
