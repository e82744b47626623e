"""What happens to which call: drawn from its number on the branch and its tool."""

from dataclasses import dataclass

from registry.noise.chance import Chance
from registry.noise.profiles import ERRORS, Effect, Profile

IN_A_ROW = 2
"""Calls after one another that may be disturbed; the next one is left alone, so that trying again always helps."""
RETRY_AFTER = {"try_again": 1, "rate_limited": 2, "timeout": 1}
"""Seconds that an agent is asked to wait; the environment's own clock moves by one with each call."""


@dataclass(frozen=True, slots=True)
class Schedule:
    """The draws of one episode."""

    profile: Profile
    chance: Chance

    def effect(self, call: int, tool: str, fitting: tuple[Effect, ...]) -> Effect | None:
        """What happens to this call, if anything.

        Args:
            call: Calls of the branch before it.
            tool: True name.
            fitting: Effects that fit the tool.
        """
        if not self.disturbed(call):
            return None
        weighed = [(effect, self.profile.weights[effect]) for effect in fitting if effect in self.profile.weights]
        return self.chance.among(weighed, "effect", call, tool) if weighed else None

    def disturbed(self, call: int) -> bool:
        """Whether anything happens to the call of that number."""
        return self._drawn(call) and not all(self._drawn(call - back) for back in range(1, IN_A_ROW + 1))

    def others_act(self, call: int) -> bool:
        """Whether another actor does something before this call."""
        return self.chance.share("others", call) < self.profile.others

    def after(self, call: int) -> bool:
        """Whether a call that times out is carried out all the same."""
        return self.chance.share("after", call) < 0.5

    def latency(self, call: int, effect: Effect | None) -> int:
        """Milliseconds that the answer takes: mostly about the typical time, seldom much longer; the longest for a time-out."""
        typical, longest = self.profile.latency
        if effect == "timeout":
            return longest
        if effect in ERRORS:
            return typical // 2
        share = self.chance.share("latency", call)
        return min(longest, int(typical * (0.5 + share + (share**8) * 10)))

    def _drawn(self, call: int) -> bool:
        return call >= 0 and self.chance.share("disturbed", call) < self.profile.disturbed
