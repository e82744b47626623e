"""One exchange with a language model: what is asked, and what came back."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, Protocol


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """What one side said."""

    role: Literal["user", "assistant"]
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """What a model is asked.

    Attributes:
        most_tokens: Of the answer.
        schema: JSON Schema of the answer, for endpoints that can keep to one; None for text.
        schema_name: What the schema is called there.
        aside: Told after the system text. It follows from what is built at the moment, so that it does not count for the key.
    """

    model: str
    system: str
    messages: tuple[Message, ...]
    most_tokens: int
    schema: Mapping[str, Any] | None = None
    schema_name: str = "answer"
    aside: str = ""

    @property
    def told(self) -> str:
        """The system text with what is told aside."""
        return f"{self.system}\n{self.aside}" if self.aside else self.system

    @property
    def key(self) -> str:
        """The same for the same question; how long the answer may be does not count, since that follows from the budget."""
        asked = {
            "model": self.model,
            "system": self.system,
            "messages": [[one.role, one.text] for one in self.messages],
            "schema": self.schema,
        }
        return hashlib.sha256(json.dumps(asked, sort_keys=True, ensure_ascii=False).encode("utf-8", "surrogatepass")).hexdigest()

    @property
    def text(self) -> str:
        """All that the model reads."""
        told = "" if self.schema is None else json.dumps(self.schema, separators=(",", ":"))
        return "\n".join([self.told, *(one.text for one in self.messages), told])


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """What a model said.

    Attributes:
        tokens_in: Read, as the endpoint counts them.
        tokens_out: Written.
        estimated: Whether the endpoint did not count, and the numbers are estimates.
        cut: Whether the answer ended because it was too long.
        tries: How often the endpoint was asked.
    """

    text: str
    tokens_in: int
    tokens_out: int
    estimated: bool = False
    cut: bool = False
    tries: int = 1


class Asks(Protocol):
    """Whatever can be asked: an endpoint, a cassette."""

    def ask(self, request: Request) -> Reply:
        """The answer.

        Raises:
            ModelError: There is none that can be used.
        """
        ...
