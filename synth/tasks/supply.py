"""Task packs on demand: worlds of their own, tasks on them, files."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from registry.package.pack import TaskKind
from synth.audit.gate import Gate
from synth.collecting import collected_seldom
from synth.data.stream import world_stream
from synth.data.world import World, donor_rows, make_world
from synth.lang.domain import Domain
from synth.reference.interpret import reference
from synth.reference.state import State
from synth.tasks.aim import LEVELS
from synth.tasks.draft import Draft
from synth.tasks.finishing.choose import chosen, spared, what_shows
from synth.tasks.finishing.dress import Rewriter
from synth.tasks.finishing.relabel import kept, relabel
from synth.tasks.level import level
from synth.tasks.make import MIX, Made, Making, making
from synth.tasks.pack import Batch, PackRequest, Split, Written, pack_files, pack_id, task_id
from synth.tasks.proving.others import REASON, with_other_routes

FIRST_WORLD: dict[Split, int] = {"train": 100_000, "val": 200_000, "test": 300_000}
SIBLING = 500_000
NEXT_BATCH = 1_000_000
"""Worlds of one split never are those of another: a batch takes the world of the split and seed, each later one that of a million further on."""
DEFAULT_COUNT = 40
PER_WORLD = 40
"""Tasks on one world: more would stand in each other's way."""
MOST_DRY = 3
"""So many worlds in a row that give nothing end the making."""
MOST_WRITTEN = 1_000
"""Files of so many tasks are kept as they were written, so that they need not be written again for each look of the gate."""
TURNS = 5
"""How often the gate looks at a batch: what is left out may make another task guessable."""
SPARE = 0.15
FURTHER = 4
"""So many further worlds are gone through for tools that no task uses."""
DISTURBED = "disturbed by another task"
FEW = "the pack has no room for a task with each tool"


@dataclass(frozen=True, slots=True, kw_only=True)
class Supply:
    """A pack's id, its files by path, its batches, and how the making went.

    Attributes:
        spent: Processor time of the making, without the gate, by level.
        discarded: Tries and tasks that came to nothing, by reason.
        unused: Tools that no task uses, and why.
    """

    id: str
    files: dict[str, bytes]
    batches: tuple[Batch, ...]
    tries: int
    spent: dict[int, float]
    discarded: dict[str, int]
    unused: dict[str, str]

    @property
    def drafts(self) -> tuple[Draft, ...]:
        """All tasks in order."""
        return tuple(draft for batch in self.batches for draft in batch.drafts)


@collected_seldom()
def supply(
    domain: Domain,
    environment_digest: str,
    count: int = DEFAULT_COUNT,
    seed: int = 0,
    split: Split = "test",
    gate: Gate | None = None,
    *,
    kinds: tuple[TaskKind, ...] = MIX,
    levels: frozenset[int] = LEVELS,
    rewriter: Rewriter | None = None,
    reworded_by: str = "",
    report: Callable[[str], None] = lambda line: None,
) -> Supply:
    """`count` tasks for one split; the same arguments give the same bytes, another split or seed other worlds.

    Args:
        environment_digest: Of the package that the tasks are for.
        seed: From 0 to 99,999.
        gate: Tells which tasks of a pack must not ship; they are left out, with their twins.
        kinds: In turn.
        levels: That a task may have; its twin has whatever it measures.
        rewriter: Puts messages into other words; `reworded_by` says what it is, and is a part of the pack's id.
        report: Told of the progress, one line at a time.
    """
    wanted = count // 2 * 2
    request = PackRequest(
        environment_digest=environment_digest, split=split, seed=seed, asked=count, kinds=kinds, levels=tuple(sorted(levels)), reworded_by=reworded_by
    )
    maker = _Maker(domain, request, gate, rewriter)
    dry = number = further = 0
    while dry < MOST_DRY:
        if maker.count < wanted or maker.sift():
            got = maker.batch(number, min(PER_WORLD, wanted - maker.count))
        elif further < FURTHER and wanted >= PER_WORLD and levels == LEVELS and maker.lacks:
            got, further = maker.batch(number, 0), further + 1
            maker.trim(wanted)
        else:
            break
        report(f"{maker.count} of {wanted} tasks made, {sum(maker.discarded.values())} tries and tasks discarded")
        dry, number = 0 if got or further else dry + 1, number + 1
    batches = tuple(maker.batches)
    unused = maker.unused()
    files = pack_files(domain, request, batches, maker.discarded, unused, maker.written)
    return Supply(
        id=pack_id(domain, request),
        files=files,
        batches=batches,
        tries=maker.tries,
        spent=dict(sorted(maker.spent.items())),
        discarded=dict(sorted(maker.discarded.items())),
        unused=unused,
    )


_last: list[tuple[Domain, World]] = []


def task_world(domain: Domain, number: int) -> World:
    """A world that tasks are made on; the last one is kept, since a build looks at it before it makes tasks.

    Raises:
        WorldError: As `make_world`.
    """
    if not (_last and _last[0][0] is domain and _last[0][1].number == number):
        _last[:] = [(domain, make_world(domain, number))]
    return _last[0][1]


class _Maker:
    """Batches made so far."""

    def __init__(self, domain: Domain, request: PackRequest, gate: Gate | None, rewriter: Rewriter | None) -> None:
        self.rewriter = rewriter
        self.spent: dict[int, float] = {}
        self.domain = domain
        self.request = request
        self.gate = gate
        self.batches: list[Batch] = []
        self.discarded: Counter[str] = Counter()
        self.tries = 0
        self.uncovered: dict[str, str] = {}
        self.written = Written()
        self.kinds: set[TaskKind] = set()
        self.levels: set[int] = set()
        self.shows = what_shows(domain, request.levels)
        self._donors: State | None = None
        self._last: Making | None = None
        self.lost: dict[str, str] = {}

    @property
    def count(self) -> int:
        """Tasks that are kept."""
        return sum(len(batch.drafts) for batch in self.batches)

    @property
    def used(self) -> Counter[str]:
        """How many tasks use each tool."""
        return Counter(tool for batch in self.batches for draft in batch.drafts for tool in draft.tools)

    @property
    def measured(self) -> frozenset[int]:
        """Levels that tasks have."""
        return frozenset(level(self.domain, draft) for batch in self.batches for draft in batch.drafts)

    @property
    def lacks(self) -> bool:
        """Whether the pack is without a tool, kind or level that it might have."""
        return bool(self.unused() or self.missing() or self.levels - self.measured)

    @property
    def donors(self) -> State:
        """Rows that lend their values to all worlds of the pack."""
        if self._donors is None:
            first = FIRST_WORLD[self.request.split] + self.request.seed
            self._donors = reference(self.domain).state(donor_rows(self.domain, first + SIBLING))
        return self._donors

    def unused(self) -> dict[str, str]:
        """Tools that no task uses, and why."""
        used = self.used
        reasons = {tool.name: self.lost.get(tool.name) or self.uncovered.get(tool.name) or FEW for tool in self.domain.tools}
        return {name: reason for name, reason in reasons.items() if not used[name]}

    def missing(self) -> tuple[TaskKind, ...]:
        """Kinds of tasks that were made and of which none is left."""
        left = {draft.kind for batch in self.batches for draft in batch.drafts}
        return tuple(one for one in dict.fromkeys(self.request.kinds) if one in self.kinds - left)

    def _lose(self, before: Sequence[Draft], after: Sequence[Draft], reason: str) -> None:
        """Notes why tasks with their tools are gone."""
        left = {draft.instruction for draft in after}
        self.lost |= {tool: f"its tasks were left out: {reason}" for draft in before if draft.instruction not in left for tool in draft.tools}

    def batch(self, number: int, count: int) -> int:
        """Makes up to `count` tasks on one more world, and gives how many; for none, tasks with the tools that none uses so far."""
        request = self.request
        if len(self.written.files) > MOST_WRITTEN:
            self.written.clear()
        world = FIRST_WORLD[request.split] + request.seed + NEXT_BATCH * number
        made = self._made(world, count)
        self.kinds |= {draft.kind for draft in made.drafts}
        self.levels |= {level(self.domain, draft) for draft in made.drafts} & {*self.request.levels}
        self.uncovered |= made.uncovered
        for one, seconds in made.spent.items():
            self.spent[one] = self.spent.get(one, 0.0) + seconds
        final, drafts = relabel(self.domain, made.state, made.drafts, world_stream(self.domain.sha256, world, "final ids"))
        self.tries += made.tries
        self.discarded.update(made.discarded)
        if len(drafts) < len(made.drafts):
            self.discarded[DISTURBED] += len(made.drafts) - len(drafts)
            self._lose(made.drafts, drafts, DISTURBED)
        batch = self._let_through(Batch(world=str(world), state=final, drafts=drafts, first=self.count), count or len(drafts))
        if batch.drafts:
            self.batches.append(batch)
        return len(batch.drafts)

    def _made(self, world: int, count: int) -> Made:
        """Tasks that the gate has not seen. For what is missing by mishap alone they are made on the world of the last ones, with other ids."""
        request, missing, measured = self.request, self.missing(), self.measured
        mishap = missing or self.levels - measured or not self.uncovered.keys() & self.unused().keys()
        if not count and self._last is not None and mishap:
            made = self._last.further(self.used, missing, measured | (LEVELS - self.levels), request.kinds)
            self._last = None
            return made
        self._last = making(
            self.domain,
            reference(self.domain).state(task_world(self.domain, world).rows),
            self.donors,
            count + int(count * SPARE) // 2 * 2 + 2 if count else 0,
            request.seed,
            request.kinds,
            frozenset(request.levels),
            rewriter=self.rewriter,
            used=self.used,
            measured=measured,
            cover=count in (0, PER_WORLD),
            kept=count or None,
        )
        return self._last.made()

    def trim(self, wanted: int) -> None:
        """Leaves out tasks beyond those wanted, such that no tool goes out of use where that can be."""
        batches = spared([batch.drafts for batch in self.batches], wanted, self.shows)
        first, trimmed = 0, []
        for batch, drafts in zip(self.batches, batches, strict=True):
            trimmed += [replace(batch, drafts=drafts, first=first)] if drafts else []
            first += len(drafts)
        self.batches = trimmed

    def sift(self) -> bool:
        """Leaves out what the gate finds fault with in the pack as a whole, tasks of several worlds beside each other; whether there was such."""
        if self.gate is None or len(self.batches) < 2:
            return False
        refused = self.gate(pack_files(self.domain, self.request, tuple(self.batches), self.discarded, written=self.written), again=True)
        first, sifted = 0, []
        for batch in self.batches:
            good = [task_id(self.domain, self.request, batch.first + place) not in refused for place in range(len(batch.drafts))]
            drafts = kept(batch.drafts, good)
            if drafts:
                sifted.append(replace(batch, drafts=drafts, first=first))
            first += len(drafts)
        self.discarded.update(refused.values())
        self.batches = sifted
        return bool(refused)

    def _complete(self, batch: Batch, count: int, fine: list[bool], complete: set[int]) -> tuple[Batch, list[bool]]:
        """The batch with the other routes of the tasks that are chosen, and which these are; one with too many routes is not `fine` any more."""
        while True:
            taken = chosen(batch.drafts, count, fine, self.shows)
            fresh = [place for place, now in enumerate(taken) if now and place not in complete]
            if not fresh:
                return batch, taken
            drafts = list(batch.drafts)
            for place in fresh:
                whole = with_other_routes(self.domain, batch.state, drafts[place])
                complete.add(place)
                if whole is None:
                    fine[place] = False
                    self.discarded[REASON] += 1
                    self._lose([drafts[place]], (), REASON)
                else:
                    drafts[place] = whole
            batch = replace(batch, drafts=tuple(drafts))

    def _let_through(self, batch: Batch, count: int) -> Batch:
        """At most `count` tasks with which the gate finds no fault; what it refuses is counted by reason and others take its place."""
        fine = [True] * len(batch.drafts)
        seen = [False] * len(batch.drafts)
        complete: set[int] = set()
        gate = self.gate
        if gate is None:
            batch, taken = self._complete(batch, count, fine, complete)
            return replace(batch, drafts=kept(batch.drafts, taken))
        for _ in range(TURNS):
            batch, taken = self._complete(batch, count, fine, complete)
            fresh = [now and not before for now, before in zip(taken, seen, strict=True)]
            bad = self._refused(batch, fresh, gate, again=False) if any(fresh) else {}
            seen = [now or before for now, before in zip(fresh, seen, strict=True)]
            if not bad and fresh != taken:  # all are sound by themselves: now beside each other
                bad = self._refused(batch, taken, gate, again=True)
            if not bad:
                break
            self.discarded.update(bad.values())
            for place, reason in bad.items():
                self._lose([batch.drafts[place]], (), reason)
            fine = [now and place not in bad for place, now in enumerate(fine)]
        fine = [now and one for now, one in zip(fine, seen, strict=True)]
        return replace(batch, drafts=kept(batch.drafts, chosen(batch.drafts, count, fine, self.shows)))

    def _refused(self, batch: Batch, taken: list[bool], gate: Gate, *, again: bool) -> dict[int, str]:
        """Places of the drafts among those taken that must not ship, with the reason."""
        part = replace(batch, drafts=kept(batch.drafts, taken))
        refused = gate(pack_files(self.domain, self.request, (part,), self.discarded, written=self.written), again=again)
        names = {task_id(self.domain, self.request, part.first + number): number for number in range(len(part.drafts))}
        places = [place for place, now in enumerate(taken) if now]
        return {places[names[name]]: reason for name, reason in refused.items() if name in names}
