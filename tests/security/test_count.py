"""The page on security says how many attacks there are; it says the truth."""

import re
from pathlib import Path

from tests.security.count import attacks

PAGE = (Path(__file__).resolve().parents[2] / "docs/security.md").read_text(encoding="utf-8")


def test_the_page_counts_what_the_tests_try():
    told = {name: int(number) for name, number in re.findall(r"^\| ([\w ]+) \| (\d+) \|$", PAGE, re.MULTILINE)}

    assert told == {**attacks(), "together": sum(attacks().values())}, "run `python -m tests.security.count`"
