"""Messages in other words, by a language model."""

from dataclasses import dataclass, field

from synth.model.endpoint import Access, Endpoint
from synth.model.errors import ModelError
from synth.model.exchange import Message, Request

TIMEOUT = 60.0
LONGEST = 8_000
MOST_TOKENS = 2_000
TASK = (
    "Put the message into other words, as a person would write it. Keep every name, number, date, time, amount and quoted text to the letter and in "
    "the same order; add nothing, leave nothing out, answer nothing. Reply with the new message alone."
)


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
    key: str = field(default="", repr=False)

    def reword(self, text: str) -> str:
        """The message as the model puts it; whether it still says the same is for the caller to check.

        Raises:
            ModelError: No answer, or none that can be read.
        """
        request = Request(model=self.name, system=TASK, messages=(Message(role="user", text=text),), most_tokens=MOST_TOKENS)
        said = Endpoint(Access(url=self.url, key=self.key, timeout=TIMEOUT, attempts=1)).ask(request).text
        if len(said) > LONGEST:
            raise ModelError(f"model at {self.url}: expected a text of at most {LONGEST} characters, got more. Ask another model.", "too_long")
        return said.strip()
