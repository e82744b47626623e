"""The guard: Host, Origin, depth."""

import json

import pytest

from server.agent.guard import Guard, accepted_hosts, accepted_origins, deeper_than


def guard(*hosts, bind="127.0.0.1", origins=()):
    accepted = accepted_hosts(bind, hosts)
    return Guard(hosts=accepted, origins=accepted_origins(accepted, origins), max_body=1000, max_depth=8)


def scope(**headers):
    return {"headers": [(name.encode(), value.encode()) for name, value in headers.items()]}


@pytest.mark.parametrize("host", ["localhost", "localhost:8800", "127.0.0.1:8800", "[::1]:9", "LOCALHOST:1"])
def test_loopback_names_are_served_with_and_without_port(host):
    assert guard().headers(scope(host=host)) is None


@pytest.mark.parametrize("host", ["evil.example", "evil.example:8800", "localhost.evil.example", "", "localhost:x", "127.0.0.1:80:80"])
def test_other_names_are_misdirected(host):
    assert guard().headers(scope(host=host)).status == 421


def test_configured_names_are_served():
    assert guard("farm.example").headers(scope(host="farm.example:443")) is None
    assert guard("farm.example:443").headers(scope(host="farm.example:443")) is None
    assert guard("farm.example:443").headers(scope(host="farm.example:80")).status == 421
    assert guard("farm.example:*").headers(scope(host="farm.example")) is None
    assert guard("*").headers(scope(host="anything")) is None


def test_pages_of_other_origins_are_forbidden():
    assert guard().headers(scope(host="localhost", origin="http://localhost:3000")) is None
    assert guard().headers(scope(host="localhost", origin="https://evil.example")).status == 403
    assert guard().headers(scope(host="localhost", origin="null")).status == 403
    assert guard(origins=("https://ok.example",)).headers(scope(host="localhost", origin="https://ok.example")) is None


def test_an_unspecified_bind_address_accepts_no_host_of_its_own():
    assert guard(bind="0.0.0.0").headers(scope(host="0.0.0.0:8800")).status == 421


def test_depth_counts_brackets_outside_strings():
    assert not deeper_than(json.dumps({"a": "[" * 100}).encode(), 8)
    assert not deeper_than(b"[" * 8 + b"]" * 8, 8)
    assert deeper_than(b"[" * 9 + b"]" * 9, 8)
    assert not deeper_than(b'["\\"[[[[[[[[[[[[", []]', 8)
    assert not deeper_than(b"[" + b"[]," * 1000 + b"[]]", 8)


def test_depth_of_a_hostile_body_is_found_in_linear_time():
    """Quadratic scanning of these 800,000 bytes would outlast the suite's time limit."""
    hostile = b"[" * 9 + b'"\\' * 400_000
    assert not deeper_than(hostile, 9)
    assert deeper_than(hostile, 8)
