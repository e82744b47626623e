"""Rows on which a call is tried: at its end it is asked whether what was written shall be kept."""

from collections.abc import Callable, Sequence
from typing import Any

from registry.dispatch.outcome import Write
from registry.dispatch.tool_call import CallRows

Keep = Callable[[Sequence[Write]], bool]


class TrialRows:
    """The rows of an episode, but that a call's end is decided by `keep`.

    Args:
        rows: Of the episode.
        keep: Told what a call wrote; where it says no, the call is undone, though its caller hears that it succeeded.
    """

    def __init__(self, rows: CallRows, keep: Keep) -> None:
        self._rows, self._keep = rows, keep
        self.kept = False

    def __getattr__(self, name: str) -> Any:
        # Everything else is the episode's own: this stands in for it while one call lasts.
        return getattr(self._rows, name)

    def commit(self) -> None:
        """Keeps what was written, or not."""
        self.kept = self._keep(self._rows.writes)
        if self.kept:
            self._rows.commit()
        else:
            self._rows.rollback()
