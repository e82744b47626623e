"""Sessions of the older protocol, by the address where they were opened."""

import pytest

from server.agent.session_paths import SessionPaths


@pytest.fixture
def paths():
    """With a clock in `paths.now`."""

    class Clocked(SessionPaths):
        now = 0.0

    found = Clocked(3, clock=lambda: found.now)
    return found


def test_the_session_that_was_used_least_recently_is_idle_after_its_time(paths):
    for name in "ab":
        paths.bind(name, "key", "2025-06-18")
        paths.now += 1
    assert paths.idle(2) == "a"
    assert paths.idle(3) == ""
    assert paths.allows("a", "key")
    assert paths.idle(1) == "b"
    paths.now += 1
    assert paths.is_live("b", "key", 0)
    assert paths.idle(1) == "a"


def test_a_session_with_an_open_stream_is_not_idle(paths):
    paths.bind("a", "key")
    paths.now = 100
    with paths.holding("a"):
        paths.now = 200
        assert paths.idle(10) == ""
    assert paths.idle(0) == "a"
    with paths.holding("unknown"):
        assert paths.idle(0) == "a"


def test_the_least_recently_used_are_forgotten_first(paths):
    for name in "abcd":
        paths.bind(name, "key")
    assert len(paths) == 3
    assert not paths.allows("a", "key")
    assert paths.allows("b", "key")
