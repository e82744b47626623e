"""What one of our HTTP interfaces said when it said no."""

from dataclasses import dataclass

import httpx

from registry.plain_http import strange_token


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """The error of a reply: its code, and one sentence."""

    code: str
    message: str


def told(reply: httpx.Response, what: str) -> Told:
    """The error in a reply that is not a success; where a token was not taken, what that means for who holds it.

    Args:
        reply: As it came; something in between may have made it, such as a proxy.
        what: Which interface was asked, for the sentence.
    """
    url = reply.request.url
    try:
        error = reply.json()["error"]
        if error["code"] == "UNAUTHORIZED":
            return Told(code="UNAUTHORIZED", message=strange_token(what, f"{url.scheme}://{url.netloc.decode()}"))
        return Told(code=str(error["code"]), message=str(error["message"]))
    except (ValueError, KeyError, TypeError):
        return Told(code="HTTP_ERROR", message=f"{what}: expected an answer of envfarm at {url}, got status {reply.status_code}. Check the address.")


def silent(error: httpx.HTTPError, what: str, url: str) -> Told:
    """The error when no reply came."""
    return Told(code="UNREACHABLE", message=f"{what}: expected an answer at {url}, got {type(error).__name__}. Run `envfarm up` first.")
