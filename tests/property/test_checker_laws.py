"""Laws of the checker: damaged seeds never make it fail, the same bytes give the same answer."""

import re
from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from synth.seed.layout import format_text
from synth.seed.read import check_seed

TEXTS = [Path(one).read_text(encoding="utf-8") for one in ("tests/data/whole_language.yaml", "tests/data/small_seed.yaml")]
TOKEN = re.compile(r"[A-Za-z_][A-Za-z_0-9]*|\d+|\s+|[^\sA-Za-z_0-9]")
PARTS = [TOKEN.findall(one) for one in TEXTS]
WORDS = sorted({one for one in PARTS[0] if one.strip()} | {"None", "lambda", "**", "1e9", "''", "is", "in", "unset", "create", "delete", "\ud7ff"})


@st.composite
def damaged(draw):
    """A seed with a few tokens lost, replaced or put elsewhere."""
    parts = list(draw(st.sampled_from(PARTS)))
    for _ in range(draw(st.integers(1, 4))):
        place = draw(st.integers(0, len(parts) - 1))
        what = draw(st.sampled_from(["lose", "replace", "insert", "cut"]))
        if what == "lose":
            parts[place] = ""
        elif what == "replace":
            parts[place] = draw(st.sampled_from(WORDS))
        elif what == "insert":
            parts.insert(place, draw(st.sampled_from(WORDS)))
        else:
            del parts[place : place + draw(st.integers(1, 20))]
        parts = parts or [""]
    return "".join(parts)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(damaged())
def test_a_damaged_seed_gives_a_domain_or_problems_that_can_be_read(text):
    domain, problems = check_seed(text.encode(), "damaged.yaml")
    lines = text.count("\n") + 1
    assert (domain is None) == any(one.level == "error" for one in problems)
    for one in problems:
        assert 1 <= one.where.line <= lines + 1
        assert one.where.column >= 1
        assert str(one).endswith(".")
        assert "\n" not in str(one)
        assert one.expected
        assert one.got
        assert one.fix


@settings(max_examples=15, deadline=None)
@given(damaged())
def test_the_same_bytes_give_the_same_answer(text):
    assert check_seed(text.encode(), "a.yaml") == check_seed(text.encode(), "a.yaml")


@settings(max_examples=30, deadline=None)
@given(st.lists(st.sampled_from(["\n", "\n\n", "  ", "   \n", "\n\n\n\n"]), min_size=1, max_size=6), st.integers(0, 10_000))
def test_layout_is_final_and_changes_no_meaning(spaces, place):
    text = TEXTS[1]
    lines = text.split("\n")
    for number, space in enumerate(spaces):
        at = (place * (number + 7)) % len(lines)
        lines[at] += space if space.strip(" ") == "" and "\n" not in space else " "
    once = format_text("\n".join(lines), "a.yaml")
    assert format_text(once, "a.yaml") == once
    assert check_seed(once.encode(), "a.yaml")[0] is not None
