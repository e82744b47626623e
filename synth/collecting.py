"""How often cycles of objects are looked for while tasks are made."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager

COLLECTED_AFTER = 200_000
"""Objects made beyond those dropped, before young ones are looked through for cycles."""


@contextmanager
def collected_seldom() -> Iterator[None]:
    """Looks for cycles of objects a hundred times less often: there are few among the many objects that tries of tasks make and drop.

    Used around the making itself, so that whoever asks for tasks has them at that price.
    """
    before = gc.get_threshold()
    gc.set_threshold(COLLECTED_AFTER, *before[1:])
    try:
        yield
    finally:
        gc.set_threshold(*before)
