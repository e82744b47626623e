"""Which of the tasks that were made are kept: as many of each kind as can be, and as many tools as can be."""

from collections import Counter, defaultdict
from collections.abc import Sequence

from synth.tasks.draft import Draft
from synth.tasks.finishing.relabel import kept

FEWEST = (2, 1)
"""So many pairs of a kind stay, whatever tools others would bring in; fewer where tools would be left out else."""


def chosen(drafts: Sequence[Draft], count: int, fine: Sequence[bool]) -> list[bool]:
    """Which drafts to take, at most `count` of those that are `fine`: pairs of twins together, one pair of each kind in turn.

    Of declines it is two pairs in turn: the twin of one can be done, and is no decline. Within a kind those come first that use the most tools that
    no pair uses so far. In the end pairs of which no tool would be missed make room for those with tools that no pair uses.
    """
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
                place = max(places, key=lambda one: (len(_tools(drafts, one) - used), -one))
                places.remove(place)
                used |= _tools(drafts, place)
                firsts.append(place)
                taken |= _pair(drafts, place)
    for fewest in FEWEST:
        firsts = _covering(drafts, firsts, offered, fewest)
    taken = {one for place in firsts for one in _pair(drafts, place)}
    return [place in taken for place in range(len(drafts))]


def _covering(drafts: Sequence[Draft], firsts: list[int], offered: Sequence[int], fewest: int) -> list[int]:
    """The pairs, one after the other exchanged for another one as long as more tools are used; rather for one of the same kind."""
    firsts, tools = list(firsts), {place: _tools(drafts, place) for place in offered}
    while True:
        uses = Counter(name for place in firsts for name in tools[place])
        kinds = Counter(drafts[place].kind for place in firsts)
        lost = {place: {name for name in tools[place] if uses[name] == 1} for place in firsts}

        def worth(gone: int, new: int) -> tuple[int, bool, int, int, int]:
            more = len(tools[new] - uses.keys()) - len(lost[gone] - tools[new])  # noqa: B023 called in this round
            return more, drafts[gone].kind == drafts[new].kind, kinds[drafts[gone].kind], gone, -new  # noqa: B023 called in this round

        swaps = [
            (gone, new)
            for new in offered
            if new not in firsts and tools[new] - uses.keys()
            for gone in firsts
            if drafts[gone].kind == drafts[new].kind or kinds[drafts[gone].kind] > fewest
        ]
        best = max(swaps, key=lambda swap: worth(*swap), default=None)
        if best is None or worth(*best)[0] <= 0:
            return firsts
        firsts[firsts.index(best[0])] = best[1]


def spared(batches: Sequence[tuple[Draft, ...]], wanted: int) -> list[tuple[Draft, ...]]:
    """The drafts of each batch without pairs beyond the number wanted: those whose tools others use as well go first, of the most frequent kind."""
    pairs = [(number, place) for number, drafts in enumerate(batches) for place, one in enumerate(drafts) if one.twin is None or one.twin > place]
    tools = {(number, place): _tools(batches[number], place) for number, place in pairs}
    while sum(len(_pair(batches[number], place)) for number, place in pairs) > wanted:
        uses = Counter(name for one in pairs for name in tools[one])
        kinds = Counter(batches[number][place].kind for number, place in pairs)

        def worth(one: tuple[int, int]) -> tuple[int, int, int, int]:
            number, place = one
            return -sum(uses[name] == 1 for name in tools[one]), kinds[batches[number][place].kind], -number, place  # noqa: B023 called in this round

        pairs.remove(max(pairs, key=worth))
    stay = [{one for number, place in pairs if number == at for one in _pair(drafts, place)} for at, drafts in enumerate(batches)]
    return [kept(drafts, [place in places for place in range(len(drafts))]) for drafts, places in zip(batches, stay, strict=True)]


def _pair(drafts: Sequence[Draft], place: int) -> set[int]:
    twin = drafts[place].twin
    return {place} if twin is None else {place, twin}


def _tools(drafts: Sequence[Draft], place: int) -> set[str]:
    twin = drafts[place].twin
    return {*drafts[place].tools, *(() if twin is None else drafts[twin].tools)}
