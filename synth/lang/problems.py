"""Problems of a seed as values, and the error that carries all of them.

SeedError               a seed cannot be used; `problems` holds every reason
ReportFull              ends the reading of a seed with too many problems; never leaves `synth.seed`
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from rapidfuzz import fuzz, process

from synth.lang.nodes import Where

Level = Literal["error", "warning", "advice"]
"""A seed with an error cannot be used; a warning is most likely a mistake; advice would make a better environment."""
WHOLE = "seed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """One thing that is wrong with a seed.

    Attributes:
        where: Place in the file.
        field: What it is about, as a path (`entities.Pet.fields.name`, `tools.cancel_appointment`); `seed` for all of it.
        expected: What should stand there.
        got: What stands there.
        fix: What to do, a sentence without its point.
        code: A stable name for this kind of problem, `UNKNOWN_NAME`.
    """

    where: Where
    field: str
    expected: str
    got: str
    fix: str
    code: str
    level: Level = "error"

    def __str__(self) -> str:
        return f"{self.where}: {self.field}: expected {self.expected}, got {self.got}. {self.fix}."


class SeedError(Exception):
    """A seed cannot be used.

    Args:
        problems: All of them, in the order of the file.
    """

    def __init__(self, problems: tuple[Problem, ...]) -> None:
        super().__init__("\n".join(str(one) for one in problems))
        self.problems = problems


class ReportFull(Exception):
    """There are more problems than anybody reads: reading on would only cost time."""


class Report:
    """Collects problems while a seed is read."""

    MOST = 200

    def __init__(self) -> None:
        self._problems: dict[tuple[Where, str, str], Problem] = {}

    def add(self, where: Where, field: str, *, expected: str, got: str, fix: str, code: str, level: Level = "error") -> None:
        """Note one problem; the same problem at the same place is noted once.

        Raises:
            ReportFull: When that makes as many as anybody reads.
        """
        problem = Problem(where=where, field=field or WHOLE, expected=expected, got=short(got), fix=fix, code=code, level=level)
        self._problems.setdefault((where, code, expected), problem)
        if len(self._problems) >= self.MOST:
            raise ReportFull

    @property
    def failed(self) -> bool:
        """Whether there is an error among the problems."""
        return any(one.level == "error" for one in self._problems.values())

    def problems(self) -> tuple[Problem, ...]:
        """All problems in the order of the file."""
        return tuple(sorted(self._problems.values(), key=lambda one: (one.where.line, one.where.column, one.code)))


def short(text: str, most: int = 120) -> str:
    """The text on one line, cut in the middle when it is long."""
    flat = " ".join(text.split())
    return flat if len(flat) <= most else f"{flat[: most - 40]} … {flat[-30:]}"


def closest(name: str, names: Iterable[str]) -> str:
    """The name most like the given one, or empty when none is much like it; of those that differ in case only, the one in its case."""
    if len(name) > 60:
        return ""
    choices = sorted(set(names))
    lowered = {one: one.lower() for one in choices}
    found = process.extract(name.lower(), lowered, scorer=fuzz.ratio, score_cutoff=60, limit=None)
    return max(found, key=lambda one: (one[1], fuzz.ratio(name, one[2])))[2] if found else ""


def advice(name: str, names: Iterable[str], what: str) -> str:
    """What to do about an unknown name: the close match if there is one, else what there is."""
    choices = sorted(set(names))
    near = closest(name, choices)
    if near:
        return f"Did you mean {near!r}"
    if not choices:
        return f"There is no {what} to choose from: declare one first"
    shown = ", ".join(choices[:12]) + (", …" if len(choices) > 12 else "")
    return f"Use a declared {what}: {shown}"
