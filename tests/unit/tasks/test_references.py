"""References as queries: each means one row, is found by reads alone, and every fact in it bears load."""

import re
from dataclasses import replace
from functools import cache

import pytest

from synth.data.stream import world_stream
from synth.reference.state import State
from synth.tasks.chance import chance
from synth.tasks.draft import Script, start_of
from synth.tasks.finishing.relabel import relabel
from synth.tasks.play import Stuck
from synth.tasks.references.describe import Described
from synth.tasks.references.refer import by_attribute, is_query, over_child, over_parent, ranked
from synth.tasks.rows.view import View
from synth.tasks.wording.phrase import as_phrase
from tests.seeds import FIRST
from tests.unit.tasks.made import SEEDS, domain_of, drafts_of, made_of

SUPERLATIVE = re.compile(
    r"\b(?:second[- ])?(?:earliest|latest|highest|lowest|cheapest|most expensive|oldest|youngest|shortest|longest|lightest|heaviest|smallest"
    r"|largest|fewest|most)\b"
)
MAKERS = {"ranked": ranked, "by_attribute": by_attribute, "over_parent": over_parent, "over_child": over_child}
SAMPLE = 25


def start(name: str) -> State:
    return made_of(name).state


@cache
def references(name: str) -> dict[str, list[Described]]:
    """References of each kind to rows of every entity."""
    view = View(domain_of(name), start(name))
    found: dict[str, list[Described]] = {kind: [] for kind in MAKERS}
    for kind, maker in MAKERS.items():
        for entity in view.domain.entities:
            rng = chance(name, kind, entity.name)
            for key in rng.sample(view.keys(entity.name), SAMPLE):
                words = maker(view, entity, key, "r", rng)
                found[kind] += [words] if words is not None else []
    return found


@pytest.mark.parametrize("name", SEEDS)
def test_every_reference_means_exactly_its_row(name: str) -> None:
    view = View(domain_of(name), start(name))
    for several in references(name).values():
        for one in several:
            assert view.meant(one.entity, one.leaves) == one.key, str(one.phrase)


@pytest.mark.parametrize("name", SEEDS)
def test_every_fact_of_a_reference_stands_in_its_words_and_each_word_bears_load(name: str) -> None:
    view = View(domain_of(name), start(name))
    for kind, several in references(name).items():
        for one in several:
            assert {one.tag(leaf) for leaf in one.leaves} == set(one.phrase.tags()), str(one.phrase)
            for leaf in one.leaves if kind == "over_parent" else [leaf for leaf in one.leaves if leaf.rank]:
                rest = tuple(other for other in one.leaves if other is not leaf)
                assert view.matching(one.entity, rest) != [one.key], str(one.phrase)


@pytest.mark.parametrize("name", SEEDS)
def test_reads_alone_lead_from_the_words_to_the_row_through_all_pages(name: str) -> None:
    found = stuck = 0
    for several in references(name).values():
        for one in several:
            script = Script(domain_of(name), start(name), as_phrase("Look at ") + one.phrase + ".")
            try:
                script.find(one)
            except Stuck:
                stuck += 1
                continue
            found += 1
            for call, result in zip(script.play.calls, script.play.results, strict=True):
                assert domain_of(name).tool(call.tool).read_only
                if any(leaf.rank for leaf in one.leaves) and call.tool.startswith("search") and result["next_offset"] is not None:
                    assert any(other.arguments.get("offset") == f"${script.play.calls.index(call)}.next_offset" for other in script.play.calls)
    assert found > stuck


def test_all_kinds_of_reference_are_made_over_the_seeds() -> None:
    counts = {kind: sum(len(references(name)[kind]) for name in FIRST) for kind in MAKERS}
    assert all(count >= 10 for count in counts.values()), counts


@pytest.mark.parametrize("name", SEEDS)
def test_no_tie_and_no_second_superlative(name: str) -> None:
    view = View(domain_of(name), start(name))
    for one in references(name)["ranked"]:
        rank = next(leaf for leaf in one.leaves if leaf.rank)
        among = view.matching(one.entity, tuple(leaf for leaf in one.leaves if leaf is not rank))
        assert [view.value(one.entity, key, rank.path) for key in among].count(rank.value) == 1
        assert len(SUPERLATIVE.findall(str(one.phrase))) == 1
        assert not re.search(r"(?:highest|lowest) (?:least|most)", str(one.phrase))


@pytest.mark.parametrize("name", SEEDS)
def test_a_rank_that_another_row_takes_is_noticed(name: str) -> None:
    view = View(domain_of(name), start(name))
    for one in references(name)["ranked"][:20]:
        rank = next(leaf for leaf in one.leaves if leaf.rank)
        others = [key for key in view.matching(one.entity, tuple(leaf for leaf in one.leaves if leaf is not rank)) if key != one.key]
        column = view.field_at(one.entity, rank.path).columns[0].name
        rows = view.state.tables[one.entity]
        taken = start_of(view.state, ((one.entity, others[0], {**rows[others[0]], column: rows[one.key][column]}),))
        assert View(view.domain, taken).meant(one.entity, one.leaves) is None


@pytest.mark.parametrize("name", SEEDS)
def test_queries_in_finished_tasks_still_mean_one_row_in_the_start_state_of_the_task_and_of_its_twin(name: str) -> None:
    domain, made = domain_of(name), made_of(name)
    state, drafts = relabel(domain, made.state, made.drafts, world_stream(domain.sha256, "final ids"))
    assert len(drafts) >= len(made.drafts) // 2
    for draft in drafts:
        view = View(domain, start_of(state, draft.patch))
        for one in draft.rows:
            assert view.meant(one.entity, one.leaves) is not None, str(one.phrase)


def test_finished_tasks_use_queries_and_most_of_their_facts_have_a_distractor() -> None:
    rows = [(name, one) for name in FIRST for draft in drafts_of(name) for one in draft.rows if is_query(one) or one.extra]
    assert len(rows) >= 6
    bare = total = 0
    for name, one in rows:
        view = View(domain_of(name), start(name))
        for leaf in one.leaves:
            total += 1
            bare += view.matching(one.entity, tuple(other for other in one.leaves if other is not leaf)) == [view.meant(one.entity, one.leaves)]
    assert bare <= total // 3


def test_leaf_paths_tell_what_rank_they_have() -> None:
    view = View(domain_of("vet_clinic"), start("vet_clinic"))
    one = references("vet_clinic")["ranked"][0]
    rank = next(leaf for leaf in one.leaves if leaf.rank)
    wrong = tuple(replace(leaf, rank=-leaf.rank) if leaf is rank else leaf for leaf in one.leaves)
    assert view.matching(one.entity, wrong) != [one.key]
