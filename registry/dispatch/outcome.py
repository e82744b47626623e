"""What a call came to."""

from dataclasses import dataclass, field
from typing import Any, Literal

from registry.package.change import Stored

OutcomeKind = Literal["ok", "refused", "invalid", "defect", "error"]
Write = tuple[str, Literal["insert", "update", "delete"], str, dict[str, Stored]]
"""Table, operation, key, and the columns that were written (none for a delete)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """The answer to one call, the same at every door.

    Attributes:
        kind: `ok` has a result; the others have `text`, which goes on the wire with isError. `error`: what stands between agent and environment
            failed, by the episode's noise or in its user simulator; the environment said nothing.
        result: A JSON object when ok, else None.
        code: `NOT_FOUND`, a code of the seed, `INVALID_ARGUMENTS`, `INTERNAL_ERROR`; empty when ok.
        text: Text for the agent; for ok the JSON of the result.
        evidence: Ids that a decline must cite; never sent to the agent.
        writes: Row writes in the order they happened; empty unless ok, or an error that hides that the call was carried out.
        closed: Whether the episode is closed after this call.
        incident: Of a defect, else empty.
    """

    kind: OutcomeKind
    result: Any = None
    code: str = ""
    text: str = ""
    evidence: tuple[str, ...] = ()
    writes: tuple[Write, ...] = field(default=())
    closed: bool = False
    incident: str = ""


def refused(code: str, sentence: str, evidence: tuple[str, ...] = (), *, closed: bool = False) -> Outcome:
    """The environment says no."""
    return Outcome(kind="refused", code=code, text=f"{code}: {sentence}", evidence=evidence, closed=closed)


def failed(code: str, sentence: str, retry_after: int, *, writes: tuple[Write, ...] = ()) -> Outcome:
    """An answer that was lost, or a call that did not come through.

    Args:
        code: `TRY_AGAIN`, `RATE_LIMITED`, `TIMEOUT`.
        sentence: For the agent.
        retry_after: Seconds to wait, told at the end.
        writes: What the call did all the same.
    """
    return Outcome(kind="error", code=code, text=f"{code}: {sentence} (retry_after: {retry_after})", writes=writes)


def invalid(sentence: str) -> Outcome:
    """The call does not fit the tool."""
    return Outcome(kind="invalid", code="INVALID_ARGUMENTS", text=f"INVALID_ARGUMENTS: {sentence}")


def defect(incident: str) -> Outcome:
    """Something of ours broke; the text tells nothing of it."""
    sentence = f"The environment failed on this call (incident {incident}). The episode cannot be scored."
    return Outcome(kind="defect", code="INTERNAL_ERROR", text=f"INTERNAL_ERROR: {sentence}", incident=incident)
