"""Which of the tasks that were made are kept: as many of each kind as can be, and as many tools and levels as can be."""

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Sequence

from synth.lang.domain import Domain
from synth.tasks.draft import Draft
from synth.tasks.finishing.relabel import kept
from synth.tasks.level import level

FEWEST = (2, 1)
"""So many pairs of a kind stay, whatever others would bring in; fewer where tools or levels would be left out else."""
Shows = Callable[[Draft], frozenset[str]]
"""What a task brings into a pack: the tools that it uses, its level."""


def what_shows(domain: Domain, levels: Collection[int]) -> Shows:
    """What a task of the domain brings into a pack for which these levels are asked."""

    def shows(draft: Draft) -> frozenset[str]:
        measured = level(domain, draft)
        return frozenset((*draft.tools, f"level {measured}") if measured in levels else draft.tools)

    return shows


def chosen(drafts: Sequence[Draft], count: int, fine: Sequence[bool], shows: Shows) -> list[bool]:
    """Which drafts to take, at most `count` of those that are `fine`: pairs of twins together, one pair of each kind in turn.

    Of declines it is two pairs in turn: the twin of one can be done, and is no decline. Within a kind those come first that bring the most that no
    pair brings so far. In the end pairs of which nothing would be missed make room for those that bring what no pair does.
    """
    brought = _brought(drafts, shows)
    by_kind: dict[str, list[int]] = defaultdict(list)
    for place, draft in enumerate(drafts):
        pair = {place} if draft.twin is None else {place, draft.twin}
        if place == min(pair) and all(fine[one] for one in pair):
            by_kind[draft.kind].append(place)
    offered = sorted(place for places in by_kind.values() for place in places)
    taken: set[int] = set()
    firsts: list[int] = []
    used: set[str] = set()
    while len(taken) < count and any(by_kind.values()):
        for kind, places in by_kind.items():
            for _ in range(2 if kind == "decline" else 1):
                if not places or len(taken) >= count:
                    break
                place = max(places, key=lambda one: (len(brought[one] - used), -one))
                places.remove(place)
                used |= brought[place]
                firsts.append(place)
                taken |= _pair(drafts, place)
    for fewest in FEWEST:
        firsts = _covering(drafts, brought, firsts, offered, fewest)
    taken = {one for place in firsts for one in _pair(drafts, place)}
    return [place in taken for place in range(len(drafts))]


def _covering(drafts: Sequence[Draft], brought: Sequence[set[str]], firsts: list[int], offered: Sequence[int], fewest: int) -> list[int]:
    """The pairs, one after the other exchanged for another one as long as more is brought; rather for one of the same kind."""
    firsts = list(firsts)
    while True:
        uses = Counter(name for place in firsts for name in brought[place])
        kinds = Counter(drafts[place].kind for place in firsts)
        lost = {place: {name for name in brought[place] if uses[name] == 1} for place in firsts}

        def worth(gone: int, new: int) -> tuple[int, bool, int, int, int]:
            more = len(brought[new] - uses.keys()) - len(lost[gone] - brought[new])  # noqa: B023 called in this round
            return more, drafts[gone].kind == drafts[new].kind, kinds[drafts[gone].kind], gone, -new  # noqa: B023 called in this round

        swaps = [
            (gone, new)
            for new in offered
            if new not in firsts and brought[new] - uses.keys()
            for gone in firsts
            if drafts[gone].kind == drafts[new].kind or kinds[drafts[gone].kind] > fewest
        ]
        best = max(swaps, key=lambda swap: worth(*swap), default=None)
        if best is None or worth(*best)[0] <= 0:
            return firsts
        firsts[firsts.index(best[0])] = best[1]


def spared(batches: Sequence[tuple[Draft, ...]], wanted: int, shows: Shows) -> list[tuple[Draft, ...]]:
    """The drafts of each batch without pairs beyond the number wanted: those that bring what others bring too go first, of the most frequent kind."""
    pairs = [(number, place) for number, drafts in enumerate(batches) for place, one in enumerate(drafts) if one.twin is None or one.twin > place]
    brought = [_brought(drafts, shows) for drafts in batches]
    while sum(len(_pair(batches[number], place)) for number, place in pairs) > wanted:
        uses = Counter(name for number, place in pairs for name in brought[number][place])
        kinds = Counter(batches[number][place].kind for number, place in pairs)

        def worth(one: tuple[int, int]) -> tuple[int, int, int, int]:
            number, place = one
            return -sum(uses[name] == 1 for name in brought[number][place]), kinds[batches[number][place].kind], -number, place  # noqa: B023 called in this round

        pairs.remove(max(pairs, key=worth))
    stay = [{one for number, place in pairs if number == at for one in _pair(drafts, place)} for at, drafts in enumerate(batches)]
    return [kept(drafts, [place in places for place in range(len(drafts))]) for drafts, places in zip(batches, stay, strict=True)]


def _pair(drafts: Sequence[Draft], place: int) -> set[int]:
    twin = drafts[place].twin
    return {place} if twin is None else {place, twin}


def _brought(drafts: Sequence[Draft], shows: Shows) -> list[set[str]]:
    """What each draft and its twin bring, by place."""
    return [{name for one in _pair(drafts, place) for name in shows(drafts[one])} for place in range(len(drafts))]
