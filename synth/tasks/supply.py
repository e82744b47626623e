"""Task packs on demand: a world of their own, tasks on it, files."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from synth.audit.gate import Gate
from synth.data.stream import world_stream
from synth.data.world import make_world
from synth.lang.domain import Domain
from synth.reference.interpret import reference
from synth.tasks.draft import Draft
from synth.tasks.make import Made, make_tasks
from synth.tasks.pack import Split, pack_files, task_id
from synth.tasks.relabel import kept, relabel

FIRST_WORLD: dict[Split, int] = {"train": 100_000, "val": 200_000, "test": 300_000}
SIBLING = 500_000
DEFAULT_COUNT = 40
TURNS = 5
"""How often the gate looks at a pack: what is left out may make another task guessable."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Supply:
    """A pack's id, its files by path, and how the making went."""

    id: str
    files: dict[str, bytes]
    made: Made


def supply(
    domain: Domain, environment_digest: str, count: int = DEFAULT_COUNT, seed: int = 0, split: Split = "test", gate: Gate | None = None
) -> Supply:
    """`count` tasks for one split; the same arguments give the same bytes, another split or seed another world.

    Args:
        environment_digest: Of the package that the tasks are for.
        seed: From 0 to 99,999.
        gate: Tells which tasks of a pack must not ship; they are left out, with their twins.
    """
    number = FIRST_WORLD[split] + seed
    machine = reference(domain)
    state = machine.state(make_world(domain, number).rows)
    sibling = machine.state(make_world(domain, number + SIBLING).rows)
    made = make_tasks(domain, state, sibling, count + count // 4 // 2 * 2, seed)
    final, drafts = relabel(domain, made.state, made.drafts, world_stream(domain.sha256, number, "final ids"))
    discarded = Counter(made.discarded)
    if len(drafts) < len(made.drafts):
        discarded["disturbed by another task"] += len(made.drafts) - len(drafts)

    def packed(chosen: tuple[Draft, ...]) -> dict[str, bytes]:
        return pack_files(domain, environment_digest, str(number), final, chosen, split, seed, count, discarded)

    names = [task_id(domain, split, seed, place) for place in range(len(drafts))]
    if gate is not None:
        drafts = _let_through(gate, packed, drafts, names, count, discarded)
    drafts = drafts[: count // 2 * 2]
    done = replace(made, drafts=drafts, state=final, discarded=dict(sorted(discarded.items())))
    return Supply(id=f"{domain.id}-{split}-{seed}", files=packed(drafts), made=done)


def _let_through(
    gate: Gate,
    packed: Callable[[tuple[Draft, ...]], dict[str, bytes]],
    drafts: tuple[Draft, ...],
    names: Sequence[str],
    count: int,
    discarded: Counter[str],
) -> tuple[Draft, ...]:
    """The drafts that the gate lets through, at most `count` of them; those that it does not are counted by reason."""
    for turn in range(TURNS):
        refused = gate(packed(drafts), again=turn > 0) if drafts else {}
        good = [name not in refused for name in names[: len(drafts)]]
        discarded.update(refused[name] for name, fine in zip(names, good, strict=False) if not fine)
        fitting = kept(drafts, good)
        if turn and len(fitting) == len(drafts):
            break
        drafts = fitting[: count // 2 * 2]
    return drafts
