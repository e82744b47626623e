"""Whether ids, order or timestamps tell targets from their distractors."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import comb

from synth.audit.case import Case
from synth.audit.distractors import distractors_of
from synth.audit.findings import Tally

CHANCE = 0.001
"""Probability, if nothing tells them apart, below which a clue is held to be one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Clue:
    """How often the target comes before its distractor in one respect, of the pairs in which the two differ."""

    name: str
    pairs: int
    first: int

    @property
    def chance(self) -> float:
        """Probability of a count as far from the half, by chance."""
        if not self.pairs:
            return 1.0
        extreme = max(self.first, self.pairs - self.first)
        ways: int = sum(comb(self.pairs, one) for one in range(extreme, self.pairs + 1))
        return min(1.0, 2 * ways / float(2**self.pairs))


def check_interleaved(cases: Sequence[Case], tally: Tally) -> None:
    """A guesser that looks at ids, positions and times alone finds the target no better than by chance."""
    for clue in clues(cases):
        tally.count("clues pairs", clue.pairs)
        if clue.chance < CHANCE:
            tally.blame(cases[0].task.pack, "ids or times tell the target", f"{clue.name}: first in {clue.first} of {clue.pairs} pairs")


def clues(cases: Sequence[Case]) -> list[Clue]:
    """Ids (which are the order of results too) and each kind of time that the scorer leaves out, over all tasks that start from the bare world."""
    pairs: dict[tuple[str, str, str], Case] = {}
    for case in cases:
        if not case.task.public.patch:
            made = [one for one in distractors_of(case) if one.made and (one.table, one.distractor) in case.by_id]
            pairs |= {(one.table, one.target, one.distractor): case for one in made}
    counted: dict[str, list[bool]] = {"id": []}
    for (table, target, other), case in sorted(pairs.items(), key=lambda item: item[0]):
        counted["id"].append(target < other)
        mine, theirs = case.by_id[table, target][1], case.by_id[table, other][1]
        for column in case.environment.meta.table(table).columns:
            if column.kind == "datetime" and column.match == "exempt" and mine[column.name] != theirs[column.name]:
                counted.setdefault(column.name, []).append(str(mine[column.name]) < str(theirs[column.name]))
    return [Clue(name=name, pairs=len(found), first=sum(found)) for name, found in sorted(counted.items())]
