"""The veterinary clinic and a world of it, for tests that change that by hand."""

from functools import cache
from pathlib import Path

from synth.data.world import make_world
from synth.lang.domain import Domain
from synth.reference.interpret import reference
from synth.reference.state import State
from synth.seed.read import read_seed


@cache
def domain() -> Domain:
    return read_seed(Path("seeds/vet_clinic.yaml"))


@cache
def world() -> State:
    return reference(domain()).state(make_world(domain(), 7).rows)
