"""What the fast path answers is, to the byte, what the SDK answers."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from server.agent.fast_path import REFRESH_SECONDS
from tests.property.twin_fronts import JSON, META, Twins, message

VERSIONS = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
MODERN = [*JSON, ("mcp-protocol-version", "2026-07-28")]
EVEN = settings(max_examples=100, deadline=None)


@pytest.fixture(scope="module")
def twins(tmp_path_factory):
    with Twins(tmp_path_factory.mktemp("twins")) as twins:
        yield twins


def modern(tool, arguments, number=1, **meta):
    headers = [*MODERN, ("mcp-method", "tools/call"), ("mcp-name", tool)]
    return headers, message("tools/call", {"name": tool, "arguments": arguments, "_meta": {**META, **meta}}, number)


def legacy(tool, arguments, number=1, version="2025-06-18"):
    return [*JSON, ("mcp-session-id", f"{{session:{version}}}")], message("tools/call", {"name": tool, "arguments": arguments}, number)


def listing(version=None):
    if version is None:
        return [*MODERN, ("mcp-method", "tools/list")], message("tools/list", {"_meta": META})
    return [*JSON, ("mcp-session-id", f"{{session:{version}}}"), ("mcp-protocol-version", version)], message("tools/list", {})


PLAIN = [
    ("search_owners", {}),
    ("search_owners", {"name": "Käthe"}),
    ("search_owners", {"name": "\u007f\u2028\"\\/<>&'\x00\x1f\b\t"}),
    ("rename_owner", {"owner_id": "OWN-1", "name": "😀 \u007f Ö \u0000".replace("\u0000", "")}),
    ("rename_owner", {"owner_id": "OWN-2", "name": 'a "quoted" \\ 1e5 \n'}),
    ("add_credit", {"owner_id": "OWN-1", "amount": 0.1}),
    ("add_credit", {"owner_id": "OWN-1", "amount": -0.0}),
    ("add_credit", {"owner_id": "OWN-1", "amount": 9e13}),
    ("add_credit", {"owner_id": "OWN-2", "amount": -5}),
    ("multiply_credit", {"owner_id": "OWN-1", "by": 1000}),
    ("multiply_credit", {"owner_id": "OWN-1", "by": 10**30}),
    ("add_note", {"owner_id": "OWN-1", "text": "no date"}),
    ("add_note", {"owner_id": "OWN-1", "text": "date", "due": "2026-05-01"}),
    ("add_note", {"owner_id": "OWN-1", "text": "refuse me"}),
    ("add_note", {"owner_id": "OWN-9", "text": "nobody"}),
    ("add_note", {"owner_id": "OWN-1", "text": "x", "due": "2026-99-99"}),
    ("remove_notes", {"note_ids": ["OWN-1-N1"]}),
    ("postpone", {"note_id": "OWN-2-N4"}),
    ("fill", {"count": 100}),
    ("fill", {"count": 1}),
    ("sarch_owners", {}),
    ("submit_answer", {"outcome": "what"}),
    ("submit_answer", {"outcome": "done"}),
    ("search_owners", {}),
]


@pytest.mark.parametrize("era", ["modern", *VERSIONS])
def test_every_kind_of_outcome_is_answered_by_the_fast_path_with_the_same_bytes(twins, era):
    twins.start(VERSIONS)
    before = twins.answered
    for number, (tool, arguments) in enumerate(PLAIN):
        request = modern(tool, arguments, f"é{number}") if era == "modern" else legacy(tool, arguments, number, era)
        fast, slow = twins.both(*request)
        assert fast == slow
        assert fast[0] == 200
    assert twins.answered == before + len(PLAIN) - 1  # a number beyond 64 bits is left to the SDK
    assert twins.calls() == [len(PLAIN)] * 2


@pytest.mark.parametrize("how", ["raise", "recurse"])
def test_a_defect_is_told_with_the_same_bytes(twins, how):
    twins.start()
    for request in (modern("break_down", {"how": how}), legacy("break_down", {"how": how})):
        fast, slow = twins.both(*request)
        assert fast == slow
        assert b"INTERNAL_ERROR" in fast[2]


@pytest.mark.parametrize("version", [None, *VERSIONS])
@pytest.mark.parametrize("multi_turn", [False, True])
def test_the_list_of_tools_is_learnt_from_the_sdk_and_then_given_by_the_fast_path(twins, version, multi_turn):
    twins.start(VERSIONS, multi_turn=multi_turn)
    answers = [twins.both(*listing(version)) for _ in range(3)]
    assert all(fast == slow == answers[0][0] for fast, slow in answers)
    before = twins.answered
    twins.both(*listing(version))
    assert twins.answered == before + 1
    assert (b"ask_user" in answers[0][0][2]) is multi_turn


@pytest.mark.parametrize("name", [" search_owners", "search_owners ", " x ", "\t", ""])
def test_a_name_with_spaces_around_it_is_the_sdk_s_to_compare_with_its_header(twins, name):
    twins.start(free_play=True)
    fast, slow = twins.both(*modern(name, {}))
    assert fast == slow


def test_a_session_that_was_ended_is_unknown_to_both(twins):
    twins.start()
    ended = twins.both([*JSON, ("mcp-session-id", "{session:2025-06-18}")], b"", "DELETE")
    assert [one[0] for one in ended] == [200, 200]
    fast, slow = twins.both(*legacy("search_owners", {}))
    assert fast == slow
    assert fast[0] == 404


def test_a_session_of_another_episode_is_unknown_to_both(twins):
    twins.start()
    stale = [dict(one) for one in twins.sessions]
    twins.start()
    for own, old in zip(twins.sessions, stale, strict=True):
        own.update(old)
    fast, slow = twins.both(*legacy("search_owners", {}))
    assert fast == slow
    assert fast[0] == 404


def test_a_session_in_which_initialize_failed_is_left_to_the_sdk(twins):
    twins.start()
    fast, slow = twins.both(JSON, message("initialize", {}))
    assert fast == slow
    for own, opened in zip(twins.sessions, twins.opened, strict=True):
        own["2025-06-18"] = opened
    before = twins.answered
    fast, slow = twins.both(*legacy("search_owners", {}))
    assert fast == slow
    assert b'"error"' in fast[2]
    assert twins.answered == before


def test_a_session_is_shown_to_the_sdk_before_it_would_be_idle_for_it(twins, monkeypatch):
    twins.start()
    now = 1e9
    for front in twins.fronts:
        monkeypatch.setattr(front._paths, "_clock", lambda: now)
    monkeypatch.setattr("server.agent.fast_path.monotonic", lambda: now)
    before, counts = twins.answered, []
    for _ in range(3):
        twins.both(*legacy("search_owners", {}))
        counts.append(twins.answered - before)
        now += REFRESH_SECONDS * 0.6
    assert counts == [0, 1, 1]  # the first one is long after the opening; the third comes 1.2 times the limit after that


JUNK = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=6,
)
TOOL = st.sampled_from(["search_owners", "rename_owner", "add_note", "add_credit", "ask_user", "nope", "é", "=?base64?YQ==?=", " x ", ""])
ARGUMENTS = st.one_of(
    st.sampled_from([arguments for _, arguments in PLAIN]), st.fixed_dictionaries({"owner_id": st.just("OWN-1"), "name": st.text(max_size=6)}), JUNK
)
NUMBER = st.one_of(st.integers(-(2**70), 2**70), st.text(max_size=5), JUNK, st.sampled_from([0, -1, 2**63, 2**64, "1", "", "\ud83d\ude00"]))
METAS = st.one_of(
    st.just(META),
    st.builds(lambda token: {**META, "progressToken": token}, NUMBER),
    st.builds(lambda key: {name: one for name, one in META.items() if name != key}, st.sampled_from(sorted(META))),
    st.builds(lambda key, junk: {**META, key: junk}, st.sampled_from([*sorted(META), "x", "traceparent"]), JUNK),
    st.builds(lambda token: {"progressToken": token}, NUMBER),
    st.sampled_from([None, {}, {**META, "io.modelcontextprotocol/protocolVersion": "2025-06-18"}]),
    JUNK,
)


@st.composite
def bodies(draw):
    """JSON text near a plain request."""
    method = draw(st.sampled_from(["tools/call"] * 6 + ["tools/list"] * 2 + ["ping", "tools/none", "notifications/initialized", "server/discover"]))
    tool = draw(TOOL)
    params = [("name", tool)] if method == "tools/call" or draw(st.booleans()) else []
    params += [("arguments", draw(ARGUMENTS))] if method == "tools/call" else []
    params += [("_meta", draw(METAS))]
    params += draw(st.lists(st.tuples(st.sampled_from(["name", "arguments", "_meta", "cursor", "task", "inputResponses", "x"]), JUNK), max_size=1))
    if draw(st.integers(0, 9)) == 0:
        params = params[: draw(st.integers(0, 2))]
    inner = draw(st.sampled_from([_object(params)] * 8 + ["null", "[]", "1"]))
    fields = [("jsonrpc", '"2.0"'), ("id", _text(draw(NUMBER))), ("method", _text(method)), ("params", inner)]
    change = draw(st.integers(0, 19))
    if change < 4:
        del fields[change]
    elif change == 4:
        fields.append((draw(st.sampled_from(["id", "method", "params", "jsonrpc", "result", "x"])), _text(draw(JUNK))))
    elif change == 5:
        fields[0] = ("jsonrpc", _text(draw(st.sampled_from(["1.0", 2, None]))))
    body = "{" + draw(st.sampled_from([",", " ,\n"])).join(f'"{name}":{value}' for name, value in fields) + "}"
    raw = body.encode("utf-8", "surrogatepass")
    return method, tool, _damaged(draw, raw)


def _damaged(draw, raw):
    change = draw(st.integers(0, 24))
    at = draw(st.integers(0, len(raw)))
    damage = {
        0: raw[:at],
        1: raw[:at] + draw(st.binary(min_size=1, max_size=2)) + raw[at:],
        2: b"[" + raw + b"]",
        3: b"\xef\xbb\xbf" + raw,
        4: b" \n" + raw + b"\t ",
        5: raw + raw,
        6: raw.decode("utf-8", "replace").encode("utf-16"),
        7: raw + b" " * 100_001,
        8: b"",
    }
    return damage.get(change, raw)


def _object(pairs):
    return "{" + ",".join(f'"{name}":{_text(value)}' for name, value in pairs) + "}"


def _text(value):
    return json.dumps(value, ensure_ascii=len(repr(value)) % 2 == 0)


@st.composite
def requests(draw):
    method, tool, body = draw(bodies())
    headers = dict(JSON)
    if draw(st.booleans()):
        headers |= {"mcp-protocol-version": "2026-07-28", "mcp-method": method}
        if method == "tools/call" and tool.isascii():
            headers["mcp-name"] = tool
    else:
        headers |= {"mcp-session-id": "{session:2025-06-18}"}
        if draw(st.booleans()):
            headers["mcp-protocol-version"] = draw(st.sampled_from(VERSIONS))
    listed = list(headers.items())
    odd = {
        "accept": ["application/json", "*/*", "text/event-stream", "APPLICATION/*;q=0.1", "", "application/jsonx", "a, application/json ;q=1"],
        "content-type": ["text/plain", "application/json; charset=utf-8", "Application/json", "", "application/json, x"],
        "mcp-protocol-version": ["2026-07-28", "2025-06-18", "1999-01-01", "", "x"],
        "mcp-method": ["tools/call", "tools/list", "TOOLS/CALL", ""],
        "mcp-name": ["search_owners", "=?base64?c2VhcmNoX293bmVycw==?=", "nope", "", "\xe9"],
        "mcp-session-id": ["", "unknown", "{session:2025-06-18}"],
        "mcp-param-x": ["1"],
        "host": ["evil.example", "localhost:80"],
        "origin": ["http://evil.example"],
    }
    for _ in range(draw(st.sampled_from([0, 0, 0, 1, 1, 2]))):
        name = draw(st.sampled_from(sorted(odd)))
        how = draw(st.integers(0, 2))
        if how < 2:
            listed = [one for one in listed if one[0] != name]
        if how > 0:
            listed.insert(draw(st.integers(0, len(listed))), (name, draw(st.sampled_from(odd[name]))))
    return listed, body


@EVEN
@given(asked=st.lists(requests(), min_size=1, max_size=4))
def test_any_request_gets_the_same_answer_with_and_without_the_fast_path(twins, asked):
    twins.start(free_play=True)
    for headers, body in asked:
        fast, slow = twins.both(headers, body)
        assert fast == slow
    assert len(set(twins.calls())) == 1
