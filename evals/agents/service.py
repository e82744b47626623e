"""An agent behind HTTP: one request per episode, with its MCP URL and instruction."""

from typing import Any

import httpx
from pydantic import BaseModel, ConfigDict, ValidationError

from evals.agents.agent import Episode, Outcome, Tokens
from evals.agents.command import submission_of

NETWORK = (429, 502, 503, 504)
"""Statuses that say nothing of the agent."""
REMARK_LENGTH = 500
REPLY_BYTES = 4 << 20


class _Tokens(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True)

    input: int = 0
    output: int = 0


class _Reply(BaseModel):
    """What a service answers. `answer` is submitted if the agent made no submission itself; `failed` names who is to blame instead of it."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    final: str = ""
    answer: str | dict[str, Any] | None = None
    tokens: _Tokens | None = None
    cost: float | None = None
    messages: list[Any] | None = None
    failed: str = ""


class Service:
    """Agents at a URL.

    Args:
        url: Is posted to.
    """

    headline = ("unsandboxed",)

    def __init__(self, url: str) -> None:
        self._url = url

    async def play(self, episode: Episode) -> Outcome:
        """Posts the episode, waits for the reply."""
        body = {"mcp_url": episode.mcp_url, "instruction": episode.instruction, "run": episode.run, "deadline": episode.limits.timeout}
        try:
            async with httpx.AsyncClient(timeout=httpx.Timeout(None, connect=30), trust_env=False) as http:
                reply = await http.post(self._url, json=body)
        except httpx.HTTPError as error:
            return Outcome(stopped="crashed", masked="network", remark=f"{self._url}: {type(error).__name__}")
        if not reply.is_success:
            remark = f"{self._url}: status {reply.status_code}: {reply.text[:REMARK_LENGTH]}"
            return Outcome(stopped="crashed", masked="network" if reply.status_code in NETWORK else "", remark=remark)
        return _outcome(reply.content[:REPLY_BYTES])


def _outcome(content: bytes) -> Outcome:
    try:
        told = _Reply.model_validate_json(content)
    except ValidationError as error:
        return Outcome(stopped="crashed", remark=f"expected a JSON object with final, got {error.errors()[0]['msg']}")
    answer = told.answer if isinstance(told.answer, str) or told.answer is None else str(told.answer.get("answer") or "")
    return Outcome(
        final=told.final,
        submission=told.answer if isinstance(told.answer, dict) else submission_of(answer or ""),
        masked="provider" if told.failed == "provider" else "",
        tokens=None if told.tokens is None else Tokens(input=told.tokens.input, output=told.tokens.output),
        cost=told.cost,
        messages=told.messages,
    )
