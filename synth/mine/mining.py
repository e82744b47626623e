"""From tasks to domains: those that live in records, put together, named, and held against what there is."""

from collections.abc import Sequence
from dataclasses import dataclass

from synth.lang.domain import Domain
from synth.mine.clusters import LEAST_ALIKE, clusters, joined
from synth.mine.matching import Matcher, share_expressible
from synth.mine.naming import name_of
from synth.mine.tasks import Task, stateful
from synth.mine.vectors import Embed, by_embedding, by_words

LEAST_ALIKE_EMBEDDED = 0.35
SMALLEST = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """Tasks that belong together.

    Attributes:
        nearest: Id of the domain, of those that are there, in which most of them can be expressed; empty for none.
        expressible: Share of them that can be expressed there.
        lines: Of those that can.
    """

    name: str
    tasks: tuple[Task, ...]
    nearest: str = ""
    expressible: float = 0.0
    lines: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Mined:
    """What a set of tasks holds.

    Attributes:
        stateless: Tasks that need no records.
        alone: Tasks that do, and belong to too few others.
    """

    domains: tuple[Found, ...]
    stateless: tuple[Task, ...]
    alone: tuple[Task, ...]


def mine(tasks: Sequence[Task], known: Sequence[Domain] = (), *, smallest: int = SMALLEST, embed: Embed | None = None) -> Mined:
    """The domains of a set of tasks, the largest first; no model is needed.

    Args:
        known: Domains that are there already.
        smallest: Tasks that a domain has at least.
        embed: Gives vectors of texts, where there is something better than counted words.
    """
    kept = [one for one in tasks if stateful(one.text)]
    texts = [one.text for one in kept]
    vectors = by_words(texts) if embed is None else by_embedding(texts, embed)
    groups = joined(clusters(vectors, LEAST_ALIKE if embed is None else LEAST_ALIKE_EMBEDDED), vectors, smallest)
    named: dict[str, list[Task]] = {}
    alone: list[Task] = []
    for group in groups:
        members = [kept[number] for number in group]
        if len(members) < smallest:
            alone += members
        else:
            named.setdefault(name_of([one.text for one in members], texts), []).extend(members)
    found = [_found(name, tuple(sorted(members, key=lambda one: one.line)), known) for name, members in named.items()]
    return Mined(
        domains=tuple(sorted(found, key=lambda one: (-len(one.tasks), one.name))),
        stateless=tuple(one for one in tasks if one not in kept),
        alone=tuple(sorted(alone, key=lambda one: one.line)),
    )


def held(found: Found, domain: Domain) -> Found:
    """The same tasks, held against one domain."""
    matcher = Matcher(domain)
    lines = tuple(one.line for one in found.tasks if matcher.match(one.text).expressible)
    return Found(name=found.name, tasks=found.tasks, nearest=domain.id, expressible=len(lines) / len(found.tasks), lines=lines)


def _found(name: str, tasks: tuple[Task, ...], known: Sequence[Domain]) -> Found:
    bare = Found(name=name, tasks=tasks)
    texts = [one.text for one in tasks]
    best = max(known, key=lambda one: (share_expressible(texts, one), one.id), default=None)
    return held(bare, best) if best is not None else bare
