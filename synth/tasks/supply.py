"""Task packs on demand: a world of their own, tasks on it, files."""

from dataclasses import dataclass, replace

from synth.data.stream import world_stream
from synth.data.world import make_world
from synth.lang.domain import Domain
from synth.reference.interpret import reference
from synth.tasks.make import Made, make_tasks
from synth.tasks.pack import Split, pack_files
from synth.tasks.relabel import relabel

FIRST_WORLD: dict[Split, int] = {"train": 100_000, "val": 200_000, "test": 300_000}
SIBLING = 500_000
DEFAULT_COUNT = 40


@dataclass(frozen=True, slots=True, kw_only=True)
class Supply:
    """A pack's id, its files by path, and how the making went."""

    id: str
    files: dict[str, bytes]
    made: Made


def supply(domain: Domain, environment_digest: str, count: int = DEFAULT_COUNT, seed: int = 0, split: Split = "test") -> Supply:
    """`count` tasks for one split; the same arguments give the same bytes, another split or seed another world.

    Args:
        environment_digest: Of the package that the tasks are for.
        seed: From 0 to 99,999.
    """
    number = FIRST_WORLD[split] + seed
    machine = reference(domain)
    state = machine.state(make_world(domain, number).rows)
    sibling = machine.state(make_world(domain, number + SIBLING).rows)
    made = make_tasks(domain, state, sibling, count + count // 4 // 2 * 2, seed)
    final, drafts = relabel(domain, made.state, made.drafts, world_stream(domain.sha256, number, "final ids"))
    drafts = drafts[: count // 2 * 2]
    files = pack_files(domain, environment_digest, str(number), final, drafts, split, seed, count, made.discarded)
    return Supply(id=f"{domain.id}-{split}-{seed}", files=files, made=replace(made, drafts=drafts, state=final))
