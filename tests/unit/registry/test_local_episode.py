"""One episode in process: outcomes, undoing, clock, ids, changes, replay."""

import gc
import math

import pytest

from registry.catalogue import open_folder
from registry.episode.hot import HotEpisode
from registry.episode.local import LocalEpisode
from registry.record import chain_start, digest_of
from tests.unit.registry.small_package import world_rows, write_package


@pytest.fixture(scope="module")
def environment(tmp_path_factory):
    return open_folder(write_package(tmp_path_factory.mktemp("package")))


@pytest.fixture
def episode(environment):
    return LocalEpisode(environment)


def test_a_fresh_episode_has_the_rows_of_its_world_and_no_changes(episode):
    assert sorted(row["id"] for _, row in episode.snapshot()) == sorted(row["id"] for _, row in world_rows())
    assert episode.changes() == ()


def test_a_write_is_answered_recorded_and_shown_as_a_net_change_with_match_classes(episode):
    outcome = episode.call("rename_owner", {"owner_id": "OWN-1", "name": "Ruth Kim"})
    assert outcome.kind == "ok"
    assert outcome.result["name"] == "Ruth Kim"
    assert outcome.writes == (("Owner", "update", "OWN-1", {"name": "Ruth Kim", "moved": 1}),)
    [change] = episode.changes()
    assert change.model_dump(by_alias=True) == {
        "table": "Owner",
        "op": "update",
        "key": "OWN-1",
        "values": {"name": {"from": "Ruth Moore", "to": "Ruth Kim", "class": "text"}, "moved": {"from": 0, "to": 1, "class": "exempt"}},
    }


def test_a_restored_row_vanishes_from_the_changes(episode):
    episode.call("add_credit", {"owner_id": "OWN-1", "amount": 3})
    assert len(episode.changes()) == 1
    episode.call("add_credit", {"owner_id": "OWN-1", "amount": -3})
    assert episode.changes() == ()


def test_an_inserted_and_deleted_row_vanishes_but_its_number_is_not_used_again(episode):
    made = episode.call("add_note", {"owner_id": "OWN-2", "text": "one"}).result["id"]
    assert made == "OWN-2-N5"
    episode.call("remove_notes", {"note_ids": [made]})
    assert episode.changes() == ()
    assert episode.call("add_note", {"owner_id": "OWN-2", "text": "two"}).result["id"] == "OWN-2-N6"
    assert episode.call("add_note", {"owner_id": "OWN-3", "text": "first"}).result["id"] == "OWN-3-N1"


def test_a_refusal_undoes_rows_and_counters(episode):
    before = episode.state_digest
    refused = episode.call("add_note", {"owner_id": "OWN-2", "text": "refuse me"})
    assert (refused.kind, refused.code, refused.text, refused.writes) == ("refused", "RUDE", "RUDE: Such a note is not kept.", ())
    assert episode.state_digest == before
    assert episode.call("add_note", {"owner_id": "OWN-2", "text": "fine"}).result["id"] == "OWN-2-N5"


def test_a_refusal_keeps_its_evidence_apart_from_its_text(episode):
    refused = episode.call("add_credit", {"owner_id": "OWN-2", "amount": -0.01})
    assert refused.text == "OVERDRAWN: The credit of Ann Lee would be overdrawn."
    assert refused.evidence == ("OWN-2",)


def test_each_logged_call_moves_the_clock_by_one_second_invalid_and_unknown_ones_too(episode):
    episode.call("search_owners", {"nam": "x"})
    episode.call("no_such_tool", {})
    third = episode.call("add_note", {"owner_id": "OWN-1", "text": "t"})
    assert third.result["made_at"] == "2026-03-02T08:00:02"


@pytest.mark.parametrize("how", ["loop", "recurse", "raise"])
def test_whatever_a_tool_raises_is_a_defect_that_changes_nothing_and_tells_nothing(episode, how, caplog):
    before = episode.state_digest
    outcome = episode.call("break_down", {"how": how})
    assert outcome.kind == "defect"
    assert outcome.text == f"INTERNAL_ERROR: The environment failed on this call (incident {outcome.incident}). The episode cannot be scored."
    assert episode.state_digest == before
    assert outcome.incident in caplog.text


def test_incidents_are_the_same_in_a_replay(environment, caplog):
    calls = [("search_owners", {}), ("break_down", {"how": "raise"})]
    first, second = (LocalEpisode(environment).replay(calls) for _ in range(2))
    assert first == second


def test_a_result_above_the_cap_is_refused_and_the_call_undone(episode):
    outcome = episode.call("fill", {"count": 80})
    assert (outcome.kind, outcome.code) == ("refused", "RESULT_TOO_LARGE")
    assert episode.changes() == ()
    assert episode.call("fill", {"count": 10}).kind == "ok"


def test_a_number_that_grows_beyond_what_is_stored_is_refused_and_no_defect(episode):
    outcomes = [episode.call("multiply_credit", {"owner_id": "OWN-1", "by": 2**40}) for _ in range(3)]
    assert [one.kind for one in outcomes] == ["ok", "refused", "refused"]
    assert outcomes[-1].code == "LIMIT"


def test_unknown_rows_are_refused_not_found(episode):
    assert episode.call("rename_owner", {"owner_id": "OWN-99", "name": "x"}).code == "NOT_FOUND"
    assert episode.call("remove_notes", {"note_ids": ["OWN-1-N1", "zz"]}).code == "NOT_FOUND"
    assert episode.changes() == ()


DEEP: object = 1
for _ in range(300):
    DEEP = [DEEP]


@pytest.mark.parametrize(
    ("tool", "arguments", "names"),
    [
        ("add_note", {"owner_id": "OWN-1", "text": "t", "due": "2026-99-99"}, ["'due'", "a date like 2026-03-02", '"2026-99-99" (string)']),
        ("add_note", {"owner_id": "OWN-1", "text": "t", "due": "0001-01-01"}, ["'due'", "1900 to 2199"]),
        ("add_note", {"owner_id": "OWN-1", "text": "t", "due": "2026-03-0٢"}, ["'due'"]),
        ("add_note", {"owner_id": "OWN-1", "text": "\ud800"}, ["'text'", "lone surrogates"]),
        ("add_note", {"owner_id": "OWN-1", "\ud800": "x"}, ["expected a name"]),
        ("add_note", {"owner_id": "OWN-1", "text": "a\x00b"}, ["'text'", "null characters"]),
        ("add_note", {"owner_id": "OWN-1", "text": "x" * 20_000}, ["'text'", "at most 10000 characters"]),
        ("add_note", {"owner_id": "OWN-1", "text": "x" * 200_000}, ["arguments", "at most 65536 bytes"]),
        ("add_note", {"owner_id": "OWN-1", "text": DEEP}, ["levels of nesting"]),
        ("add_note", {"owner_id": "OWN-1"}, ["'text'", "expected text, got nothing"]),
        ("add_note", {"owner_id": "OWN-1", "text": 5}, ["'text'", "expected text", "got 5 (integer)"]),
        ("add_note", {"owner_id": "OWN-1", "text": "t", "colour": "red"}, ["'colour'", "owner_id, text, due"]),
        ("add_credit", {"owner_id": "OWN-1", "amount": math.nan}, ["'amount'", "a finite number", "nan"]),
        ("add_credit", {"owner_id": "OWN-1", "amount": -math.inf}, ["'amount'", "a finite number"]),
        ("add_credit", {"owner_id": "OWN-1", "amount": 0.125}, ["'amount'", "at most 2 decimal places"]),
        ("add_credit", {"owner_id": "OWN-1", "amount": 1e300}, ["'amount'", "between"]),
        ("add_credit", {"owner_id": "OWN-1", "amount": 10**30}, ["'amount'", "at most 9007199254740991"]),
        ("add_credit", {"owner_id": "OWN-1", "amount": True}, ["'amount'", "a number", "true (boolean)"]),
        ("add_credit", {"owner_id": "owner", "amount": 1}, ["'owner_id'", "matching ^OWN-[0-9]+$"]),
        ("fill", {"count": 2**63}, ["'count'"]),
        ("fill", {"count": -1}, ["'count'", "at least 0"]),
        ("break_down", {"how": "gently"}, ["'how'", "one of loop, recurse, raise"]),
        ("remove_notes", {"note_ids": ["OWN-1-N1", "OWN-1-N1"]}, ["'note_ids'", "without repeats"]),
        ("remove_notes", {"note_ids": [1]}, ["'note_ids[0]'", "expected text"]),
        ("add_not", {}, ["tool", "'add_not'", "add_note"]),
        ("search_owners", ["x"], ["arguments", "an object", "(array)"]),
        (7, {}, ["tool"]),
        ("\ud800", {}, ["tool"]),
        ("submit_answer", {"outcom": "done"}, ["'outcom'", "Did you mean outcome?"]),
        ("submit_answer", {"outcome": "done", "zzzz": 1}, ["'zzzz'", "Leave it out."]),
        ("submit_answer", {"outcome": "maybe"}, ["'outcome'", "done, answered, declined"]),
        ("submit_answer", {"outcome": "answered"}, ["'answer'"]),
        ("submit_answer", {"outcome": "declined"}, ["'reason_code'"]),
        ("ask_user", {"question": "why"}, ["tool"]),
    ],
)
def test_arguments_that_do_not_fit_are_invalid_and_the_sentence_says_what_to_do(environment, tool, arguments, names):
    episode = LocalEpisode(environment)
    outcome = episode.call(tool, arguments)
    assert outcome.kind == "invalid"
    assert outcome.text.startswith("INVALID_ARGUMENTS: ")
    for part in [part.strip("'") if part == "'add_not'" else part for part in names]:
        assert part in outcome.text
    assert episode.changes() == ()
    assert not episode.closed
    [record] = episode.log()
    assert LocalEpisode(environment).replay([record.to_json()])[0].kind == "invalid"


def test_money_and_whole_floats_are_taken(episode):
    assert episode.call("add_credit", {"owner_id": "OWN-1", "amount": 0.1}).result["credit"] == 10.1
    assert episode.call("multiply_credit", {"owner_id": "OWN-1", "by": 2.0}).result["credit"] == 20.2
    assert episode.call("add_note", {"owner_id": "OWN-1", "text": "t", "due": None}).result["due"] is None


def test_an_argument_that_is_not_sent_is_unset(episode):
    assert episode.call("postpone", {"note_id": "OWN-2-N4"}).result["due"] == "2026-04-01"
    assert episode.call("postpone", {"note_id": "OWN-2-N4", "days": 1}).result["due"] == "2026-03-03"
    assert episode.call("postpone", {"note_id": "OWN-2-N4", "days": 2**40}).code == "LIMIT"


def test_the_first_accepted_submission_closes_and_later_calls_are_refused_and_logged(environment):
    episode = LocalEpisode(environment)
    receipt = episode.call("submit_answer", {"outcome": "declined", "reason_code": "RUDE", "evidence": ["OWN-1"]})
    assert (receipt.result, receipt.closed) == ({"received": True, "outcome": "declined"}, True)
    for tool, arguments in [("search_owners", {}), ("submit_answer", {"outcome": "done"}), ("nonsense", {"a": math.nan})]:
        outcome = episode.call(tool, arguments)
        assert (outcome.kind, outcome.code, outcome.closed) == ("refused", "EPISODE_CLOSED", True)
    assert len(episode.log()) == 4


def test_free_play_goes_on_after_a_submission(environment):
    episode = LocalEpisode(environment, free_play=True)
    assert not episode.call("submit_answer", {"outcome": "done"}).closed
    assert episode.call("search_owners", {}).kind == "ok"


def test_beyond_the_call_limit_only_a_submission_is_possible(environment):
    episode = LocalEpisode(environment, call_limit=2)
    assert [episode.call("search_owners", {}).code for _ in range(3)] == ["", "", "CALL_LIMIT"]
    assert episode.call("submit_answer", {"outcome": "done"}).closed


def test_the_user_tells_only_what_is_asked_for(environment):
    from registry.package.pack import HeldBack

    facts = (HeldBack(topic="date", asks=("date", "which day"), answer="On Monday."), HeldBack(topic="why", asks=("reason",), answer="It is ill."))
    episode = LocalEpisode(environment, multi_turn=True, held_back=facts)
    assert episode.call("ask_user", {"question": "Which DAY, and for what reason?"}).result == {"answer": "On Monday. It is ill."}
    assert "On Monday" not in episode.call("ask_user", {"question": "Have you updated it?"}).text


def test_a_replay_gives_the_same_log_and_state(environment):
    episode = LocalEpisode(environment)
    episode.replay([("rename_owner", {"owner_id": "OWN-1", "name": "Z"}), ("nope", {}), ("add_note", {"owner_id": "OWN-3", "text": "é"})])
    again = LocalEpisode(environment)
    again.replay([record.to_json() for record in episode.log()])
    assert (again.digest, again.state_digest) == (episode.digest, episode.state_digest)
    assert again.log() == episode.log()


def test_the_log_is_a_chain_of_digests_that_starts_at_the_package_and_the_state(environment):
    episode = LocalEpisode(environment)
    start = episode.state_digest
    episode.replay([("search_owners", {}), ("rename_owner", {"owner_id": "OWN-1", "name": "Z"})])
    previous = chain_start(environment.digest, start)
    for record in episode.log():
        previous = digest_of(previous, record)
        assert record.digest == previous
    assert episode.digest == previous


def test_a_fork_is_a_prefix_and_shares_nothing(environment):
    episode = LocalEpisode(environment)
    episode.replay([("rename_owner", {"owner_id": "OWN-1", "name": "A"}), ("rename_owner", {"owner_id": "OWN-1", "name": "B"})])
    fork = episode.fork(at=1)
    prefix = LocalEpisode(environment)
    prefix.call("rename_owner", {"owner_id": "OWN-1", "name": "A"})
    assert (fork.digest, fork.state_digest) == (prefix.digest, prefix.state_digest)
    fork.call("rename_owner", {"owner_id": "OWN-1", "name": "C"})
    assert dict(episode.snapshot())["Owner"] is not None
    assert [row["name"] for _, row in episode.snapshot() if row["id"] == "OWN-1"] == ["B"]


def test_a_scenario_replaces_the_world(environment):
    rows = [(table, {**values, "name": "Only One"}) for table, values in world_rows() if table == "Owner"][:1]
    episode = LocalEpisode(environment, scenario=rows)
    assert [item["name"] for item in episode.call("search_owners", {}).result["items"]] == ["Only One"]
    assert episode.call("add_note", {"owner_id": "OWN-1", "text": "t"}).result["id"] == "OWN-1-N1"


def test_an_episode_that_nobody_holds_is_freed_at_once_whatever_it_read_wrote_and_refused(environment):
    def alive():
        return sum(type(one) is HotEpisode for one in gc.get_objects())

    gc.collect()
    before = alive()
    gc.disable()
    try:
        episode = LocalEpisode(environment)
        episode.call("rename_owner", {"owner_id": "OWN-1", "name": "Ruth Kim"})
        assert episode.call("add_note", {"owner_id": "OWN-2", "text": "refuse me"}).kind == "refused"
        assert episode.changes()
        episode.reset()
        assert alive() == before + 1
        del episode
        assert alive() == before
    finally:
        gc.enable()
