"""Packages built for tests, kept for the process."""

import tempfile
from functools import cache
from pathlib import Path

from registry.catalogue import Catalogue
from registry.environment import Environment
from synth.compile.package import compile_package
from synth.data.world import World, make_world
from synth.graph.document import document
from synth.graph.edges import graph
from synth.lang.domain import Domain
from synth.seed.read import read_seed
from tests.made_once import domain_of, package_of
from tests.seeds import FOLDER, every_path

SEEDS = every_path()


@cache
def built(seed: Path) -> tuple[Domain, World, Environment]:
    """The domain of a seed, its world for free play, and its package, loaded."""
    if seed.parent == FOLDER:
        domain = domain_of(seed.stem)
        return domain, make_world(domain, 0), Catalogue(package_of(seed.stem).parent).load(domain.id)
    domain = read_seed(seed)
    world = make_world(domain, 0)
    folder = Path(tempfile.mkdtemp()) / domain.id
    for name, content in compile_package(domain, world.rows, document(graph(domain))).items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    return domain, world, Catalogue(folder.parent).load(domain.id)
