"""Agents behind HTTP: what is posted, what a reply means, whose failure a failure is."""

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from evals.agents.service import Service
from evals.agents.spec import Means, UnknownAgent, make_agent
from server.listen import address, bind, make_server, served
from tests.unit.evals.test_command_agent import episode


@asynccontextmanager
async def service(status: int, body: bytes, heard: list[Any]) -> AsyncIterator[str]:
    async def answer(request: Request) -> Response:
        heard.append(await request.json())
        return Response(body, status)

    with bind("127.0.0.1", 0, "--port") as listener:
        async with served([(make_server(Starlette(routes=[Route("/agent", answer, methods=["POST"])]), grace=1), listener)]):
            yield f"http://{address(listener)}/agent"


async def test_a_service_gets_url_instruction_and_deadline_and_its_reply_is_kept() -> None:
    heard: list[Any] = []
    told = {"final": "Four.", "answer": "4", "tokens": {"input": 5, "output": 2}, "cost": 0.25, "messages": [{"role": "user", "content": "?"}]}
    async with service(200, json.dumps(told).encode(), heard) as url:
        outcome = await Service(url).play(episode())

    (given,) = heard
    assert given == {"mcp_url": episode().mcp_url, "instruction": episode().instruction, "run": "run-1", "deadline": 30}
    assert (outcome.final, outcome.submission, outcome.cost) == ("Four.", {"outcome": "answered", "answer": "4"}, 0.25)
    assert outcome.tokens is not None
    assert (outcome.tokens.input, outcome.tokens.output, outcome.messages) == (5, 2, told["messages"])


@pytest.mark.parametrize(
    ("status", "body", "masked"),
    [(503, b"", "network"), (429, b"", "network"), (500, b"broken", ""), (200, b"no json", ""), (200, b'{"failed": "provider"}', "provider")],
)
async def test_faults_of_the_way_and_of_the_provider_are_masked_and_those_of_the_service_are_not(status: int, body: bytes, masked: str) -> None:
    async with service(status, body, []) as url:
        outcome = await Service(url).play(episode())

    assert outcome.masked == masked
    assert masked == "provider" or outcome.stopped == "crashed"


async def test_nobody_who_answers_is_a_fault_of_the_network() -> None:
    with bind("127.0.0.1", 0, "--port") as listener:
        url = f"http://{address(listener)}/agent"

    assert (await Service(url).play(episode())).masked == "network"


@pytest.mark.parametrize("spec", ["", "orcale", "command:", "http:ftp://x", "model:one", "blind"])
def test_what_names_no_agent_is_refused_as_wrong_usage(spec: str) -> None:
    with pytest.raises(UnknownAgent, match="--agent: expected oracle, noop"):
        make_agent(spec, Means(http=None, known=None))  # type: ignore[arg-type]


def test_a_service_may_be_named_with_or_without_the_word_before_its_url() -> None:
    for spec in ("http:http://127.0.0.1:9/agent", "http://127.0.0.1:9/agent", "http:https://example.org/agent"):
        chosen = make_agent(spec, Means(http=None, known=None))  # type: ignore[arg-type]
        assert isinstance(chosen.agent, Service)
        assert chosen.headline == ("unsandboxed",)
