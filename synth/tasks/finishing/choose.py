"""Which of the tasks that were made are kept: as many of each kind as can be, and as many tools as can be."""

from collections import defaultdict
from collections.abc import Sequence

from synth.tasks.draft import Draft
from synth.tasks.finishing.relabel import kept


def balanced(drafts: tuple[Draft, ...], count: int) -> tuple[Draft, ...]:
    """At most `count` drafts, as `chosen` picks them; all in their order."""
    return kept(drafts, chosen(drafts, count, [True] * len(drafts)))


def chosen(drafts: Sequence[Draft], count: int, fine: Sequence[bool]) -> list[bool]:
    """Which drafts to take, at most `count` of those that are `fine`: pairs of twins together, one pair of each kind in turn.

    Of declines it is two pairs in turn: the twin of one can be done, and is no decline. Within a kind those come first that use the most tools that
    no pair uses so far.
    """
    by_kind: dict[str, list[int]] = defaultdict(list)
    for place, draft in enumerate(drafts):
        pair = {place} if draft.twin is None else {place, draft.twin}
        if place == min(pair) and all(fine[one] for one in pair):
            by_kind[draft.kind].append(place)
    taken: set[int] = set()
    used: set[str] = set()
    while len(taken) < count and any(by_kind.values()):
        for kind, places in by_kind.items():
            for _ in range(2 if kind == "decline" else 1):
                if not places or len(taken) >= count:
                    break
                place = max(places, key=lambda one: (len(_tools(drafts, one) - used), -one))
                places.remove(place)
                used |= _tools(drafts, place)
                twin = drafts[place].twin
                taken |= {place} if twin is None else {place, twin}
    return [place in taken for place in range(len(drafts))]


def _tools(drafts: Sequence[Draft], place: int) -> set[str]:
    twin = drafts[place].twin
    return {*drafts[place].tools, *(() if twin is None else drafts[twin].tools)}
