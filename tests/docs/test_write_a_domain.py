"""Every step of docs/write-a-domain.md is a seed without problems, has rows, and its tools can be called."""

import re
from functools import cache
from pathlib import Path

import pytest

from synth.data.world import make_world
from synth.lang.domain import Domain
from synth.reference.interpret import reference
from synth.seed.read import check_seed
from synth.tasks.supply import supply

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "write-a-domain.md").read_text(encoding="utf-8")
FENCES = re.findall(r"^```yaml step(\d)(?: (\w+))?(?: (\w+))?\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
STEPS = sorted({int(step) for step, *_ in FENCES})


def added(seed: str, section: str, entity: str, text: str) -> str:
    if not section:
        return text
    if section == "top":
        return seed + text
    if section == "field":
        line = next(line for line in seed.splitlines() if line.strip().startswith("fields: {") and seed.index(f"  {entity}:") < seed.index(line))
        return seed.replace(line, line[:-1] + ", " + text.strip() + "}", 1)
    start = seed.index(f"\n{section}:") + 1
    head = seed.index("\n", start) + 1
    following = re.search(r"^\w", seed[head:], re.MULTILINE)
    end = head + following.start() if following else len(seed)
    if section == "derive":
        return seed[:start] + text + seed[end:]
    return seed[:end].rstrip("\n") + "\n" + ("\n" if section == "tools" else "") + text + seed[end:]


@cache
def seed_after(step: int) -> str:
    seed = ""
    for number, section, entity, text in FENCES:
        if int(number) <= step:
            seed = added(seed, section, entity, text)
    return seed


def domain_after(step: int) -> Domain:
    domain, problems = check_seed(seed_after(step).encode(), f"step{step}.yaml")
    assert [str(one) for one in problems if one.level == "error"] == []
    assert domain is not None
    return domain


def test_the_page_has_six_steps_and_the_first_is_as_short_as_it_says() -> None:
    assert STEPS == [1, 2, 3, 4, 5, 6]
    assert len(seed_after(1).splitlines()) <= 30


@pytest.mark.parametrize("step", [1, 2, 3, 5, 6])
def test_a_step_is_a_seed_whose_rows_can_be_made_and_read(step: int) -> None:
    domain = domain_after(step)
    machine = reference(domain)
    state = machine.state(make_world(domain, 0).rows)
    for entity in domain.entities:
        found = machine.predict(state, f"get_{entity.name.lower()}", {f"{entity.name.lower()}_id": state.keys(entity.name)[0]}, machine.now)
        assert found.result["id"] == state.keys(entity.name)[0]


def test_the_fourth_step_is_read_and_its_invariants_want_the_data_of_the_fifth() -> None:
    assert len(domain_after(4).invariants) == 2
    domain = domain_after(5)
    machine = reference(domain)
    assert machine.invariants(machine.state(make_world(domain, 0).rows)) == []


def test_the_last_step_gives_tasks_that_use_every_tool_that_writes() -> None:
    domain = domain_after(6)
    made = supply(domain, "0" * 64, count=24)
    assert len(made.drafts) == 24
    writes = {tool.name for tool in domain.tools if not tool.read_only}
    assert writes <= {name for draft in made.drafts for name in draft.tools}
