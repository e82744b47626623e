import json
import socket

import pytest

from synth.model.endpoint import Access, Endpoint
from synth.model.errors import ModelError
from synth.model.exchange import Message, Request
from tests.endpoint import Said, scripted

KEY = "secret-key-of-the-endpoint"
SCHEMA = {"type": "object", "properties": {"a": {"type": "integer"}}}


def request(**more):
    return Request(model="small", system="Answer.", messages=(Message(role="user", text="What?"),), most_tokens=50, **more)


def asked(script, *, attempts=3, timeout=5.0, dialect=None, of=None):
    """What came of one question: the reply or the error, what the endpoint saw, how long we would have waited."""
    waited = []
    with scripted(script) as endpoint:
        model = Endpoint(Access(url=endpoint.url, key=KEY, attempts=attempts, timeout=timeout, dialect=dialect), wait=waited.append)
        try:
            return model.ask(of or request()), endpoint, waited
        except ModelError as error:
            return error, endpoint, waited


def test_a_completion_comes_back_with_the_tokens_that_the_endpoint_counted():
    reply, endpoint, _ = asked([Said("hello", usage={"prompt_tokens": 12, "completion_tokens": 3})])

    assert (reply.text, reply.tokens_in, reply.tokens_out, reply.estimated) == ("hello", 12, 3, False)
    assert endpoint.headers[0]["authorization"] == f"Bearer {KEY}"
    assert endpoint.asked[0]["messages"][0] == {"role": "system", "content": "Answer."}


def test_tokens_that_nobody_counted_are_estimated_and_said_to_be():
    reply, _, _ = asked(["hello there"])

    assert (reply.tokens_in, reply.tokens_out, reply.estimated) == (6, 2, True)


def test_the_other_dialect_has_its_own_path_headers_and_shape():
    body = {"content": [{"type": "text", "text": "hi"}], "stop_reason": "end_turn", "usage": {"input_tokens": 9, "output_tokens": 1}}
    reply, endpoint, _ = asked([Said(body)], dialect="anthropic")

    assert (reply.text, reply.tokens_in) == ("hi", 9)
    assert endpoint.paths == ["/v1/messages"]
    assert endpoint.headers[0]["x-api-key"] == KEY
    assert endpoint.asked[0]["system"] == "Answer."


def test_the_other_dialect_gives_structured_answers_as_the_input_of_a_tool():
    body = {"content": [{"type": "tool_use", "name": "answer", "input": {"a": 1}}], "stop_reason": "tool_use"}
    reply, endpoint, _ = asked([Said(body)], dialect="anthropic", of=request(schema=SCHEMA))

    assert json.loads(reply.text) == {"a": 1}
    assert endpoint.asked[0]["tool_choice"] == {"type": "tool", "name": "answer"}


def test_an_endpoint_that_knows_no_schemas_is_asked_again_without_one():
    refused = Said({"error": {"message": "response_format json_schema is not supported"}}, status=400)
    reply, endpoint, waited = asked([refused, '{"a": 1}'], of=request(schema=SCHEMA))

    assert reply.text == '{"a": 1}'
    assert ["response_format" in one for one in endpoint.asked] == [True, False]
    assert waited == []


def test_an_endpoint_that_is_busy_is_asked_again_when_it_says():
    reply, endpoint, waited = asked([Said(status=429, headers={"retry-after": "7"}), Said(status=503), "at last"])

    assert (reply.text, reply.tries) == ("at last", 3)
    assert waited == [7.0, 2.0]
    assert len(endpoint.asked) == 3


def test_nobody_waits_for_an_hour():
    _, _, waited = asked([Said(status=429, headers={"retry-after": "3600"}), "at last"])

    assert waited == [60.0]


@pytest.mark.parametrize(
    ("said", "reason", "times"),
    [
        (Said({"error": {"message": "slow down"}}, status=429), "busy", 3),
        (Said({"error": {"message": "broken"}}, status=500), "busy", 3),
        (Said({"error": {"message": f"the key {KEY} is wrong"}}, status=401), "refused", 1),
        (Said("moved", status=302, headers={"location": "http://127.0.0.1:9/"}), "refused", 1),
        (Said({"error": {"message": "no such model", "type": "invalid_request_error"}}), "error_body", 1),
        (Said({"error": {"message": "too many", "type": "rate_limit_error"}}), "error_body", 3),
        (Said({"type": "error", "error": {"type": "overloaded_error", "message": "x"}}), "error_body", 3),
        (Said(b"<html>welcome</html>"), "garbage", 2),
        (Said(b'{"choices": [{"message": {"content": "hal'), "garbage", 2),
        (Said({"choices": []}), "garbage", 2),
        (Said({"choices": [{"message": {"content": 7}}]}), "garbage", 2),
        (Said(b"[" * 100_000), "garbage", 2),
        (Said("  \n"), "empty", 1),
        (Said(b" " * 5_000_000), "too_long", 1),
    ],
    ids=lambda one: one if isinstance(one, str) else None,
)
def test_what_is_no_answer_has_a_clear_outcome_in_one_sentence_without_the_key(said, reason, times):
    error, endpoint, _ = asked([said])

    assert isinstance(error, ModelError)
    assert (error.reason, len(endpoint.asked)) == (reason, times)
    assert str(error).startswith("model at http://127.0.0.1:")
    assert ": expected " in str(error)
    assert "\n" not in str(error)
    assert KEY not in str(error)


def test_an_endpoint_that_hangs_is_left_after_the_time_allowed():
    error, endpoint, _ = asked([Said(hang=True)], attempts=1, timeout=0.2)

    assert (error.reason, len(endpoint.asked)) == ("timeout", 1)


def test_nobody_at_the_address_is_said_without_credentials_of_the_address():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        url = f"http://someone:{KEY}@127.0.0.1:{free.getsockname()[1]}/v1?api-key={KEY}"
    with pytest.raises(ModelError) as caught:
        Endpoint(Access(url=url, attempts=2), wait=lambda seconds: None).ask(request())

    assert caught.value.reason == "unreachable"
    assert KEY not in str(caught.value)


def test_a_key_that_an_answer_repeats_is_taken_out():
    reply, _, _ = asked([f"your key is {KEY}"])

    assert reply.text == "your key is …"
    assert KEY not in repr(Access(url="http://x", key=KEY))
