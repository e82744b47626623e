"""Hashes of tokens: what they let in, how they are replaced, what is on disk."""

import json
import stat

import pytest

from server.errors import UserError
from server.keyring import Keyring, digest, open_keyring, rotate
from server.tokens import ROLES, SECRETS, read_tokens, write_private


@pytest.fixture
def files(tmp_path):
    return tmp_path / "token_hashes", tmp_path / "tokens"


def test_the_file_that_servers_read_holds_no_token(files):
    keyring = open_keyring(*files)
    tokens = read_tokens(files[1])

    assert stat.S_IMODE(files[0].stat().st_mode) == 0o600
    assert [token for token in tokens.model_dump().values() if token in files[0].read_text()] == []
    assert [lock.role for lock in keyring.locks()] == list(ROLES)
    assert all(token.startswith(f"envfarm_{role}_") for role, token in tokens.model_dump().items())


def test_a_token_opens_for_its_role_and_no_other(files):
    keyring = open_keyring(*files)
    for role, token in read_tokens(files[1]).model_dump().items():
        assert [other for other in ROLES if keyring.allows(token, other)] == [role]
        assert keyring.allows(token, *ROLES)
        assert not keyring.allows(token)
        assert not keyring.allows(digest(token), *ROLES)
        assert not keyring.allows(token[:-1], *ROLES)
    assert not keyring.allows("", *ROLES)
    assert not keyring.allows("\udcff", *ROLES)


def test_tokens_of_before_are_taken_over(files):
    files[1].write_text(json.dumps({role: f"{role}-token-of-before" for role in ROLES}))
    files[1].chmod(0o600)

    assert open_keyring(*files).allows("grader-token-of-before", "grader")


def test_a_server_that_has_the_hashes_needs_no_tokens(files):
    kept = read_tokens(open_keyring(*files) and files[1])
    files[1].unlink()

    assert open_keyring(*files).allows(kept.control, "control")
    assert not files[1].exists()


def test_a_rotated_token_holds_at_once_and_the_old_one_no_longer(files):
    serving = open_keyring(*files)
    before = read_tokens(files[1])
    assert serving.allows(before.control, "control")

    rotate(Keyring(files[0]), files[1], ("control",), keep=False)

    after = read_tokens(files[1])
    assert serving.allows(after.control, "control")
    assert not serving.allows(before.control, "control")
    assert after.grader == before.grader
    assert serving.allows(after.grader, "grader")


def test_the_old_token_may_be_kept_until_it_is_revoked(files):
    serving = open_keyring(*files)
    before = read_tokens(files[1])
    old = next(lock.id for lock in serving.locks() if lock.role == "observer")
    rotate(Keyring(files[0]), files[1], ("observer",), keep=True)
    assert serving.allows(before.observer, "observer")

    assert Keyring(files[0]).remove([old, "ffffffff"]) == 1

    assert not serving.allows(before.observer, "observer")
    assert serving.allows(read_tokens(files[1]).observer, "observer")


def test_a_file_that_is_damaged_while_serving_changes_nothing_and_one_at_the_start_is_refused(files):
    serving = open_keyring(*files)
    token = read_tokens(files[1]).control
    assert serving.allows(token, "control")
    write_private(files[0], "{")

    assert serving.allows(token, "control")
    with pytest.raises(UserError, match="expected hashes of tokens"):
        open_keyring(*files)
    files[0].chmod(0o644)
    with pytest.raises(UserError, match="expected mode 600, got 644"):
        open_keyring(*files)


def test_secrets_that_an_engine_mounts_may_be_readable_in_their_container():
    assert SECRETS in (SECRETS / "envfarm_tokens").parents
