"""Live counts of an evaluation without a terminal."""

import pytest

from server.cli.eval_progress import counting


def test_a_try_that_is_repeated_counts_apart_from_the_runs(capsys: pytest.CaptureFixture[str]) -> None:
    with counting("noop") as count:
        count("MASKED", 0, 2, last=False)
        count("MASKED", 1, 2)
        count("MASKED", 1, 2, last=False)
        count("PASS", 2, 2)

    assert capsys.readouterr().err.splitlines() == ["noop: 1 of 2: 1 MASKED, 1 tried again", "noop: 2 of 2: 1 PASS, 1 MASKED, 2 tried again"]
