"""Writes that wait for their commit, and how those who wait are told."""

import asyncio
from collections.abc import Callable, Sequence
from typing import Any

from registry.errors import StoreError

Statement = tuple[str, Sequence[Any]]
"""SQL and its values."""
Settled = Callable[[StoreError | None], None]
"""Told once: None when the write is durable, else why it is not."""
Pending = tuple[Sequence[Statement], "asyncio.Future[None] | None", Settled | None]
"""Statements of one write, the future of who waits for it, and who is told also when nobody waits any more."""


def settle(group: Sequence[Pending], error: StoreError | None) -> None:
    """Tells all writes of one transaction how it ended: `Settled` first, then who waits."""
    for _, ticket, settled in group:
        if settled is not None:
            settled(error)
        if ticket is None or ticket.done():
            continue
        if error is None:
            ticket.set_result(None)
        else:
            ticket.set_exception(error)
