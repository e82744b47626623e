"""Whether ids, order or timestamps tell targets from their distractors."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import comb

from registry.package.change import Stored
from synth.audit.case import Case
from synth.audit.classifier import Features, features, guess
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
        return min(1.0, 2 * at_least(max(self.first, self.pairs - self.first), self.pairs))


def at_least(count: int, of: int) -> float:
    """Probability that so many or more of fair draws come up."""
    ways: int = sum(comb(of, one) for one in range(count, of + 1))
    return ways / float(2**of)


def check_interleaved(cases: Sequence[Case], tally: Tally) -> None:
    """A guesser that looks at ids, positions and times alone, or has learnt from them, finds the target no better than by chance."""
    for clue in clues(cases):
        tally.count("clues pairs", clue.pairs)
        if clue.chance < CHANCE:
            tally.blame(cases[0].task.pack, "ids or times tell the target", f"{clue.name}: first in {clue.first} of {clue.pairs} pairs")
    learnt = guess(pairs_seen(cases))
    tally.count("classifier pairs", learnt.pairs)
    tally.count("classifier right", learnt.right)
    if learnt.pairs and at_least(learnt.right, learnt.pairs) < CHANCE:
        tally.blame(cases[0].task.pack, "ids or times tell the target", f"a classifier finds it in {learnt.right} of {learnt.pairs} pairs")


def _pairs(cases: Sequence[Case]) -> list[tuple[Case, str, str, str]]:
    """Each target and a distractor that was made for it, over all tasks that start from the bare world: case, table, their ids."""
    found: dict[tuple[str, str, str], Case] = {}
    for case in cases:
        if not case.task.public.patch:
            made = [one for one in distractors_of(case) if one.made and (one.table, one.distractor) in case.by_id]
            found |= {(one.table, one.target, one.distractor): case for one in made}
    return [(case, *pair) for pair, case in sorted(found.items(), key=lambda item: item[0])]


def clues(cases: Sequence[Case]) -> list[Clue]:
    """Ids (which are the order of results too) and each kind of time that the scorer leaves out."""
    counted: dict[str, list[bool]] = {"id": []}
    for case, table, target, other in _pairs(cases):
        counted["id"].append(target < other)
        mine, theirs = case.by_id[table, target][1], case.by_id[table, other][1]
        for name in _times(case, table):
            if mine[name] != theirs[name]:
                counted.setdefault(name, []).append(str(mine[name]) < str(theirs[name]))
    return [Clue(name=name, pairs=len(found), first=sum(found)) for name, found in sorted(counted.items())]


def _times(case: Case, table: str) -> list[str]:
    return [one.name for one in case.environment.meta.table(table).columns if one.kind == "datetime" and one.match == "exempt"]


def pairs_seen(cases: Sequence[Case]) -> list[tuple[Features, Features]]:
    """What a classifier sees of each target and its distractor; times in one place, whatever they are called."""
    known: dict[tuple[str, str], tuple[Mapping[str, int], Mapping[str, list[str]]]] = {}
    found: list[tuple[Features, Features]] = []
    for case, table, target, other in _pairs(cases):
        world = case.task.public.world
        if (world, table) not in known:
            places = {key: place for place, key in enumerate(case.ids[table])}
            times = _times(case, table)[:1]
            known[world, table] = places, {"time": sorted(str(case.by_id[table, key][1][name] or "") for key in places for name in times)}
        at, values = known[world, table]
        name = next(iter(_times(case, table)), "")
        seen = [features(key, case.ids[table], at, _timed(case.by_id[table, key][1], name), values) for key in (target, other)]
        found.append((seen[0], seen[1]))
    return found


def _timed(row: Mapping[str, Stored], name: str) -> dict[str, Stored]:
    return {"time": row.get(name)}
