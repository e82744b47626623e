"""Tasks of every shipped seed, made once for all tests of their words."""

from functools import cache

from synth.data.world import make_world
from synth.reference.interpret import reference
from synth.tasks.draft import Draft
from synth.tasks.make import Made, making
from tests.made_once import domain_of, value
from tests.seeds import every

SEEDS = every()
COUNT = 20


@cache
def made_of(name: str) -> Made:
    """Tasks of one seed on a world that no pack has."""

    def make() -> Made:
        domain = domain_of(name)
        machine = reference(domain)
        return making(domain, machine.state(make_world(domain, 400_123).rows), machine.state(make_world(domain, 900_123).rows), COUNT, 11).made()

    return value(f"tasks-{name}-{COUNT}-11", make)


def drafts_of(name: str) -> list[Draft]:
    """One of each pair of twins (they share their words)."""
    return [one for place, one in enumerate(made_of(name).drafts) if one.twin is None or one.twin > place]
