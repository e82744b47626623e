"""What one evaluation knows: the state, the clock, who acts, how many steps are left."""

import datetime as dt
from collections.abc import Callable, Mapping
from typing import Any

from synth.reference.state import Ref, Row, State

Scope = dict[str, Any]
"""Values of parameters, bindings and loop variables by name."""

Code = Callable[["Run", Scope], Any]
"""A compiled expression."""

STEP_LIMIT = 2_000_000
"""Turns of loops and calls of functions that one call of a tool may take."""


class Fault(Exception):
    """An evaluation that has no value: a row that is gone, an index out of range, too many steps. An error of the seed."""


class Run:
    """One evaluation.

    Attributes:
        state: Read and, by effects, written.
        me: The acting user, or None for a domain without.
        drafts: Rows as they would become, while their limits and computed values are looked at.
        generators: Functions of `data:` blocks by name; each is called with this run and its arguments.
    """

    __slots__ = ("drafts", "generators", "me", "now", "state", "steps", "today")

    def __init__(
        self,
        state: State,
        now: dt.datetime,
        me: Ref | None = None,
        generators: Mapping[str, Callable[..., Any]] | None = None,
    ) -> None:
        self.state = state
        self.now = now
        self.today = now.date()
        self.me = me
        self.steps = STEP_LIMIT
        self.drafts: dict[Ref, Row] = {}
        self.generators = generators or {}

    def row(self, ref: Ref) -> Row:
        """The current row of a handle."""
        if self.drafts and ref in self.drafts:
            return self.drafts[ref]
        try:
            return self.state.tables[ref[0]][ref[1]]
        except KeyError:
            raise Fault(f"{ref.entity} {ref.key} is gone") from None

    def step(self, turns: int = 1) -> None:
        """Counts work."""
        self.steps -= turns
        if self.steps < 0:
            raise Fault("too many steps")


def there(made: Code) -> Code:
    """The closure of something that a rule has shown to be there; where that rule is broken, what builds on it has no value."""

    def read(run: Run, scope: Scope) -> Any:
        value = made(run, scope)
        if value is None:
            raise Fault("a value that must be there is None")
        return value

    return read
