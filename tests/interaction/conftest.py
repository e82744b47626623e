"""One farm per test, and every door to it."""

import pytest

from tests.farm import farm_for_fixture
from tests.interaction.doors import doors
from tests.unit.registry.small_package import write_package


@pytest.fixture
def home(tmp_path):
    write_package(tmp_path / "environments", "small")
    write_package(tmp_path / "environments", "other")
    return tmp_path


@pytest.fixture
async def farm(home):
    async with farm_for_fixture(home) as farm:
        yield farm


@pytest.fixture(params=list(doors()), ids=lambda door: door.name)
def door(request):
    return request.param


@pytest.fixture
def connect(door, farm):
    """Opens a client at the episode of this key: `async with connect("a") as client`."""
    return lambda key: door.open(farm, key)
