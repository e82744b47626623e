"""The only module of synth that touches the network: one POST, bounded in time and size."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from time import monotonic
from typing import Any, Literal

import httpx

MOST_BYTES = 4_000_000
"""Of an answer; a seed has at most a tenth of it."""


class WireFailed(Exception):
    """No answer came."""

    def __init__(self, kind: Literal["unreachable", "timeout", "too_long"]) -> None:
        super().__init__(kind)
        self.kind: Literal["unreachable", "timeout", "too_long"] = kind


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What came back.

    Attributes:
        retry_after: What the endpoint says about when to ask again, as sent; empty for nothing.
    """

    status: int
    content: bytes
    retry_after: str = ""


def post(url: str, *, headers: Mapping[str, str], body: Mapping[str, Any], timeout: float) -> Answer:
    """Sends one request; redirects are not followed, since the key would go with them.

    Args:
        timeout: Seconds until the whole answer must be there, however slowly it drips.

    Raises:
        WireFailed: No answer, or more than anybody wants.
    """
    end = monotonic() + timeout
    content = bytearray()
    told = {**headers, "content-type": "application/json"}
    try:
        with httpx.stream("POST", url, headers=told, content=json.dumps(body).encode(), timeout=timeout, follow_redirects=False) as response:
            for chunk in response.iter_bytes():
                content += chunk
                if len(content) > MOST_BYTES:
                    raise WireFailed("too_long")
                if monotonic() > end:
                    raise WireFailed("timeout")
            return Answer(status=response.status_code, content=bytes(content), retry_after=response.headers.get("retry-after", ""))
    except httpx.TimeoutException as error:
        raise WireFailed("timeout") from error
    except (httpx.HTTPError, httpx.InvalidURL, UnicodeError) as error:
        raise WireFailed("unreachable") from error
