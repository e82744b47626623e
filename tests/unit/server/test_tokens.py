"""Token files: made once, for their owner alone."""

import stat

import pytest

from server.errors import UserError
from server.tokens import bearer, open_tokens, read_tokens


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


@pytest.mark.parametrize(("header", "token"), [("Bearer abc", "abc"), ("bearer  abc ", "abc"), ("Basic abc", ""), ("abc", ""), (None, "")])
def test_bearer_reads_the_token_of_a_header(header, token):
    assert bearer(header) == token
