"""Groups of vectors that are alike: average linkage, from the nearest pair on."""

import heapq
from collections.abc import Sequence

from synth.mine.vectors import Vector, cosine

NEAREST = 0.12
"""Cosine to one member of a large group above which a small one belongs to it."""
LEAST_ALIKE = 0.06
"""Mean cosine above which two groups become one."""


def clusters(vectors: Sequence[Vector], least: float = LEAST_ALIKE) -> tuple[tuple[int, ...], ...]:
    """Indexes of vectors that belong together, the largest group first; the same for the same vectors."""
    groups: dict[int, tuple[int, ...]] = {number: (number,) for number in range(len(vectors))}
    alike: dict[tuple[int, int], float] = {}
    queue: list[tuple[float, int, int]] = []
    for one in range(len(vectors)):
        for other in range(one + 1, len(vectors)):
            alike[one, other] = cosine(vectors[one], vectors[other])
            if alike[one, other] >= least:
                queue.append((-alike[one, other], one, other))
    heapq.heapify(queue)
    number = len(vectors)
    while queue:
        _, one, other = heapq.heappop(queue)
        if one not in groups or other not in groups:
            continue
        first, second = groups.pop(one), groups.pop(other)
        for third, members in groups.items():
            both = (len(first) * _of(alike, one, third) + len(second) * _of(alike, other, third)) / (len(first) + len(second))
            alike[third, number] = both
            if both >= least and members:
                heapq.heappush(queue, (-both, third, number))
        groups[number] = tuple(sorted(first + second))
        number += 1
    return tuple(sorted(groups.values(), key=lambda one: (-len(one), one)))


def joined(groups: Sequence[tuple[int, ...]], vectors: Sequence[Vector], smallest: int) -> tuple[tuple[int, ...], ...]:
    """Groups too small to stand alone, put to the large one that one of their members is nearest to."""
    large = [one for one in groups if len(one) >= smallest]
    put = {one: list(one) for one in large}
    left = []
    for small in groups:
        if len(small) >= smallest:
            continue
        near = [(max(cosine(vectors[one], vectors[other]) for one in small for other in group), group) for group in large]
        best = max(near, key=lambda one: (one[0], len(one[1])), default=(0.0, ()))
        if best[0] >= NEAREST:
            put[best[1]] += small
        else:
            left.append(small)
    return (*(tuple(sorted(one)) for one in put.values()), *left)


def _of(alike: dict[tuple[int, int], float], one: int, other: int) -> float:
    return alike[min(one, other), max(one, other)]
