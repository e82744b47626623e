"""Where advice on a seed is noted."""

from dataclasses import dataclass

from synth.lang.nodes import Where
from synth.lang.problems import Level, Report

Difference = tuple[str, str]
"""What was expected, and what is there."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """Notes warnings and advice in a report."""

    report: Report

    def warning(self, where: Where, field: str, difference: Difference, fix: str, code: str) -> None:
        """Note what is most likely a mistake, though the seed works."""
        self._add(where, field, difference, fix, code, "warning")

    def advice(self, where: Where, field: str, difference: Difference, fix: str, code: str) -> None:
        """Note what would make a better environment."""
        self._add(where, field, difference, fix, code, "advice")

    def _add(self, where: Where, field: str, difference: Difference, fix: str, code: str, level: Level) -> None:
        expected, got = difference
        self.report.add(where, field, expected=expected, got=got, fix=fix, code=code, level=level)
