"""Tasks of every shipped seed, made once for all tests of their words."""

from functools import cache
from pathlib import Path

from synth.data.world import make_world
from synth.lang.domain import Domain
from synth.reference.interpret import reference
from synth.seed.read import read_seed
from synth.tasks.draft import Draft
from synth.tasks.make import Made, make_tasks
from tests.seeds import every

SEEDS = every()
COUNT = 20


@cache
def domain_of(name: str) -> Domain:
    """The resolved seed."""
    return read_seed(Path("seeds") / f"{name}.yaml")


@cache
def made_of(name: str) -> Made:
    """Tasks of one seed on a world that no pack has."""
    domain = domain_of(name)
    machine = reference(domain)
    return make_tasks(domain, machine.state(make_world(domain, 400_123).rows), machine.state(make_world(domain, 900_123).rows), COUNT, 11)


def drafts_of(name: str) -> list[Draft]:
    """One of each pair of twins (they share their words)."""
    return [one for place, one in enumerate(made_of(name).drafts) if one.twin is None or one.twin > place]
