"""Which of the tasks that were made are kept: as many of each kind as can be."""

from collections import defaultdict

from synth.tasks.draft import Draft
from synth.tasks.relabel import kept


def balanced(drafts: tuple[Draft, ...], count: int) -> tuple[Draft, ...]:
    """At most `count` drafts, pairs of twins together, one pair of each kind in turn; all in their order."""
    if len(drafts) <= count:
        return drafts
    by_kind: dict[str, list[int]] = defaultdict(list)
    for place, draft in enumerate(drafts):
        if draft.twin is None or place < draft.twin:
            by_kind[draft.kind].append(place)
    chosen: set[int] = set()
    while len(chosen) < count and any(by_kind.values()):
        for places in by_kind.values():
            if places and len(chosen) < count:
                place = places.pop(0)
                twin = drafts[place].twin
                chosen |= {place} if twin is None else {place, twin}
    return kept(drafts, [place in chosen for place in range(len(drafts))])
