"""Counts what a model costs, by stage, and stops before it costs more than allowed."""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from time import perf_counter

from synth.model.errors import BudgetSpent, ModelError
from synth.model.estimate import tokens
from synth.model.exchange import Asks, Reply, Request

LEAST_ANSWER = 200
"""Tokens; where there is room for less, asking is a waste."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Price:
    """What a million tokens cost, in any currency."""

    tokens_in: float = 0.0
    tokens_out: float = 0.0


@dataclass(slots=True, kw_only=True)
class Spent:
    """What one stage has cost so far.

    Attributes:
        asked: Requests that were answered.
        tries: How often the endpoint was asked for them.
        estimated: Whether some of the tokens are estimates.
        rejected: Answers and parts of them that were not taken, by reason.
    """

    asked: int = 0
    tries: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    seconds: float = 0.0
    estimated: bool = False
    rejected: Counter[str] = field(default_factory=Counter)

    @property
    def tokens(self) -> int:
        """Read and written."""
        return self.tokens_in + self.tokens_out


class Meter:
    """A model that is asked within a budget.

    Args:
        budget: Tokens, read and written, in all; None for no end.
        clock: Seconds that pass.
    """

    def __init__(self, inner: Asks, *, budget: int | None = None, price: Price | None = None, clock: Callable[[], float] = perf_counter) -> None:
        self.inner = inner
        self._budget = budget
        self.price = price or Price()
        self._clock = clock
        self.stages: dict[str, Spent] = {}

    @property
    def used(self) -> int:
        """Tokens so far."""
        return sum(one.tokens for one in self.stages.values())

    @property
    def left(self) -> int | None:
        """Tokens that may still be used; None for no end."""
        return None if self._budget is None else max(self._budget - self.used, 0)

    def cost(self, stage: str) -> float:
        """What a stage has cost."""
        spent = self.stages[stage]
        return (spent.tokens_in * self.price.tokens_in + spent.tokens_out * self.price.tokens_out) / 1_000_000

    def ask(self, stage: str, request: Request) -> Reply:
        """The answer to a question that fits into the budget.

        Raises:
            BudgetSpent: It does not, or the answer was cut where the budget ends.
            ModelError: There is no answer.
        """
        spent = self.stages.setdefault(stage, Spent())
        room = self._room(request, spent)
        started = self._clock()
        try:
            reply = self.inner.ask(replace(request, most_tokens=min(request.most_tokens, room)))
        except ModelError as error:
            spent.rejected[error.reason] += 1
            spent.seconds += self._clock() - started
            raise
        spent.seconds += self._clock() - started
        spent.asked += 1
        spent.tries += reply.tries
        spent.tokens_in += reply.tokens_in
        spent.tokens_out += reply.tokens_out
        spent.estimated |= reply.estimated
        if reply.cut:
            spent.rejected["cut"] += 1
            if self._budget is not None and room < request.most_tokens:
                spent.rejected["budget"] += 1
                raise BudgetSpent(self.used, self._budget)
            raise ModelError(f"model: expected an answer of at most {request.most_tokens} tokens, got one that was cut. Ask for less.", "cut")
        return reply

    def reject(self, stage: str, reason: str, count: int = 1) -> None:
        """Notes that something which a model wrote was not taken."""
        if count:
            self.stages.setdefault(stage, Spent()).rejected[reason] += count

    def _room(self, request: Request, spent: Spent) -> int:
        """Tokens that the answer may have."""
        if self._budget is None:
            return request.most_tokens
        room = self._budget - self.used - tokens(request.text)
        if room < LEAST_ANSWER:
            spent.rejected["budget"] += 1
            raise BudgetSpent(self.used, self._budget)
        return room
