"""Planted bad tasks: each is caught, and the pack without them is clean."""

import tempfile
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

from registry.catalogue import Catalogue
from registry.environment import Environment
from registry.package.errors import PackageError
from registry.package.pack import Gold, TaskPublic
from registry.packs.reading import Pack, Task, read_pack
from synth.audit import Audited, audit_pack, summary
from synth.audit.case import Case, Step, cases
from synth.audit.findings import Tally
from synth.audit.interleaved import Clue
from synth.audit.others import check_others
from synth.audit.same import canonical_rows
from synth.audit.words import bag
from synth.build import build
from synth.packs import build_pack

SEED = Path(__file__).parents[3] / "seeds/tool_library.yaml"


@cache
def made() -> tuple[Environment, Pack]:
    home = Path(tempfile.mkdtemp())
    build([SEED], home / "environments")
    packed = build_pack(home / "environments" / "tool_library", home / "packs", count=24)
    return Catalogue(home / "environments").load("tool_library"), read_pack(packed.folder)


def audited(change: Callable[[Task], Task] | None = None, only: str = "") -> Audited:
    """The audit of the pack after one task (the first of its kind, or the one named) was changed."""
    environment, pack = made()
    tasks = {name: change(task) if change is not None and name == only else task for name, task in pack.tasks.items()}
    return audit_pack(environment, replace(pack, tasks=tasks))


def first(kind: str, fits: Callable[[Gold], bool] = lambda gold: True) -> str:
    return next(name for name, task in sorted(made()[1].tasks.items()) if kind in ("", task.gold.kind) and fits(task.gold))


def with_gold(**changes: object) -> Callable[[Task], Task]:
    return lambda task: replace(task, gold=task.gold.model_copy(update=changes))


def with_words(words: Callable[[TaskPublic], str]) -> Callable[[Task], Task]:
    return lambda task: replace(task, public=task.public.model_copy(update={"instruction": words(task.public)}))


def reasons(found: Audited, task: str) -> set[str]:
    return {one.reason for one in found.findings if one.task == task}


def test_the_pack_as_it_is_built_is_clean_and_every_count_is_told() -> None:
    told = summary([audited()])

    assert told["tasks"] == told["gold_passes"] >= 14
    assert (told["noop_passes"], told["blind_passes"], told["twins"]["both_passed_by_blind"]) == (0, 0, 0)
    assert told["twins"]["made"] == told["tasks"] // 2
    mutants = told["mutants"]
    assert mutants["made"] == mutants["killed"] + mutants["vacuous"] + mutants["equivalent"] + mutants["survived"]
    assert (mutants["survived"], told["distractors"]["weak"], told["text"]["false_accepts"]) == (0, 0, 0)
    assert mutants["killed"] > 5 * told["tasks"]
    assert told["distractors"]["load_bearing"] == told["distractors"]["made"] > 0
    assert told["second_routes"]["same_net"]["tried"] == told["second_routes"]["same_net"]["passed"] > 2 * told["tasks"]
    assert sum(told["by_kind"].values()) == sum(told["by_level"].values()) == told["tasks"]


def test_gold_that_changes_something_else_is_caught() -> None:
    name = first("do")
    other = next(task for task in made()[1].tasks.values() if task.gold.kind == "do" and task.gold.accepted != made()[1].tasks[name].gold.accepted)

    assert "gold fails" in reasons(audited(with_gold(accepted=other.gold.accepted), name), name)


def test_gold_that_says_that_nothing_changes_where_something_is_asked_for_cannot_be_judged() -> None:
    name = first("do")
    nothing = made()[1].tasks[name].gold.accepted[0].model_copy(update={"changes": ()})

    assert "gold cannot be judged" in reasons(audited(with_gold(accepted=(nothing,)), name), name)


def test_a_decline_that_any_code_or_no_evidence_fulfils_is_guessed_blindly() -> None:
    name = first("decline")
    declined = made()[1].tasks[name].gold.declined
    assert declined is not None
    bare = declined.model_copy(update={"reasons": tuple(one.model_copy(update={"required": ()}) for one in declined.reasons)})

    assert "a blind policy passes" in reasons(audited(with_gold(declined=bare), name), name)


def test_an_answer_that_is_right_in_both_twins_is_caught() -> None:
    name = first("answer")
    twin = made()[1].tasks[made()[1].tasks[name].gold.twin]
    found = audited(with_gold(answer=twin.gold.answer), name)

    assert "a blind policy passes both twins" in reasons(found, min(name, twin.public.task))


def test_a_tolerance_that_lets_wrong_answers_pass_leaves_mutants_alive() -> None:
    name = first("answer", lambda gold: gold.answer is not None and gold.answer.kind in ("number", "money"))
    answer = made()[1].tasks[name].gold.answer
    assert answer is not None

    assert "a mutant survives" in reasons(audited(with_gold(answer=answer.model_copy(update={"tolerance": "1000"})), name), name)


def test_an_accepted_change_that_forgets_a_step_is_no_way_around_the_mutants() -> None:
    name = first("", lambda gold: gold.kind != "repair" and len(gold.accepted[0].changes) > 1)
    gold = made()[1].tasks[name].gold
    lax = (*gold.accepted, gold.accepted[0].model_copy(update={"changes": gold.accepted[0].changes[:-1]}))

    assert "a mutant survives" in reasons(audited(with_gold(accepted=lax), name), name)


def test_gold_that_enters_what_the_user_takes_back_is_caught() -> None:
    name = first("multi-turn", lambda gold: not gold.proofs.get("taken_back"))

    def taken_back(task: Task) -> Task:
        one, *others = task.public.held_back
        changed = one.model_copy(update={"then": "Sorry, forget what I said of it.", "asked_again": True})
        return replace(task, public=task.public.model_copy(update={"held_back": (changed, *others)}))

    assert reasons(audited(taken_back, name), name) == {"an argument has no source"}


def test_a_task_whose_writes_another_task_makes_too_is_caught() -> None:
    environment, pack = made()
    name = first("do")
    task = pack.tasks[name]
    copy = f"{name}-copy"
    again = replace(
        task,
        public=task.public.model_copy(update={"task": copy, "instruction": "Something else entirely."}),
        gold=task.gold.model_copy(update={"task": copy, "twin": ""}),
    )
    found = audit_pack(environment, replace(pack, tasks={**pack.tasks, copy: again}))

    assert "a blind policy passes" in reasons(found, copy)


def test_a_distractor_on_which_acting_is_refused_or_right_is_weak() -> None:
    name = first("do", lambda gold: bool(gold.proofs["distractors"]))
    task = made()[1].tasks[name]
    nowhere = [{**one, "distractor": "TOOL-999" if one["table"] == "Item" else "MBR-999", "made": True} for one in task.gold.proofs["distractors"]]
    environment, pack = made()
    tasks = {
        one: replace(other, gold=other.gold.model_copy(update={"proofs": {"distractors": nowhere}})) if one in (name, task.gold.twin) else other
        for one, other in pack.tasks.items()
    }
    found = audit_pack(environment, replace(pack, tasks=tasks))

    assert "weak distractor" in reasons(found, min(name, task.gold.twin))


@pytest.mark.parametrize("leak", ["MBR-001", "lend_item", "ALREADY_LENT"])
def test_an_instruction_that_tells_an_id_a_tool_or_a_code_leaks(leak: str) -> None:
    name = first("do")

    assert "the instruction leaks" in reasons(audited(with_words(lambda public: f"{public.instruction} ({leak})"), name), name)


def test_a_task_with_the_words_of_another_but_for_the_greeting_is_like_it() -> None:
    other = first("decline")
    name = first("do", lambda gold: gold.twin != other)
    words = made()[1].tasks[name].public.instruction

    found = audited(with_words(lambda public: f"Good morning, {words}"), other)

    assert "like another task" in reasons(found, max(name, other)) | reasons(found, min(name, other))
    assert bag("Hello, do a. Then b.") == bag("b. And do a.")


def test_an_argument_that_nothing_says_is_caught() -> None:
    name = first("multi-turn")
    calls = made()[1].tasks[name].gold.calls
    told = [
        call.model_copy(update={"sources": {key: one.model_copy(update={"text": "quince"}) for key, one in call.sources.items()}}) for call in calls
    ]

    assert "an argument has no source" in reasons(audited(with_gold(calls=tuple(told)), name), name)


def test_a_pack_of_another_package_is_refused() -> None:
    environment, pack = made()
    strange = replace(pack, manifest=pack.manifest.model_copy(update={"environment_digest": "0" * 64}))

    with pytest.raises(PackageError, match="Rebuild the pack"):
        audit_pack(environment, strange)


def test_the_same_rows_by_another_route_are_literally_the_same() -> None:
    environment, pack = made()
    case = next(one for one in cases(environment, pack) if len(one.writes) > 1 and one.play(one.writes[::-1]).passed)
    meta = environment.meta

    assert canonical_rows(meta, case.play(case.writes).changes) == canonical_rows(meta, case.play(case.writes[::-1]).changes)
    assert canonical_rows(meta, case.play(case.writes[:1]).changes) != canonical_rows(meta, case.play(case.writes).changes)


def test_a_call_that_cannot_be_made_is_told_apart() -> None:
    environment, pack = made()
    case: Case = cases(environment, pack)[0]

    assert case.play([Step("send_to_repair", {"item_id": "TOOL-999"})]).undone == (0,)


def test_a_clue_that_always_points_to_the_target_is_no_chance() -> None:
    assert Clue(name="id", pairs=20, first=20).chance < 0.001 < Clue(name="id", pairs=20, first=12).chance
    assert Clue(name="id", pairs=0, first=0).chance == 1.0


def other_routes(**changes: object) -> set[str]:
    """What the check of other routes finds in a task for which gold and a call of another task are recorded as one, with `changes`."""
    environment, pack = made()
    able = [case for case in cases(environment, pack) if case.gold.kind == "do" and case.gold.proofs.get("goal")]
    pairs = [(one, two) for one in able for two in able if one.gold.twin != two.task.public.task and one.gold.accepted != two.gold.accepted]
    case, other = next((one, two) for one, two in pairs if not one.play((*one.writes, two.writes[0])).undone)
    calls = [{"tool": step.tool, "arguments": dict(step.arguments)} for step in (*case.writes, other.writes[0])]
    route = {"calls": calls, "verdict": "forbidden", "rule": "NOTHING_ELSE", "where": "", **changes}
    proofs = {**case.gold.proofs, "other_routes": [route], **({"goal": changes["goal"]} if "goal" in changes else {})}
    route.pop("goal", None)
    tally = Tally()
    task = replace(case.task, gold=case.gold.model_copy(update={"proofs": proofs}))
    check_others(Case(environment=environment, task=task, world=case.world), tally)
    return {one.reason for one in tally.findings}


def test_another_way_to_the_goal_that_is_recorded_wrongly_is_caught() -> None:
    assert other_routes() == set()
    assert other_routes(verdict="accepted", rule="") == {"another route is judged wrong"}
    assert other_routes(rule="NO_SUCH_RULE") == {"another route is not forbidden"}
    assert other_routes(calls=[]) == {"another route leads elsewhere"}
    elsewhere = [{"table": "Item", "key": "ITM-0001", "values": {"id": "nothing"}, "gone": False}]
    assert other_routes(goal=elsewhere) == {"gold misses the goal"}
