"""Whether a seed that a model wrote may become an environment: everything but the building."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from synth.author.complaint import SEED, Complaint, of_problem, unfit_texts
from synth.author.familiar import familiar
from synth.author.plan import alike as called_alike
from synth.lang.domain import Domain
from synth.lint.lint import lint_seed
from synth.overlap.alike import MOST_ALIKE, overlap
from synth.overlap.shapes import Shape, shape_of
from synth.seed.budget import MOST_BYTES

FEWEST = 0.6
"""Of the tools that were asked for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Near:
    """The domain that is most like another one; `id` is empty where there is none to compare with.

    Attributes:
        alike: Of shapes, without names: from 0 to 1, as `envfarm catalog` tells.
        entities: Share of entities that are called the same.
    """

    id: str = ""
    alike: float = 0.0
    entities: float = 0.0


ALONE = Near()
"""There is nothing to compare with."""


class Others:
    """Domains that are there; the shape of each is found once."""

    def __init__(self, domains: Sequence[Domain] = ()) -> None:
        self.domains = tuple(domains)
        self._shapes: dict[str, Shape] = {}

    def nearest(self, domain: Domain) -> Near:
        """The one of them which a domain is most like in shape."""
        shape, names = shape_of(domain), [one.name for one in domain.entities]
        found = [
            Near(id=one.id, alike=overlap(shape, self._shape(one)).whole, entities=called_alike(names, [entity.name for entity in one.entities]))
            for one in self.domains
        ]
        return max(found, key=lambda one: (one.alike, one.id), default=ALONE)

    def _shape(self, domain: Domain) -> Shape:
        if domain.id not in self._shapes:
            self._shapes[domain.id] = shape_of(domain)
        return self._shapes[domain.id]


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """What a seed is to be.

    Attributes:
        id: None for any.
        tools: About how many tools; 0 for any number.
        others: Domains that are there, none of which it may take the place of or be like.
        allowed: Public domains that are wanted all the same.
    """

    id: str | None = None
    tools: int = 0
    others: Others = field(default_factory=Others)
    allowed: frozenset[str] = frozenset()


def inspect(seed: str, wanted: Wanted) -> tuple[Domain | None, tuple[Complaint, ...]]:
    """The domain of a seed, and what is wrong with it; None where the seed cannot be read."""
    # What is too large to be a seed is refused by its size, before anything reads it.
    unfit = unfit_texts(seed) if len(seed) <= MOST_BYTES else ()
    if unfit:
        return None, unfit
    linted = lint_seed(seed.encode("utf-8", "replace"), SEED)
    if linted.domain is None:
        return None, tuple(of_problem(one) for one in linted.problems if one.level == "error")
    return linted.domain, tuple(_faults(linted.domain, wanted))


def _faults(domain: Domain, wanted: Wanted) -> Sequence[Complaint]:
    found = []
    if wanted.id is not None and domain.id != wanted.id:
        found.append(_whole("WRONG_ID", "id", f"the id of the plan, {wanted.id}", domain.id, f"Write `id: {wanted.id}`"))
    if domain.id in {one.id for one in wanted.others.domains}:
        found.append(_whole("TAKEN_ID", "id", "an id of its own", f"{domain.id}, which is taken", "Choose another one"))
    if len(domain.tools) < wanted.tools * FEWEST:
        found.append(_whole("FEW_TOOLS", "tools", f"about {wanted.tools} tools", str(len(domain.tools)), "Add tools, or derive more"))
    if all(one.read_only for one in domain.tools):
        found.append(_whole("NO_WRITES", "tools", "a tool that changes something", "none", "Add one under `tools:`"))
    names = " ".join([domain.id, domain.title, *(one.name for one in domain.entities), *(one.name for one in domain.tools)])
    public = familiar(names)
    if public and public not in wanted.allowed:
        found.append(_whole("PUBLIC_DOMAIN", "seed", "a domain that no public test uses", public, "Choose other records and other work"))
    near = wanted.others.nearest(domain)
    if near.alike > MOST_ALIKE:
        fix = "Change tables, rules and tools, not names alone"
        found.append(_whole("ALIKE", "seed", f"a shape at most {MOST_ALIKE:.2f} like any other", f"{near.alike:.2f} like {near.id}", fix))
    return found


def _whole(code: str, field: str, expected: str, got: str, fix: str) -> Complaint:
    return Complaint(code=code, sentence=f"{SEED}:1:1: {field}: expected {expected}, got {got}. {fix}.", line=1)
