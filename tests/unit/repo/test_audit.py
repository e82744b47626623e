"""The audit of dependencies: a hole fails, no network does not, and it is said which it was."""

import importlib.util
import json
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
spec = importlib.util.spec_from_file_location("audit", ROOT / ".ci/audit.py")
audit = importlib.util.module_from_spec(spec)
spec.loader.exec_module(audit)

CLEAN = {"name": "a", "version": "1", "vulns": []}
HOLE = {"name": "b", "version": "2", "vulns": [{"id": "PYSEC-1", "fix_versions": ["3"]}]}
UNKNOWN = {"name": "c", "skip_reason": "Dependency not found"}


@pytest.mark.parametrize(
    ("code", "out", "err", "judged"),
    [
        (0, [CLEAN], "", (0, "no known vulnerability in 1 packages")),
        (0, [CLEAN, UNKNOWN], "", (0, "no known vulnerability in 1 packages; 1 could not be asked about")),
        (1, [CLEAN, HOLE], "", (1, "b 2: PYSEC-1, mended in 3")),
        (0, [UNKNOWN], "", (0, "skipped: the index has no advisories for any of 1 packages")),
        (1, None, "x\nConnectionError: no route", (0, "skipped: no index answered (ConnectionError: no route)")),
    ],
)
def test_a_hole_fails_and_an_index_that_does_not_answer_is_told(code, out, err, judged):
    assert audit.judge(code, "" if out is None else json.dumps({"dependencies": out}), err) == judged


def test_the_check_asks_about_what_ships():
    text = (ROOT / "Makefile").read_text(encoding="utf-8")

    assert ".ci/audit.py requirements.lock requirements-extras.lock" in text
