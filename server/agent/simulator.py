"""A language model that puts the user's answers into its own words; what says more or less than the facts is not used."""

import logging
from collections.abc import Sequence
from typing import Protocol

import httpx
import orjson

from registry.dispatch.said import says_the_same
from registry.package.pack import HeldBack
from server.agent.elicit import Told
from server.agent.engine import Outcome

logger = logging.getLogger(__name__)
SECONDS = 20.0
PROMPT = (
    "You are a busy person who has given a task to an assistant. Answer the assistant's question in one or two sentences of plain text. "
    "Say exactly what is in the ANSWER, keep all of its words that carry meaning, numbers, dates and quoted texts letter by letter, "
    "and add no other fact."
)


class Voice(Protocol):
    """Somebody who words answers."""

    async def say(self, question: str, answer: str) -> str:
        """The answer in other words; raises what it likes where it has none."""


class ModelVoice:
    """A model behind an endpoint that is compatible with OpenAI's chat completions.

    Args:
        url: Up to, without, `/chat/completions`.
        model: Its name there.
        http: Carries the requests.
    """

    def __init__(self, url: str, model: str, http: httpx.AsyncClient) -> None:
        self._url, self._model, self._http = url.rstrip("/"), model, http

    async def say(self, question: str, answer: str) -> str:
        """The answer in the model's words."""
        messages = [{"role": "system", "content": PROMPT}, {"role": "user", "content": f"QUESTION: {question}\nANSWER: {answer}"}]
        body = {"model": self._model, "messages": messages, "temperature": 0}
        reply = await self._http.post(f"{self._url}/chat/completions", json=body, timeout=SECONDS)
        reply.raise_for_status()
        return str(reply.json()["choices"][0]["message"]["content"])


async def voiced(voice: Voice, question: str, outcome: Outcome, held_back: Sequence[HeldBack]) -> Outcome:
    """The outcome with the answer in other words, where these say the same; else as it is.

    The log keeps the answer of the rules, which a replay gives again.

    Args:
        voice: Who words it.
        question: As the agent put it.
        outcome: Of `ask_user`.
        held_back: All facts of the task.
    """
    if outcome.kind != "ok":
        return outcome
    answer = outcome.result["answer"]
    kept = [one for fact in held_back for one in (fact.answer, fact.then) if one and one not in answer]
    try:
        said = (await voice.say(question, answer)).strip()
    except Exception as error:  # noqa: BLE001 whatever goes wrong at somebody else's endpoint, the rules have an answer
        logger.warning("user simulator: no answer (%s)", type(error).__name__)
        return outcome
    if not says_the_same(said, answer, kept):
        logger.warning("user simulator: an answer that does not keep to the facts was not used")
        return outcome
    result = {**outcome.result, "answer": said}
    return Told(result=result, text=orjson.dumps(result).decode())
