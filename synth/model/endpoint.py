"""A language model behind an address: asked again where that may help, and with a clear outcome in the end."""

import re
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from threading import Event
from typing import Literal
from urllib.parse import urlsplit

from synth.model.errors import ModelError, Reason
from synth.model.exchange import Reply, Request
from synth.model.protocol import Dialect, ErrorBody, Unreadable, address, body, dialect_of, error_text, headers, read
from synth.model.wire import Answer, WireFailed, post

Structured = Literal["auto", "seed", "never"]
"""Where the endpoint is to keep to a schema: in plans, in seeds too, nowhere."""
PASSING = frozenset({408, 409, 425, 429, 500, 502, 503, 504, 529})
LONGEST_WAIT = 60.0
GARBLED = 2
"""So often an answer that cannot be read is asked for; it costs tokens each time."""
_UNKNOWN_SCHEMA = re.compile(r"response_format|json_schema|tool_choice|structured|schema|tools", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Access:
    """Where a model is, and how it is asked.

    Attributes:
        url: Base address, up to and with `/v1`.
        key: Secret; it is shown nowhere.
        dialect: None to tell by the host.
        timeout: Seconds for one answer.
        attempts: How often one question is put at most.
    """

    url: str
    key: str = field(default="", repr=False)
    dialect: Dialect | None = None
    timeout: float = 180.0
    attempts: int = 5


def _wait(seconds: float) -> None:
    Event().wait(seconds)


class Endpoint:
    """A model that is asked over HTTP."""

    def __init__(self, access: Access, *, wait: Callable[[float], None] = _wait) -> None:
        self._access = access
        self._dialect = access.dialect or dialect_of(access.url)
        self._wait = wait
        self._structured = True
        parts = urlsplit(access.url)
        # Neither credentials nor a query, where some endpoints take the key.
        self._shown = f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}"

    def ask(self, request: Request) -> Reply:
        """The answer; a schema that the endpoint does not know is left out from then on.

        Raises:
            ModelError: There is none, after all attempts.
        """
        failed: ModelError | None = None
        garbled = 0
        for number in range(1, self._access.attempts + 1):
            pause = 2.0 ** (number - 1)
            try:
                answer = self._post(request)
                if answer.status == 200:
                    return self._read(answer, request, number)
                failed = self._status(answer, request)
                pause = _seconds(answer.retry_after, pause)
                if failed is None:
                    continue
            except WireFailed as error:
                failed = self._unanswered(error)
            except ErrorBody as error:
                failed = self._failure("error_body", "a completion", f"an error in its place: {self._clean(str(error))}")
                if not error.passing:
                    raise failed from None
            except Unreadable as error:
                failed = self._failure("garbage", "a completion", str(error))
                garbled += 1
                if garbled >= GARBLED:
                    raise failed from None
            if number < self._access.attempts:
                self._wait(min(pause, LONGEST_WAIT))
        raise failed or self._failure("refused", "an answer", "none to a request without a schema")

    def _post(self, request: Request) -> Answer:
        asked = body(request, self._dialect, structured=self._structured)
        url = address(self._access.url, self._dialect)
        return post(url, headers=headers(self._access.key, self._dialect), body=asked, timeout=self._access.timeout)

    def _read(self, answer: Answer, request: Request, tries: int) -> Reply:
        reply = read(answer.content, request, self._dialect)
        if not reply.text.strip():
            raise self._failure("empty", "a completion with text", "an empty one")
        return replace(reply, text=self._clean(reply.text), tries=tries)

    def _status(self, answer: Answer, request: Request) -> ModelError | None:
        """What a status other than 200 means; None to ask again at once without a schema."""
        said = self._clean(error_text(answer.content))
        got = f"status {answer.status}" + (f": {said}" if said else "")
        if answer.status in PASSING:
            return self._failure("busy", "an answer", f"{got} each time")
        if self._structured and request.schema is not None and answer.status in (400, 404, 422, 501) and _UNKNOWN_SCHEMA.search(said):
            self._structured = False
            return None
        raise self._failure("refused", "status 200", got)

    def _unanswered(self, error: WireFailed) -> ModelError:
        if error.kind == "too_long":
            raise self._failure("too_long", "an answer of reasonable length", "one without end")
        if error.kind == "timeout":
            return self._failure("timeout", f"an answer within {self._access.timeout:g} seconds", "none")
        return self._failure("unreachable", "an endpoint that answers", "no connection")

    def _failure(self, reason: Reason, expected: str, got: str) -> ModelError:
        return ModelError(f"model at {self._shown}: expected {expected}, got {got}. {_DO[reason]}.", reason)

    def _clean(self, text: str) -> str:
        """The text without the key, which some endpoints repeat in errors."""
        return text.replace(self._access.key, "…") if self._access.key else text


_DO: dict[Reason, str] = {
    "unreachable": "Check the address, and whether the server runs",
    "timeout": "Allow more with --timeout, or ask a faster model",
    "busy": "Try again later",
    "refused": "Check the key, the name of the model and the address",
    "error_body": "Read what it says, and try again",
    "garbage": "Check that the address is one of an OpenAI-compatible or Anthropic interface",
    "empty": "Ask another model",
    "too_long": "Ask another model",
    "cut": "Allow more tokens",
    "not_recorded": "Record it again",
}


def _seconds(retry_after: str, otherwise: float) -> float:
    """Seconds that the endpoint asks to wait; a date is not understood."""
    try:
        found = float(retry_after)
    except ValueError:
        return otherwise
    return found if 0 <= found < 1e6 else otherwise
