"""Every environment of seeds/ at a farm of its own, and the programs that are pointed at it."""

import subprocess

import pytest

from tests.farm import farm_process
from tests.made_once import put_packages
from tests.seeds import ALL
from tests.typed import typed
from tests.wire import programs as others

RUN_SECONDS = 90


@pytest.fixture(scope="session")
def programs():
    reason = others.install()
    if reason:
        pytest.skip(reason)
    return others.find()


@pytest.fixture(scope="session")
def shipped(tmp_path_factory):
    """A home with every shipped environment."""
    home = tmp_path_factory.mktemp("wire") / "home"
    put_packages(home / "environments", *ALL)
    return home


@pytest.fixture(scope="session")
def farm(shipped):
    with farm_process(shipped) as farm:
        yield farm


@pytest.fixture(scope="session")
def environments(farm):
    """Their ids."""
    return [one["id"] for one in farm.ready["environments"]]


@pytest.fixture
def printed(farm):
    """What `envfarm connect` prints."""

    def run(*words):
        done = typed(farm.home, "connect", *words)
        assert done.returncode == 0, done.stderr
        return done.stdout

    return run


@pytest.fixture
def written(farm, printed):
    """Has `envfarm connect --write` write a client's file; gives what takes it out again."""

    def run(file, *words):
        printed(*words, "--write", "--file", str(file))
        return lambda: printed(*words[:3], "--undo", "--file", str(file))

    return run


@pytest.fixture
def run(tmp_path):
    """Runs a program in an empty folder with an empty home and no way to other hosts; gives what it did."""

    def start(*command, cwd=tmp_path, **variables):
        return subprocess.run(
            command, cwd=cwd, env=bare_variables(tmp_path, **variables), capture_output=True, text=True, timeout=RUN_SECONDS, stdin=subprocess.DEVNULL
        )

    return start


def bare_variables(home, **more):
    nowhere = dict.fromkeys(("HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy"), others.NOWHERE)
    return {"HOME": str(home), "PATH": "/usr/bin:/bin", "NO_PROXY": "127.0.0.1,localhost", "no_proxy": "127.0.0.1,localhost", **nowhere, **more}
