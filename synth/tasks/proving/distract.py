"""Distractors: rows that fit a description but for one fact, made by cloning."""

import datetime as dt
from collections.abc import Iterable
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from registry.package.change import Stored
from registry.package.pack import Reason
from registry.package.symbols import resolve
from synth.lang.domain import Entity, Field
from synth.reference.interpret import reference
from synth.reference.state import Ref, State
from synth.reference.values import encoder
from synth.tasks.draft import Draft, start_of
from synth.tasks.play import Play, reads_only
from synth.tasks.proving.clone import Cloner
from synth.tasks.references.describe import Described
from synth.tasks.references.refer import is_query
from synth.tasks.rows.propose import Proposal
from synth.tasks.rows.view import Leaf, Path, View, back, below
from synth.tasks.solving.recheck import holds, refreshed
from synth.tasks.workshop import Workshop

REPAIRS = 8
PER_ROW = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Distractor:
    """A clone of a described row that differs from the description in one leaf.

    `changed` is the row that carries the difference (a clone of `original`), `made` all rows that were cloned for it.
    """

    target: Ref
    clone: Ref
    leaf: Leaf
    original: Ref
    changed: Ref
    made: list[Ref]


@dataclass(frozen=True, slots=True, kw_only=True)
class Distracted:
    """A state with distractors for one task, and those that were made; `weak` counts leaves for which none could be made."""

    state: State
    made: tuple[Distractor, ...]
    weak: int


def distract(shop: Workshop, draft: Draft) -> Distracted:
    """Adds, for up to PER_ROW leaves of each described row, a row that fits without that leaf and on which it would be wrong to act.

    A distractor is kept only if the invariants hold, the description stays exact, gold stays right, and acting on the clone is legal and gives
    another result. A set has its near rows in the world as it is.
    """
    if draft.gathered is not None:
        return Distracted(state=shop.state, made=(), weak=0)
    state = shop.state
    made: list[Distractor] = []
    weak = 0
    for described in draft.rows:
        leaves = list(described.leaves)
        shop.rng.shuffle(leaves)
        for leaf in leaves if is_query(described) else leaves[:PER_ROW]:
            found = _try(shop, state, described, leaf, draft)
            if found is None:
                weak += 1
                continue
            state, distractor = found
            made.append(distractor)
    return Distracted(state=state, made=tuple(made), weak=weak)


def _try(shop: Workshop, state: State, described: Described, leaf: Leaf, draft: Draft) -> tuple[State, Distractor] | None:
    for _ in range(REPAIRS):
        cloned = _clone_chain(shop, state.fork(), described, leaf)
        if cloned is None:
            return None
        grown, distractor = cloned
        if (
            _fits(shop, grown, described, distractor)
            and shop.guard.admits(grown, distractor.made)
            and shop.guard.holds(grown)
            and _acting_fails(shop, grown, draft, distractor)
            and shop.neighbours.undisturbed(grown, distractor.made)
            and all(refreshed(shop.domain, grown, one) is not None for one in shop.neighbours.concerned(grown, distractor.made))
            and holds(shop.domain, grown, draft)
        ):
            return grown, distractor
    return None


def _fits(shop: Workshop, state: State, described: Described, distractor: Distractor) -> bool:
    """Whether the description still fits its row alone, and without the leaf fits the clone too."""
    view = View(shop.domain, state)
    rest = tuple(one for one in described.leaves if one != distractor.leaf)
    return view.matching(described.entity, described.leaves) == [described.key] and distractor.clone.key in view.matching(described.entity, rest)


def _acting_fails(shop: Workshop, state: State, draft: Draft, distractor: Distractor) -> bool:
    """Whether the operations, done on the clone, are allowed and so change something else (an answer must read differently)."""
    machine = reference(shop.domain)
    if draft.reading is not None:
        if draft.reading.what != "value":
            return True
        column = draft.reading.column
        return (
            state.tables[distractor.clone.entity][distractor.clone.key][column]
            != state.tables[distractor.target.entity][distractor.target.key][column]
        )
    concerned = [one for one in draft.operations if distractor.target in _refs(one)]
    if draft.declined is not None:
        arguments = [_swapped(one, distractor).arguments() for one in concerned]
        reasons = draft.declined.reasons
        found = [machine.broken(state, one.tool.name, args, machine.now) for one, args in zip(concerned, arguments, strict=True)]
        return not any(_fits_reason(rule.code, rule.evidence, reason) for rules in found for rule in rules for reason in reasons)
    start = start_of(state, draft.patch)
    if draft.implied:
        return _steps_allowed(shop, start, draft, distractor)
    play = Play(shop.domain, start)
    for one in concerned if draft.condition is not None else draft.operations:
        given = _swapped(one, distractor).arguments()
        prediction = play.try_call(one.tool.name, given)
        if not play.lawful(prediction, one.tool.name, given):
            return False
        play.state = prediction.state
    return True


def _steps_allowed(shop: Workshop, start: State, draft: Draft, distractor: Distractor) -> bool:
    """Whether gold's calls, those that are not named too, are allowed with the clone in the place of the row meant."""
    machine, play = reference(shop.domain), Play(shop.domain, start)
    steps: list[tuple[str, dict[str, Any]]] = []
    for call in draft.calls:
        if not reads_only(shop.domain, call.tool):
            given = resolve(dict(call.arguments), play.results)
            steps.append((call.tool, {name: distractor.clone.key if one == distractor.target.key else one for name, one in given.items()}))
        play.repeat(call)
    state = start
    for tool, given in steps:
        if machine.broken(state, tool, given, machine.now, most=1):
            return False
        state = machine.predict(state, tool, given, machine.now).state
    return state is not start


def _fits_reason(code: str, evidence: Iterable[str], reason: Reason) -> bool:
    """Whether a decline on these grounds is right by this reason."""
    cited = set(evidence)
    return code == reason.code and set(reason.required) <= cited <= {*reason.required, *reason.optional}


def _refs(proposal: Proposal) -> list[Ref]:
    return [one for value in proposal.values.values() for one in (value if isinstance(value, list) else [value]) if isinstance(one, Ref)]


def _swapped(proposal: Proposal, distractor: Distractor) -> Proposal:
    def swap(one: object) -> object:
        return distractor.clone if one == distractor.target else one

    values = {name: [swap(one) for one in value] if isinstance(value, list) else swap(value) for name, value in proposal.values.items()}
    return replace(proposal, values=values)


def _clone_chain(shop: Workshop, state: State, described: Described, leaf: Leaf) -> tuple[State, Distractor] | None:
    """Clones the described row and the rows on the way to the leaf's entity, and changes the leaf in the last of them."""
    view = View(shop.domain, state)
    if leaf.path[-1] == "id":
        return None
    if back(leaf.path[0])[0]:
        return _clone_child(shop, state, described, leaf)
    chain = [Ref(described.entity, described.key)]
    for name in leaf.path[:-1]:
        step = view.parent(chain[-1].entity, chain[-1].key, name)
        if step is None:
            return None
        chain.append(Ref(*step))
    last = shop.domain.entity(chain[-1].entity)
    field = last.field(leaf.path[-1])
    if field.name in last.key or last.single:
        return None
    past = leaf.bound or -leaf.rank
    value = _beyond(shop, field, leaf.value, past) if past else _other_value(shop, last, field, leaf.value)
    if value is None:
        return None
    rank = _further(shop, described, leaf)
    cloner = Cloner(shop, state, [])
    spoken = [_spoken(described, leaf.path[:depth]) for depth in range(len(chain))]
    changed = clone = cloner.clone(chain[-1], {field.columns[0].name: value, **(rank if len(chain) == 1 else {})}, spoken[-1])
    for origin, name, said in zip(reversed(chain[:-1]), reversed(leaf.path[:-1]), reversed(spoken[:-1]), strict=True):
        if clone is None:
            return None
        further = rank if origin == chain[0] else {}
        clone = cloner.clone(origin, {shop.domain.entity(origin.entity).field(name).columns[0].name: clone.key, **further}, said)
    if clone is None or changed is None:
        return None
    return state, Distractor(target=chain[0], clone=clone, leaf=leaf, original=chain[-1], changed=changed, made=cloner.made)


def _spoken(described: Described, path: Path) -> frozenset[str]:
    """Fields of the row at the end of `path` that the description speaks of, the way on included."""
    return frozenset(leaf.path[len(path)] for leaf in described.leaves if len(leaf.path) > len(path) and leaf.path[: len(path)] == path)


def _further(shop: Workshop, described: Described, leaf: Leaf) -> dict[str, Stored]:
    """For a clone that lacks one of the facts among which a row is the first: a value by which it would come before that row."""
    rank = next((one for one in described.leaves if one.rank and one != leaf), None)
    if rank is None or (leaf.bound and rank.path == leaf.path):
        return {}
    field = shop.domain.entity(described.entity).field(rank.path[0])
    return {field.columns[0].name: _beyond(shop, field, rank.value, rank.rank)}


def _beyond(shop: Workshop, field: Field, value: object, rank: int) -> Stored:
    """A value a little smaller than this one where the rank counts from the smallest, else a little greater."""
    sign = -1 if rank > 0 else 1
    if isinstance(value, dt.datetime | dt.date):
        return encoder(field.type)(value + sign * dt.timedelta(days=shop.rng.randint(1, 6)))
    if isinstance(value, int | Fraction):
        size = max(abs(Fraction(value)) * shop.rng.randint(5, 40) // 100, 1)
        return encoder(field.type)(value + sign * size)
    return None


def _clone_child(shop: Workshop, state: State, described: Described, leaf: Leaf) -> tuple[State, Distractor] | None:
    """Clones the row by which another is described, with the leaf changed, for some other row."""
    view = View(shop.domain, state)
    child, name = back(leaf.path[0])
    found = view.matching(child, below(described.leaves, leaf.path[0]))
    others = [key for key in view.keys(described.entity) if key != described.key]
    field = shop.domain.entity(child).field(leaf.path[-1])
    value = _other_value(shop, shop.domain.entity(child), field, leaf.value)
    if len(found) != 1 or not others or value is None:
        return None
    other = shop.rng.choice(others)
    reference = shop.domain.entity(child).field(name).columns[0].name
    cloner = Cloner(shop, state, [])
    spoken = frozenset(one.path[0] for one in below(described.leaves, leaf.path[0]))
    clone = cloner.clone(Ref(child, found[0]), {field.columns[0].name: value, reference: other}, spoken)
    if clone is None:
        return None
    target, meant = Ref(described.entity, described.key), Ref(described.entity, other)
    return state, Distractor(target=target, clone=meant, leaf=leaf, original=Ref(child, found[0]), changed=clone, made=cloner.made)


def _other_value(shop: Workshop, entity: Entity, field: Field, value: object) -> Stored:
    """Another value of the field, near the true one for dates, one that other rows have for the rest."""
    if isinstance(value, dt.datetime | dt.date) and shop.rng.random() < 0.5:
        return encoder(field.type)(value + dt.timedelta(days=shop.rng.choice((1, 2, 7))))
    for _ in range(20):
        other = shop.proposer(shop.state).like((entity.name, field.name))
        if other is not None and other != value:
            return encoder(field.type)(other)
    return None
