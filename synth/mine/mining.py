"""From tasks to domains: those that live in records, put together, named, and held against what there is."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from synth.lang.domain import Domain
from synth.mine.clusters import LEAST_ALIKE, clusters, joined
from synth.mine.matching import Match, Matcher
from synth.mine.naming import as_written, name_of
from synth.mine.tasks import Task, stateful
from synth.mine.vectors import Embed, by_embedding, by_words

LEAST_ALIKE_EMBEDDED = 0.35
SMALLEST = 4
LEAST_SPOKEN = 0.35
"""Mean share of nouns that a domain must know of a group, for a verb alone to tell that a task of it can be expressed there."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fit:
    """One task, held against a domain.

    Attributes:
        tool: That does what it asks for; empty for none.
        why: Why it cannot be expressed there; empty where it can.
    """

    task: Task
    tool: str
    why: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """Tasks that belong together.

    Attributes:
        nearest: Id of the domain, of those that are there, in which most of them can be expressed; empty for none.
        fits: Each task held against that domain, in order.
    """

    name: str
    tasks: tuple[Task, ...]
    nearest: str = ""
    fits: tuple[Fit, ...] = ()

    @property
    def lines(self) -> tuple[int, ...]:
        """Of the tasks that can be expressed there."""
        return tuple(one.task.line for one in self.fits if not one.why)

    @property
    def expressible(self) -> float:
        """Share of the tasks that can be expressed there."""
        return len(self.lines) / len(self.tasks) if self.tasks else 0.0


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

    @property
    def expressible(self) -> float:
        """Share of all tasks that live in records which can be expressed in the domain that theirs is nearest to."""
        kept = sum(len(one.tasks) for one in self.domains) + len(self.alone)
        return sum(len(one.lines) for one in self.domains) / kept if kept else 0.0


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
    matchers = [Matcher(one) for one in known]
    found = [_found(name, tuple(sorted(members, key=lambda one: one.line)), matchers) for name, members in named.items()]
    return Mined(
        domains=tuple(sorted(found, key=lambda one: (-len(one.tasks), one.name))),
        stateless=tuple(one for one in tasks if one not in kept),
        alone=tuple(sorted(alone, key=lambda one: one.line)),
    )


def held(found: Found, domain: Domain) -> Found:
    """The same tasks, held against one domain."""
    return _held(found, Matcher(domain))


def _found(name: str, tasks: tuple[Task, ...], known: Sequence[Matcher]) -> Found:
    bare = Found(name=name, tasks=tasks)
    return max((_held(bare, one) for one in known), key=lambda one: (one.expressible, one.nearest), default=bare)


def _held(found: Found, matcher: Matcher) -> Found:
    matches = [matcher.match(one.text) for one in found.tasks]
    spoken = sum(one.known for one in matches) >= LEAST_SPOKEN * len(matches)
    return replace(found, nearest=matcher.id, fits=tuple(_fit(*both, spoken=spoken) for both in zip(found.tasks, matches, strict=True)))


def _fit(task: Task, match: Match, *, spoken: bool) -> Fit:
    if match.expressible and (spoken or match.spoken_of):
        return Fit(task=task, tool=match.tool)
    if not match.tool:
        return Fit(task=task, tool="", why="no tool does it")
    return Fit(task=task, tool=match.tool, why=f"nothing known of {', '.join(as_written(one, [task.text]) for one in match.missing)}")
