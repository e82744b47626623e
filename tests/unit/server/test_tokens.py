"""Token files: made once, for their owner alone."""

import json
import stat
from pathlib import Path

import httpx
import pytest

from server.errors import UserError
from server.tokens import bearer, open_tokens, read_tokens
from server.told import told
from tests.typed import typed


def test_the_file_is_made_for_its_owner_alone_and_read_again(tmp_path):
    made = open_tokens(tmp_path / "home" / "tokens")
    assert stat.S_IMODE((tmp_path / "home" / "tokens").stat().st_mode) == 0o600
    assert read_tokens(tmp_path / "home" / "tokens") == made
    assert len({made.control, made.grader, made.observer}) == 3
    assert [path.name for path in (tmp_path / "home").iterdir()] == ["tokens"]


def test_a_file_that_others_may_read_is_refused(tmp_path):
    open_tokens(tmp_path / "tokens")
    (tmp_path / "tokens").chmod(0o644)
    with pytest.raises(UserError, match="expected mode 600, got 644"):
        read_tokens(tmp_path / "tokens")


def test_a_file_of_something_else_is_refused(tmp_path):
    (tmp_path / "tokens").touch(mode=0o600)
    with pytest.raises(UserError, match="expected JSON with the tokens"):
        read_tokens(tmp_path / "tokens")


def test_a_file_that_is_missing_is_told_from_one_that_may_not_be_read(tmp_path, monkeypatch):
    (tmp_path / "file").touch()
    for path in (tmp_path / "none" / "tokens", tmp_path / "file" / "tokens"):
        with pytest.raises(UserError, match=r"expected a token file, got none\. Run `envfarm up` once"):
            read_tokens(path)
    with pytest.raises(UserError, match=r"got something that cannot be read \(Is a directory\)"):
        read_tokens(tmp_path)

    def refused(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "stat", refused)  # who runs tests as root may read everything
    for look in (read_tokens, open_tokens):
        with pytest.raises(UserError, match="expected a token file that you may read, got one that you may not"):
            look(tmp_path / "tokens")


def test_a_look_at_the_tokens_of_an_empty_home_makes_none(tmp_path):
    looked = typed(tmp_path, "token", "list", "--json")
    revoked = typed(tmp_path, "token", "revoke", "1a2b3c4d")

    assert (looked.returncode, json.loads(looked.stdout)) == (0, {"tokens": []})
    assert "expected ids of tokens" in revoked.stderr
    assert list(tmp_path.iterdir()) == []
    assert "`envfarm token init` makes them" in typed(tmp_path, "token", "list").stdout


def test_a_farm_that_does_not_take_the_token_is_said_to_be_of_another_home():
    request = httpx.Request("GET", "http://127.0.0.1:8802/v1/tasks")
    reply = httpx.Response(401, request=request, json={"error": {"code": "UNAUTHORIZED", "message": "Authorization: expected a bearer token."}})

    found = told(reply, "sidecar")

    assert found.code == "UNAUTHORIZED"
    assert "the farm at http://127.0.0.1:8802 " in found.message
    assert "belongs to another home" in found.message


@pytest.mark.parametrize(("header", "token"), [("Bearer abc", "abc"), ("bearer  abc ", "abc"), ("Basic abc", ""), ("abc", ""), (None, "")])
def test_bearer_reads_the_token_of_a_header(header, token):
    assert bearer(header) == token
