"""The noise profiles: how often what happens."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal

from registry.package.noise import ProfileName

Effect = Literal["try_again", "rate_limited", "timeout", "dropped", "duplicate", "truncated", "reordered", "stale"]
ERRORS: frozenset[Effect] = frozenset({"try_again", "rate_limited", "timeout"})
FOR_WRITES: tuple[Effect, ...] = ("try_again", "rate_limited", "timeout", "dropped", "duplicate")
FOR_READS: tuple[Effect, ...] = ("try_again", "rate_limited", "timeout", "stale", "reordered")
FOR_PAGES: tuple[Effect, ...] = (*FOR_READS, "truncated")
FOR_HARNESS: tuple[Effect, ...] = ("try_again",)


@dataclass(frozen=True, slots=True, kw_only=True)
class Profile:
    """Rates of one profile.

    Attributes:
        disturbed: Share of calls that something happens to.
        weights: How often each effect is chosen for such a call, against those that fit it.
        latency: Milliseconds: typical, and the longest.
        renamed: Share of tools that have another name and description.
        distractors: Tools that are offered beside and do nothing.
        others: Share of calls before which another actor makes one of theirs.
    """

    disturbed: float
    weights: Mapping[Effect, int]
    latency: tuple[int, int]
    renamed: float
    distractors: int
    others: float


_OFFICE: dict[Effect, int] = {"try_again": 4, "rate_limited": 2, "timeout": 1, "reordered": 2, "truncated": 1}
_BAD_DAY: dict[Effect, int] = {
    "try_again": 4,
    "rate_limited": 2,
    "timeout": 3,
    "reordered": 2,
    "truncated": 2,
    "stale": 2,
    "dropped": 1,
    "duplicate": 1,
}
_CHAOS: dict[Effect, int] = {
    "try_again": 2,
    "rate_limited": 2,
    "timeout": 3,
    "reordered": 2,
    "truncated": 3,
    "stale": 3,
    "dropped": 3,
    "duplicate": 2,
}

PROFILES: Mapping[ProfileName, Profile] = MappingProxyType(
    {
        "office": Profile(disturbed=0.08, weights=_OFFICE, latency=(120, 900), renamed=0.0, distractors=0, others=0.05),
        "bad_day": Profile(disturbed=0.20, weights=_BAD_DAY, latency=(400, 4000), renamed=0.2, distractors=2, others=0.10),
        "chaos": Profile(disturbed=0.40, weights=_CHAOS, latency=(900, 15000), renamed=0.6, distractors=4, others=0.20),
    }
)
"""All but `none`, in which nothing happens."""
