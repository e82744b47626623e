"""Listening sockets: sentences for what cannot be had, no delay of small packets."""

import socket

import pytest

from server.errors import UserError
from server.listen import address, bind


def test_a_port_in_use_is_one_sentence():
    with bind("127.0.0.1", 0, "--port") as taken, pytest.raises(UserError) as caught:
        bind("127.0.0.1", taken.getsockname()[1], "--port")
    assert str(caught.value).startswith("--port: expected a free port, got ")


def test_an_address_of_another_machine_is_one_sentence():
    with pytest.raises(UserError, match=r"^--host: expected an address of this machine, got 192\.0\.2\.1:"):
        bind("192.0.2.1", 0, "--host")


def test_an_unknown_name_is_one_sentence():
    with pytest.raises(UserError, match=r"^--host: expected an address of this machine, got no\.such\.host\.invalid:"):
        bind("no.such.host.invalid", 0, "--host")


def test_accepted_connections_send_small_packets_at_once():
    with bind("127.0.0.1", 0, "--port") as listener:
        listener.setblocking(True)
        with socket.create_connection(listener.getsockname()), listener.accept()[0] as accepted:
            assert accepted.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)


def test_the_unspecified_address_is_shown_as_one_that_can_be_reached():
    with bind("0.0.0.0", 0, "--port") as listener:
        assert address(listener) == f"127.0.0.1:{listener.getsockname()[1]}"
