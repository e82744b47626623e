"""`envfarm up` looks at its ports and its home before it builds anything."""

import socket
from pathlib import Path

import pytest

from registry.store.lock import give_back, take_lock
from tests.typed import typed


@pytest.mark.parametrize(
    ("option", "others"),
    [
        ("--port", ("--control-port", "0", "--sidecar-port", "0")),
        ("--control-port", ("--port", "0", "--sidecar-port", "0")),
        ("--sidecar-port", ("--port", "0", "--control-port", "0")),
        ("--worker-port", ("--workers", "2", "--control-port", "0", "--sidecar-port", "0")),
    ],
)
def test_a_port_that_is_taken_is_told_before_the_first_build(tmp_path: Path, option: str, others: tuple[str, ...]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        done = typed(tmp_path, "up", option, str(port), *others)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith(f"envfarm: {option}: expected a free port, got {port} on 127.0.0.1")
    assert not list(tmp_path.iterdir())


def test_a_port_that_is_named_twice_is_told_too(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    done = typed(tmp_path, "up", "--port", "0", "--control-port", str(port), "--sidecar-port", str(port))
    assert done.stderr.startswith(f"envfarm: --sidecar-port: expected a free port, got {port}")


@pytest.mark.parametrize("workers", ["1", "2"])
def test_a_home_that_another_farm_serves_is_told_before_the_first_build(tmp_path: Path, workers: str) -> None:
    store = tmp_path / "store"
    store.mkdir()
    held = take_lock(store)
    try:
        done = typed(tmp_path, "up", "--workers", workers, "--port", "0", "--worker-port", "0", "--control-port", "0", "--sidecar-port", "0")
    finally:
        give_back(held)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith(f"envfarm: {store}: expected a store that nobody writes, got one in use by process ")
    assert [one.name for one in tmp_path.iterdir()] == ["store"]
