import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from synth.lang.domain import Domain
from synth.model import Model, ModelError
from synth.seed.read import read_seed
from synth.tasks.finishing.dress import reworded
from synth.tasks.supply import Supply, supply
from synth.tasks.wording.phrase import Phrase, as_phrase, fact

Script = Callable[[str], object]


@contextmanager
def endpoint(script: Script) -> Iterator[str]:
    """A chat endpoint on loopback that replies with what the script makes of the message."""

    class Chat(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            asked = json.loads(self.rfile.read(int(self.headers["content-length"])))
            said = script(asked["messages"][-1]["content"])
            body = json.dumps(said if isinstance(said, dict) else {"choices": [{"message": {"content": said}}]}).encode()
            self.send_response(200 if self.headers["authorization"] == "Bearer secret" else 401)
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Chat)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}/v1"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def words() -> Phrase:
    return as_phrase("Please put ") + fact("Ruth Moore", "s0.owner") + " on the " + fact("premium", "s0.plan") + " plan from 5 May."


def through(script: Script) -> str:
    with endpoint(script) as url:
        return str(reworded(words(), Model(url=url, name="small", key="secret").reword))


def test_other_words_that_keep_every_fact_take_the_place_of_the_message() -> None:
    said = "Could Ruth Moore get the premium plan from 5 May?"
    assert through(lambda text: said) == said
    with endpoint(lambda text: said) as url:
        assert reworded(words(), Model(url=url, name="small", key="secret").reword).tags() == words().tags()


@pytest.mark.parametrize(
    "said",
    [
        "Could Ruth Moore get the basic plan from 5 May?",
        "Could Ruth get the premium plan from 5 May?",
        "Could Ruth Moore get the premium plan?",
        "Could Ruth Moore get the premium plan from 5 May, and Ann Lee 2 of them?",
        "premium for Ruth Moore from 5 May, Ruth Moore!",
    ],
)
def test_words_that_lose_or_add_a_fact_are_thrown_away(said: str) -> None:
    assert through(lambda text: said) == str(words())


def test_an_endpoint_that_refuses_or_says_something_else_is_named_in_one_sentence() -> None:
    with endpoint(lambda text: {"error": "busy"}) as url, pytest.raises(ModelError, match="expected a completion"):
        Model(url=url, name="small", key="secret").reword("Hello.")
    with endpoint(lambda text: "Hi.") as url, pytest.raises(ModelError, match="got status 401"):
        Model(url=url, name="small").reword("Hello.")


@cache
def domain() -> Domain:
    return read_seed(Path("seeds/tool_library.yaml"))


def pack(reword: Callable[[str], str] | None) -> Supply:
    return supply(domain(), "0" * 64, 6, 3, "train", kinds=("do",), rewriter=reword, reworded_by="" if reword is None else "small")


def test_a_pack_in_other_words_has_another_name_and_the_same_gold_and_none_is_asked_by_default() -> None:
    with endpoint(lambda text: f"{text} Ta!") as url:
        other = pack(Model(url=url, name="small", key="secret").reword)
    plain = pack(None)
    assert other.id != plain.id
    assert [one.accepted for one in other.drafts] == [one.accepted for one in plain.drafts]
    assert all(one.instruction.endswith(" Ta!") for one in other.drafts)
    assert not any(one.instruction.endswith(" Ta!") for one in plain.drafts)
    for draft in other.drafts:
        for source in (source for call in draft.calls for source in call.sources.values() if source.kind == "span"):
            assert draft.instruction[source.start : source.end] == source.text
