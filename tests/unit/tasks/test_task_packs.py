import json
from functools import cache
from typing import get_args

import pytest

from registry.dispatch.harness import ASK, ask
from registry.dispatch.user import Conversation
from registry.package.pack import Gold, TaskKind, TaskPublic
from registry.package.symbols import resolve
from synth.reference.interpret import reference
from synth.tasks.supply import DEFAULT_COUNT, Supply, supply
from tests.made_once import domain_of, value
from tests.seeds import FIRST, every

SEEDS = every()


@cache
def pack_of(name: str) -> Supply:
    return value(f"pack-{name}-{DEFAULT_COUNT}", lambda: supply(domain_of(name), "0" * 64))


def golds(pack: Supply) -> list[tuple[Gold, TaskPublic]]:
    names = [json.loads(pack.files["gold/manifest.json"])]
    return [
        (Gold.model_validate_json(pack.files[path]), TaskPublic.model_validate_json(pack.files[path.replace("gold/", "public/")]))
        for path in sorted(names[0])
    ]


@pytest.mark.parametrize("name", SEEDS)
def test_every_gold_argument_has_a_source_that_says_it(name: str) -> None:
    for gold, public in golds(pack_of(name)):
        for index, call in enumerate(gold.calls):
            assert set(call.arguments) == set(call.sources)
            for source in call.sources.values():
                if source.kind == "span":
                    assert public.instruction[source.start : source.end] == source.text != ""
                else:
                    assert source.kind in ("result", "answer")
                    assert source.call < index


@pytest.mark.parametrize("name", SEEDS)
def test_gold_plays_on_the_interpreter_and_gives_the_accepted_change(name: str) -> None:
    pack, machine = pack_of(name), reference(domain_of(name))
    for gold, public in golds(pack):
        machine_rows = [json.loads(line) for line in pack.files[f"public/worlds/{public.world}.jsonl"].decode().splitlines()]
        rows = {(table, row["id"]): row for table, row in machine_rows}
        rows |= {(table, key): row for table, key, row in public.patch}
        start = state = machine.state([(table, row) for (table, _), row in rows.items() if row is not None])
        results: list[object] = []
        talk = Conversation()
        for call in gold.calls:
            if call.tool == ASK:
                results.append(ask(call.arguments, public.held_back, talk=talk))
                continue
            prediction = machine.predict(state, call.tool, resolve(call.arguments, results), machine.now)
            assert prediction.kind == "ok", (gold.task, call, prediction.text)
            results.append(prediction.result)
            state = prediction.state
        changed = state is not start and any(state.tables[one] != start.tables[one] for one in machine.tables.names)
        assert bool(gold.accepted[0].changes) == (gold.outcome == "done")
        assert changed or not gold.accepted[0].changes


@pytest.mark.parametrize("name", SEEDS)
def test_all_kinds_are_made_and_only_twins_share_their_words(name: str) -> None:
    made = golds(pack_of(name))
    assert len(made) == DEFAULT_COUNT
    assert {gold.kind for gold, _ in made} == set(get_args(TaskKind))
    by_task = {gold.task: (gold, public) for gold, public in made}
    for gold, public in made:
        twin, words = by_task[gold.twin]
        assert words.instruction == public.instruction
        assert (twin.accepted, twin.answer, twin.outcome) != (gold.accepted, gold.answer, gold.outcome)
    assert len({public.instruction for _, public in made}) == len(made) // 2


def test_the_same_arguments_give_the_same_bytes_and_another_seed_another_world() -> None:
    domain = domain_of(FIRST[0])
    assert supply(domain, "0" * 64, count=8).files == supply(domain, "0" * 64, count=8).files
    other = supply(domain, "0" * 64, count=8, seed=1).files
    assert not set(other) & {path for path in supply(domain, "0" * 64, count=8).files if path not in ("pack.toml", "gold/manifest.json")}


@pytest.mark.parametrize("name", SEEDS)
def test_no_instruction_tells_an_id_or_the_name_of_a_tool(name: str) -> None:
    tools = [tool.name for tool in domain_of(name).tools]
    for gold, public in golds(pack_of(name)):
        ids = {change.key for one in gold.accepted for change in one.changes}
        assert not [word for word in (*tools, *ids) if word in public.instruction]
