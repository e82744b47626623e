"""Which of the tasks that were made are kept: as many of each kind as can be."""

from collections import defaultdict

from synth.tasks.draft import Draft
from synth.tasks.relabel import kept


def balanced(drafts: tuple[Draft, ...], count: int) -> tuple[Draft, ...]:
    """At most `count` drafts, pairs of twins together, one pair of each kind in turn; all in their order.

    Of declines it is two pairs in turn: the twin of one can be done, and is no decline.
    """
    if len(drafts) <= count:
        return drafts
    by_kind: dict[str, list[int]] = defaultdict(list)
    for place, draft in enumerate(drafts):
        if draft.twin is None or place < draft.twin:
            by_kind[draft.kind].append(place)
    chosen: set[int] = set()
    while len(chosen) < count and any(by_kind.values()):
        for kind, places in by_kind.items():
            for _ in range(2 if kind == "decline" else 1):
                if not places or len(chosen) >= count:
                    break
                place = places.pop(0)
                twin = drafts[place].twin
                chosen |= {place} if twin is None else {place, twin}
    return kept(drafts, [place in chosen for place in range(len(drafts))])
