"""What the gate looks for besides rules and branches: boundaries of values, what hands a value on, calls of functions, links between rows."""

from dataclasses import replace

import pytest

from synth.data.world import make_world
from synth.gate.closer import Closer
from synth.gate.instance import Lens, distance
from synth.gate.part_goals import part_goals
from synth.gate.parts import REFUSED
from synth.gate.seek import seek_all, unseen_writes
from synth.gate.standing import Standing
from synth.lang import nodes as n
from synth.lang.visit import inside
from synth.reference.interpret import Reference
from synth.seed.read import parse_seed

SEED = b"""
format: "1"
id: lessons
title: Lessons
about: Lessons, and those that go before them.
entities:
  Lesson:
    id: "L-{n}"
    called: "{title}"
    rows: "4"
    fields:
      title: {type: text, unique: true}
      level: {type: integer, low: "0", high: "20"}
      places: {type: integer, low: "0", high: "20"}
      open: {type: bool}
      needs: {links: Lesson}
functions: |
  def may_change(lesson: Lesson):
      require(lesson.open, CLOSED, "Only an open lesson is changed.", evidence=lesson)
tools: |
  @asked("take a place in {lesson}")
  def join_lesson(lesson: Lesson):
      \"\"\"Take a place in a lesson; the higher ones cost more.\"\"\"
      may_change(lesson)
      price = 1 + (5 if lesson.level > 12 else 0)
      lesson.places += price
      return lesson

  @asked("call {lesson} {title}")
  def rename_lesson(lesson: Lesson, title: Lesson.title):
      \"\"\"Give a lesson another title.\"\"\"
      may_change(lesson)
      lesson.title = title
      return lesson

  @asked("{lesson} needs {other}")
  def require_lesson(lesson: Lesson, other: Lesson):
      \"\"\"Let a lesson need another one.\"\"\"
      require(lesson != other and lesson not in other.needs, CIRCLE, "Lessons do not need each other.", evidence=other)
      lesson.needs += other
      return lesson

  @asked("close {lesson}")
  def close_lesson(lesson: Lesson):
      \"\"\"Close a lesson; one of the first level only while another one is open.\"\"\"
      others = [l for l in Lesson if l != lesson and l.open]
      require(lesson.level > 1 or len(others) > 0, LAST_ONE, "One lesson of the first level stays open.", evidence=lesson)
      lesson.open = False
      return lesson

  def is_crowded(lesson: Lesson):
      \"\"\"Tell whether a lesson that goes before this one has more than ten places taken.\"\"\"
      return any(l.places > 10 for l in lesson.needs)
data: |
  def Lesson():
      title = f"lesson {serial()}"
      level = serial()
      places = 0
      open = True
"""


@pytest.fixture(scope="module")
def lessons():
    reference = Reference(parse_seed(SEED, "lessons.yaml"))
    start = reference.state(make_world(reference.domain, 0).rows)
    return reference, start, {one.tool.name: one for one in seek_all(reference, start, Standing(reference, start, reference.now), "lessons")}


def of_kind(sought, kind):
    """Nodes of one kind in a tool, by their ids."""
    return {id(one) for one in inside(sought.tool.body) if isinstance(one, kind)}


def shown(sought, kind):
    """Instances of the goals about nodes of one kind, by the number of the part."""
    nodes = of_kind(sought, kind)
    return {goal.number: one[0] for goal, one in sought.found.items() if goal.kind == "part" and goal.mark in nodes}


def held(instance, name):
    return instance.state.row("Lesson", instance.arguments["lesson_id"])[name]


def test_a_choice_in_a_value_has_calls_on_both_sides_of_its_boundary_and_on_it(lessons):
    _, _, found = lessons
    sides = {number: one for number, one in shown(found["join_lesson"], n.Choice).items() if number >= 100}
    assert [held(sides[number], "level") for number in sorted(sides)] == [11, 12, 13]


def test_an_element_of_any_is_looked_at_on_its_boundary(lessons):
    _, _, found = lessons
    about = [goal for goal in found["is_crowded"].goals if goal.kind == "part" and goal.mark in of_kind(found["is_crowded"], n.Compare)]
    assert [goal for goal in about if 49 <= goal.number <= 51]
    assert all(goal in found["is_crowded"].found for goal in about)


@pytest.mark.parametrize("tool", ["join_lesson", "rename_lesson"])
def test_each_tool_that_calls_a_function_has_a_call_that_a_rule_in_it_refuses(lessons, tool):
    _, _, found = lessons
    refused = shown(found[tool], n.Apply)[REFUSED]
    assert [one.code for one in refused.broken] == ["CLOSED"]


def test_a_row_is_linked_to_the_one_that_is_to_need_it(lessons):
    _, _, found = lessons
    circles = [one for one in found["require_lesson"].instances() if [broken.code for broken in one.broken] == ["CIRCLE"]]
    assert any(one.arguments["lesson_id"] != one.arguments["other_id"] for one in circles)


def test_what_another_operand_settles_hides_what_is_bound_to_a_name(lessons):
    reference, start, found = lessons
    tool = found["close_lesson"].tool
    goals = [one for one in part_goals(reference.domain, tool) if one.through is not None]
    assert {one.through[1:] for one in goals} == {(1, 2)}
    lens = Lens(reference)
    low, high = (next(str(row["id"]) for row in start.rows("Lesson") if row["level"] == level) for level in (1, 2))
    settled, decided = (lens.look(start, tool.name, {"lesson_id": key}, reference.now) for key in (high, low))
    assert all(distance(goal, settled) >= 1 for goal in goals)
    assert any(distance(goal, decided) == 0 for goal in goals)


def test_a_write_that_nothing_shows_is_looked_for_longer_unless_another_tool_shows_it(lessons):
    _, _, found = lessons
    joined, renamed = found["join_lesson"], found["rename_lesson"]
    goal = next(one for one in joined.goals if one.written)
    assert unseen_writes([joined, renamed]) == {}
    without = replace(joined, found={one: held for one, held in joined.found.items() if one is not goal})
    assert unseen_writes([without, renamed]) == {goal: without}
    assert unseen_writes([without, joined]) == {}


def test_a_second_closer_look_draws_other_calls_than_the_first(lessons):
    reference, start, found = lessons
    standing = Standing(reference, start, reference.now)
    looks = [
        [arguments for _, arguments in Closer(reference, start, standing, tuple(found.values()), "lessons").look("join_lesson", again)]
        for again in (0, 1)
    ]
    assert all(looks)
    assert looks[0] != looks[1]
