"""`envfarm tasks show`: what a grader reads of one task."""

import json
from pathlib import Path

import pytest

from registry.environment import read_manifest
from registry.package.pack import Gold
from server.cli.task_level import measured
from synth.tasks.level import level
from tests.made_once import domain_of
from tests.typed import typed
from tests.unit.sidecar.small_pack import ASK, DECLINE, DO, GOLD, TALK, ZOE, write_home, write_pack, write_talk
from tests.unit.tasks.made import made_of

ROUTE = {"calls": [{"tool": "rename_owner", "arguments": {"name": "x"}}], "verdict": "forbidden", "rule": "NOTHING_ELSE", "where": "Owner.name"}
CREDIT = {"table": "Owner", "key": "OWN-9", "gone": False, "values": {"credit": 200}}
LONG = "OWN-1 has a note that says much. " * 20
PROVED = {
    **GOLD[DO],
    "twin": DO,
    "accepted": [
        {
            "changes": [
                {"table": "Note", "op": "delete", "key": "OWN-2-N4", "values": {"text": {"from": "pays late", "to": None, "class": "exempt"}}},
                {"table": "Owner", "op": "update", "key": "OWN-9", "values": {"credit": {"from": 700, "to": 200, "class": "exact"}}},
                {"table": "Owner", "op": "update", "key": "OWN-1", "values": {"name": {"from": "Ruth Moore", "to": LONG, "class": "text"}}},
            ]
        }
    ],
    "facts": {"Owner.name": [["late", "delayed"]]},
    "proofs": {
        "distractors": [
            {"row": 0, "table": "Owner", "target": "OWN-9", "fact": "name", "distractor": "OWN-1", "made": True},
            {"row": 0, "table": "Owner", "target": "OWN-9", "fact": "name", "distractor": "OWN-2", "made": False},
        ],
        "bare": [{"row": 0, "table": "Owner", "target": "OWN-9", "fact": "plan"}],
        "goal": [CREDIT],
        "other_routes": [ROUTE],
        "usable_tools": 8,
    },
}


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = write_home(tmp_path_factory.mktemp("show"))
    write_talk(made)
    write_pack(made / "packs" / "small-test-3", read_manifest(made / "environments" / "small")[1], {"small-proved": PROVED})
    return made


def shown(home: Path, task: str) -> list[str]:
    done = typed(home, "tasks", "show", task)
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert max(map(len, lines)) <= 100
    return [" ".join(line.split()) for line in lines]


def test_the_start_state_and_the_accepted_changes_are_shown_as_tools_show_values(home: Path) -> None:
    lines = shown(home, "small-proved")
    start = lines.index("Start state: world 1")
    assert {"+ Owner OWN-9", "credit: 7.00", "- Note OWN-1-N1"} <= {*lines[start : lines.index("Gold calls")]}
    accepted = lines[lines.index("Accepted changes") :]
    assert accepted[1:5] == ["- Note OWN-2-N4", 'text: "pays late" (not compared)', "~ Owner OWN-9", "credit: 7.00 -> 2.00"]
    assert "name must say: late or delayed" in accepted


def test_json_keeps_stored_values_and_says_which_columns_they_are_of(home: Path) -> None:
    told = json.loads(typed(home, "tasks", "show", "small-proved", "--json").stdout)
    assert told["columns"]["Owner"]["credit"] == {"kind": "money", "places": 2}
    assert told["patch"][0] == {"table": "Owner", "key": "OWN-9", "was": None, "is": ZOE}
    assert told["patch"][1]["is"] is None
    assert told["patch"][1]["was"]["text"] == "calls in the morning"
    assert told["accepted"][0]["changes"][1]["values"]["credit"] == {"from": 700, "to": 200, "class": "exact"}
    assert told["proofs"] == PROVED["proofs"]
    assert [(call["tool"], call["reads"]) for call in told["calls"]] == [("search_owners", True), ("add_note", False)]


def test_gold_calls_come_in_order_with_where_each_argument_comes_from(home: Path) -> None:
    lines = shown(home, DO)
    calls = lines[lines.index("Gold calls") + 1 :]
    assert calls[:6] == [
        "0 search_owners",
        'name = "Zoe Ark" from instruction 4-11: Zoe Ark',
        "1 add_note (writes)",
        'owner_id = "$0.items[name=Zoe Ark].id" from result 0',
        'text = "Pays in cash." from instruction 0-1',
        'due = "2026-04-02" from nowhere: no source is recorded',
    ]


def test_what_the_user_holds_back_is_shown_with_when_it_is_said(home: Path) -> None:
    lines = shown(home, TALK)
    place = lines.index("The user says when asked")
    assert lines[place + 1 : place + 3] == ["text (asked for by: text)", 'The text: "Pays by card."']
    assert lines[place + 3].startswith("and later, when asked anything again: Wait, I have changed my mind")


def test_an_answer_and_the_grounds_of_a_decline_are_shown(home: Path) -> None:
    assert "answer (number): 4" in shown(home, ASK)
    lines = shown(home, DECLINE)
    assert 'asked for: add_credit(owner_id="OWN-2", amount=-5)' in lines
    assert "cite OWN-2" in lines
    assert "Outcome: declined, and nothing changed" in lines


def test_distractors_and_the_other_proofs_are_shown(home: Path) -> None:
    lines = shown(home, "small-proved")
    assert "Owner OWN-9, another name: OWN-1*, OWN-2" in lines
    assert "Owner OWN-9, another plan: none could be made" in lines
    assert "wanted, whatever the way: Owner OWN-9 with credit 2.00" in lines
    assert "another way is forbidden by NOTHING_ELSE, Owner.name:" in lines
    assert 'rename_owner(name="x")' in lines
    assert "usable tools: 8" in lines


def test_a_task_that_there_is_not_is_refused_with_what_may_be_meant(home: Path) -> None:
    done = typed(home, "tasks", "show", "small-ak")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == "envfarm: task: expected the id of a task, got 'small-ak'. Did you mean small-ask or small-talk or small-do?\n"


def test_the_points_of_a_task_are_those_that_its_maker_measured() -> None:
    domain = domain_of("vet_clinic")
    reading = {"ask_user", *(one.name for one in domain.tools if one.read_only)}
    drafts = made_of("vet_clinic").drafts
    assert drafts
    for draft in drafts:
        gold = Gold(task="x", kind=draft.kind, level=level(domain, draft), calls=tuple(draft.calls), outcome="done", accepted=())
        points = measured(gold, reading).points
        unsaid = sum(one.points for one in points if one.why.startswith("not seen in gold"))
        assert min(5, sum(one.points for one in points)) == gold.level, gold
        assert unsaid <= draft.implied, gold
