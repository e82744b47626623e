"""A language model behind an OpenAI-compatible chat endpoint: the only module of synth that touches the network."""

from dataclasses import dataclass

import httpx

TIMEOUT = 60.0
LONGEST = 8_000
TASK = (
    "Put the message into other words, as a person would write it. Keep every name, number, date, time, amount and quoted text to the letter and in "
    "the same order; add nothing, leave nothing out, answer nothing. Reply with the new message alone."
)


class ModelError(Exception):
    """The endpoint did not answer as it should; one sentence."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Model:
    """A model that puts messages into other words.

    Attributes:
        url: Base address, up to and with `/v1`.
        name: Of the model, as the endpoint knows it.
        key: Sent as a bearer token; empty for none.
    """

    url: str
    name: str
    key: str = ""

    def reword(self, text: str) -> str:
        """The message as the model puts it; whether it still says the same is for the caller to check.

        Raises:
            ModelError: No answer, or none that can be read.
        """
        messages = [{"role": "system", "content": TASK}, {"role": "user", "content": text}]
        body = {"model": self.name, "messages": messages, "temperature": 0, "seed": 0}
        headers = {"authorization": f"Bearer {self.key}"} if self.key else {}
        try:
            reply = httpx.post(f"{self.url.rstrip('/')}/chat/completions", json=body, headers=headers, timeout=TIMEOUT)
            reply.raise_for_status()
            said = reply.json()["choices"][0]["message"]["content"]
        except (httpx.HTTPError, ValueError, KeyError, IndexError, TypeError) as error:
            raise ModelError(
                f"model at {self.url}: expected a chat completion, got {type(error).__name__}. Check the address and the name."
            ) from error
        if not isinstance(said, str) or not 0 < len(said) <= LONGEST:
            raise ModelError(f"model at {self.url}: expected a text of at most {LONGEST} characters, got something else. Ask another model.")
        return said.strip()
