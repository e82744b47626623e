"""A question of `ask_user` put to the person at the client (elicitation), in either protocol era.

The episode logs the question, with the answer of the user that the task describes; the agent gets the person's answer, if there is one.
"""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any

import anyio
import orjson
from mcp import MCPError, types
from mcp.server.context import ServerRequestContext

from registry.dispatch.harness import ASK, ASK_TOOL
from registry.dispatch.schema import ArgumentSchema
from registry.package.errors import InvalidArguments
from server.agent.engine import Outcome
from server.agent.era import MODERN

FIELD = "answer"
LONGEST = 4000
FORM: dict[str, Any] = {
    "type": "object",
    "required": [FIELD],
    "properties": {FIELD: {"type": "string", "title": "Answer", "description": "What the agent is told.", "maxLength": LONGEST}},
}
_QUESTION = ArgumentSchema(ASK_TOOL["inputSchema"])

Context = ServerRequestContext[Any, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """An outcome with the answer of a person."""

    result: Any
    text: str
    kind: str = "ok"


class Questions:
    """Questions that wait for their person."""

    def __init__(self) -> None:
        self._waiting: set[anyio.CancelScope] = set()

    @contextmanager
    def waiting(self) -> Iterator[None]:
        """While an answer is waited for; left at once when nobody will answer any more."""
        with anyio.CancelScope() as scope:
            self._waiting.add(scope)
            try:
                yield
            finally:
                self._waiting.discard(scope)

    def end(self) -> None:
        """Nobody answers any more: the server stops. Calls that wait are answered without."""
        for scope in self._waiting:
            scope.cancel()


def can_ask(ctx: Context, params: types.CallToolRequestParams) -> bool:
    """Whether this call is a question that a person at this client can be asked, now."""
    known = ctx.session.client_capabilities
    asks = known.elicitation if known is not None else None
    if params.name != ASK or asks is None or (asks.form is None and asks.url is not None):
        return False
    try:
        _QUESTION.check(params.arguments or {})
    except InvalidArguments:
        return False
    return ctx.protocol_version == MODERN or ctx.session.can_send_request


def request(params: types.CallToolRequestParams) -> types.InputRequiredResult | None:
    """In the newest protocol: what the client is to ask before it calls again; None when it has."""
    if FIELD in (params.input_responses or {}):
        return None
    form = types.ElicitRequestFormParams(message=_question(params), requested_schema=FORM)
    return types.InputRequiredResult(input_requests={FIELD: types.ElicitRequest(params=form)})


async def asked(ctx: Context, params: types.CallToolRequestParams, outcome: Outcome, questions: Questions) -> Outcome:
    """The outcome with the person's answer; as it is when the person gives none, or the call was refused."""
    if outcome.kind != "ok":
        return outcome
    given: Any = None
    if ctx.protocol_version == MODERN:
        given = (params.input_responses or {}).get(FIELD)
    else:
        with questions.waiting(), suppress(MCPError):
            given = await ctx.session.elicit_form(_question(params), FORM, related_request_id=ctx.request_id)
    if not isinstance(given, types.ElicitResult) or given.action != "accept":
        return outcome
    answer = (given.content or {}).get(FIELD)
    if not isinstance(answer, str) or not answer.strip() or len(answer) > LONGEST:
        return outcome
    result = {**outcome.result, FIELD: answer}
    return Told(result=result, text=orjson.dumps(result).decode())


def _question(params: types.CallToolRequestParams) -> str:
    return str((params.arguments or {})["question"])
