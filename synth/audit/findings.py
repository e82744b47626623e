"""What an audit finds, and what it counts."""

from collections import Counter
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One thing that is wrong with a task.

    Attributes:
        reason: Short, countable: `gold fails`, `weak distractor`.
        detail: One sentence for a person.
    """

    task: str
    reason: str
    detail: str = ""


@dataclass(slots=True)
class Tally:
    """Findings and counts of one pack while it is audited."""

    findings: list[Finding] = field(default_factory=list)
    counts: Counter[str] = field(default_factory=Counter)

    def count(self, name: str, number: int = 1) -> None:
        """Adds to a count; a count that was named once is reported even when it is 0."""
        self.counts[name] += number

    def blame(self, task: str, reason: str, detail: str = "") -> None:
        """Notes that something is wrong with a task."""
        self.findings.append(Finding(task=task, reason=reason, detail=detail))
