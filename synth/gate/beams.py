"""The calls that are nearest to a goal, not all of one kind."""

from bisect import insort
from typing import Any

from synth.gate.instance import Instance

BEAM = 6
KINDRED = 2
"""So many of them may be alike, so that one that is near does not fill the beam with its children."""

Beam = list[tuple[float, int, Instance]]
"""How far each is, a number that orders those that are as far, the instance."""


def put(beam: Beam, instance: Instance, far: float, number: int, alike: int) -> None:
    """Puts an instance among the nearest ones, in the place of the farthest or oldest that is like it where so many of them are alike already."""
    if alike < BEAM:
        kin = _kin(instance)
        like = [at for at, one in enumerate(beam) if _kin(one[2]) == kin]
        if len(like) >= alike:
            if far > beam[like[-1]][0]:
                return
            del beam[like[-1]]
    insort(beam, (far, -number, instance), key=_order)
    del beam[BEAM:]


def _order(one: tuple[float, int, Instance]) -> tuple[float, int]:
    return one[:2]


def _kin(instance: Instance) -> tuple[Any, ...]:
    """What two calls have in common that are alike: the rules that they break, and the first argument, mostly the row that they are about."""
    return instance.consistent, instance.kin, next(iter(instance.arguments.values()), None)
