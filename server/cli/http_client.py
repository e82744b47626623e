"""Requests of commands to the control plane or the sidecar; their errors become one sentence."""

from typing import Any

import httpx

from server.errors import FarmUnreachable, UserError
from server.told import silent, told

SECONDS = 120.0


class HttpClient:
    """One interface with one token.

    Args:
        url: Where it is, without a slash at the end.
        token: Bearer token.
        what: What it is, for error sentences.
    """

    def __init__(self, url: str, token: str, what: str) -> None:
        self._url = url
        self._what = what
        self._headers = {"authorization": f"Bearer {token}"}

    def get(self, path: str, **query: Any) -> Any:
        """The JSON at `path`.

        Raises:
            UserError: the interface says no, or does not answer.
        """
        return self._send("GET", path, params={name: value for name, value in query.items() if value is not None})

    def post(self, path: str, body: Any = None) -> Any:
        """Posts `body`; gives the JSON that comes back.

        Raises:
            UserError: the interface says no, or does not answer.
        """
        return self._send("POST", path, json=body)

    def _send(self, method: str, path: str, **more: Any) -> Any:
        try:
            response = httpx.request(method, f"{self._url}{path}", headers=self._headers, timeout=SECONDS, trust_env=False, **more)
        except httpx.HTTPError as error:
            raise FarmUnreachable(silent(error, self._what, self._url).message) from error
        if response.is_success:
            return response.json()
        raise UserError(told(response, self._what).message)
