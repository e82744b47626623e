"""Why a language model gave nothing that can be used.

ModelError           no answer, or none that can be read; `reason` says which
CassetteError        a cassette cannot be read, or does not hold what was asked
BudgetSpent          the tokens are used up; what was done so far is whole
"""

from typing import Literal

Reason = Literal["unreachable", "timeout", "busy", "refused", "error_body", "garbage", "empty", "too_long", "cut", "not_recorded"]


class ModelError(Exception):
    """The endpoint did not answer as it should; one sentence.

    Args:
        reason: Which way it failed.
    """

    def __init__(self, sentence: str, reason: Reason = "garbage") -> None:
        super().__init__(sentence)
        self.reason: Reason = reason


class CassetteError(ModelError):
    """A cassette cannot be read, or does not hold what was asked."""

    def __init__(self, sentence: str) -> None:
        super().__init__(sentence, "not_recorded")


class BudgetSpent(Exception):
    """The tokens are used up.

    Args:
        used: Tokens so far.
        budget: How many there were.
    """

    def __init__(self, used: int, budget: int) -> None:
        super().__init__(f"budget: expected the work to be done within {budget} tokens, got {used} used and more to do. Allow more with --budget.")
        self.used = used
        self.budget = budget
