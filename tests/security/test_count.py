"""The page on security says how many attacks there are; it says the truth."""

import re
from pathlib import Path

from tests.security.count import attacks

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs/security.md").read_text(encoding="utf-8")


def test_the_page_counts_what_the_tests_try():
    told = {name: int(number) for name, number in re.findall(r"^\| ([\w ]+) \| (\d+) \|$", PAGE, re.MULTILINE)}

    assert told == {**attacks(), "together": sum(attacks().values())}, "run `python -m tests.security.count`"


def test_each_test_that_the_page_names_is_there():
    named = []
    for row in re.findall(r"^\| .* \| (.*`test_\w+\.py`.*) \|$|^\| .* \| (.*`tests/.*) \|$", PAGE, re.MULTILINE):
        file = ""
        for word in re.findall(r"`([^`]+)`", "".join(row)):
            if word.endswith(".py"):
                file = (ROOT / (word if "/" in word else f"tests/security/{word}")).read_text(encoding="utf-8")
            else:
                named.append(word)
                assert f"def test_{word}(" in file, word

    assert len(named) >= 30
