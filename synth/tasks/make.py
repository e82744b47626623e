"""A task pack: as many tasks as asked for, of all kinds, on a world of their own."""

import hashlib
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from registry.package.pack import TaskKind
from synth.lang.domain import Domain
from synth.reference.state import State
from synth.tasks.branch import make_branch
from synth.tasks.chain import Workshop, make_do
from synth.tasks.decline import make_decline
from synth.tasks.draft import Draft, sourced
from synth.tasks.question import make_question

TRIES_PER_TASK = 40
ROUNDS_WITHOUT = 3
"""A kind that brought nothing in so many turns is given up; the others fill its places."""
MIX: tuple[TaskKind, ...] = ("do", "do", "answer", "decline", "do", "do-if-else", "answer", "decline")


@dataclass(frozen=True, slots=True, kw_only=True)
class Made:
    """Tasks in order, and how many tries came to nothing."""

    drafts: tuple[Draft, ...]
    tries: int
    discarded: int


def make_tasks(domain: Domain, state: State, sibling: State, count: int, seed: int, kinds: tuple[TaskKind, ...] = MIX) -> Made:
    """Drafts of all `kinds` in turn, each with another instruction, every tool used as evenly as it goes.

    Args:
        state: The world in which the tasks start.
        sibling: Another world of the domain, whose values are borrowed.
        count: How many to make; fewer come back when tries run out.
    """
    material = hashlib.sha256(f"{domain.sha256}:{seed}:tasks".encode()).digest()
    shop = Workshop(domain=domain, state=state, sibling=sibling, rng=random.Random(int.from_bytes(material[:8], "big")))
    drafts: list[Draft] = []
    tries = 0
    dry: dict[TaskKind, int] = dict.fromkeys(kinds, 0)
    for kind in _turns(kinds):
        if len(drafts) >= count or min(dry.values()) >= ROUNDS_WITHOUT:
            break
        if dry[kind] >= ROUNDS_WITHOUT:
            continue
        dry[kind] += 1
        for _ in range(TRIES_PER_TASK):
            tries += 1
            draft = _makers(shop)[kind]()
            if draft is not None and acceptable(draft, drafts):
                drafts.append(draft)
                shop.note_use(draft.tools)
                dry[kind] = 0
                break
    return Made(drafts=tuple(drafts), tries=tries, discarded=tries - len(drafts))


def _turns(kinds: tuple[TaskKind, ...]) -> Iterator[TaskKind]:
    while True:
        yield from kinds


def _makers(shop: Workshop) -> dict[str, Callable[[], Draft | None]]:
    length = shop.rng.choice((1, 2, 2, 3))
    return {
        "do": lambda: make_do(shop, length),
        "answer": lambda: make_question(shop),
        "decline": lambda: make_decline(shop),
        "do-if-else": lambda: make_branch(shop),
    }


def acceptable(draft: Draft, others: list[Draft]) -> bool:
    """Whether every argument has its source, the words are new, and what is asked for is not what another task asks for."""
    if not sourced(draft.calls):
        return False
    same = [one for one in others if one.instruction == draft.instruction or (one.calls == draft.calls and one.kind == draft.kind)]
    return not same
