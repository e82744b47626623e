"""A farm with something to steal: each attack is made with one address in hand, and must bring nothing home."""

import json

import httpx
import pytest

from tests.farm import farm_for_fixture
from tests.security.prey import CANARIES, SECONDS, Prey, add_secrets
from tests.unit.registry.small_package import write_package


def agent(farm):
    return httpx.AsyncClient(base_url=farm.agent_url, trust_env=False, timeout=SECONDS)


@pytest.fixture
async def prey(tmp_path, monkeypatch):
    """A farm without free play, two episodes in it, secrets all around; afterwards the other episode must be as it was."""
    for name in ("small", "other"):
        write_package(tmp_path / "environments", name)
    add_secrets(tmp_path)
    monkeypatch.setenv("ENVFARM_CANARY", CANARIES["variable"])
    async with farm_for_fixture(tmp_path, free_play=False, max_sessions_each=10) as farm, farm.control() as control, agent(farm) as http:
        prey = await Prey.plant(farm, control, http)
        yield prey
        assert await prey.ordinary_call() == 200
        for key, digest in prey.digests.items():
            shown = (await control.get(f"/v1/episodes/{key}")).json()
            assert (shown["state_digest"], shown["status"]) == (digest, "open")
        assert len((await control.get(f"/v1/episodes/{prey.foreign}/log")).json()["records"]) == 1
    assert json.loads((tmp_path / "tokens").read_text())
