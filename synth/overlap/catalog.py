"""The catalogue of environments: how rich each is, what makes it hard, and which other one is most alike."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from synth.graph.edges import graph
from synth.lang.domain import Domain
from synth.overlap.alike import Overlap, overlap
from synth.overlap.hard import rules_of, what_is_hard
from synth.overlap.shapes import shape_of


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One environment.

    Attributes:
        who: Whom an agent stands in for.
        requires: Rules that tools enforce; `policies` are told and not enforced.
        density: Pairs of tools with an edge over all ordered pairs.
        nearest: Id of the environment that is most alike, or empty; `alike` says how much, from 0 to 1.
    """

    id: str
    title: str
    about: str
    who: str
    tools: int
    writing: int
    tables: int
    requires: int
    policies: int
    invariants: int
    rows: int
    edges: int
    density: float
    hard: tuple[str, ...]
    nearest: str
    alike: float


Pairs = Mapping[tuple[str, str], Overlap]


def pairs(domains: Sequence[Domain]) -> Pairs:
    """The overlap of every two domains, by their ids in order of name."""
    shapes = {one.id: shape_of(one) for one in sorted(domains, key=lambda one: one.id)}
    names = list(shapes)
    return {(one, other): overlap(shapes[one], shapes[other]) for place, one in enumerate(names) for other in names[place + 1 :]}


def catalog(domains: Sequence[Domain], rows: Mapping[str, int], alike: Pairs) -> tuple[Entry, ...]:
    """An entry for each domain, in order of id.

    Args:
        rows: Rows of the world for free play, by id.
        alike: What `pairs` gives for these domains.
    """
    return tuple(_entry(one, rows[one.id], alike) for one in sorted(domains, key=lambda one: one.id))


def _entry(domain: Domain, rows: int, alike: Pairs) -> Entry:
    found, rules = graph(domain), rules_of(domain)
    count = len(domain.tools)
    near = [(both.whole, other) for pair, both in alike.items() if domain.id in pair for other in pair if other != domain.id]
    most, nearest = max(near, default=(0.0, ""))
    joined = len({(one.source, one.target) for one in found.edges if one.source != one.target})
    return Entry(
        id=domain.id,
        title=domain.title,
        about=" ".join(domain.about.split()),
        who=_who(domain),
        tools=count,
        writing=sum(not one.read_only for one in domain.tools),
        tables=len(domain.entities),
        requires=sum(one.enforced for one in rules),
        policies=sum(not one.enforced for one in rules),
        invariants=len(domain.invariants),
        rows=rows,
        edges=len(found.edges),
        density=joined / (count * (count - 1)) if count > 1 else 0.0,
        hard=what_is_hard(domain),
        nearest=nearest,
        alike=most,
    )


def _who(domain: Domain) -> str:
    if not domain.actor:
        return "Whoever is on duty there."
    actor = domain.entity(domain.actor)
    named = " ".join(word.lower() for word in _words(domain.actor))
    return f"A {named}. {actor.description}".strip()


def _words(name: str) -> list[str]:
    """`SalesClerk` as words."""
    found = ""
    for letter in name:
        found += f" {letter}" if letter.isupper() else letter
    return found.split()
