"""The episodes in memory, bounded in bytes: the least recently used leave first."""

import ctypes
import sys
from collections import OrderedDict
from collections.abc import Callable

from registry.episode.slot import Slot

TRIM_AFTER = 64
"""Closed databases after which the C library is asked to give memory back: it keeps it otherwise."""


class HotSet:
    """Slots by key.

    Args:
        limit: Bytes that hot databases may take together.
        leaving: Told of each slot before its database is closed.
    """

    def __init__(self, limit: int, leaving: Callable[[Slot], None]) -> None:
        self._limit = limit
        self._leaving = leaving
        self._slots: OrderedDict[str, Slot] = OrderedDict()
        self._bytes = 0
        self._closed = 0

    def __len__(self) -> int:
        return len(self._slots)

    def get(self, key: str) -> Slot | None:
        """The slot, moved to the end of those that leave."""
        found = self._slots.get(key)
        if found is not None:
            self._slots.move_to_end(key)
        return found

    def add(self, key: str, slot: Slot) -> None:
        """Adds a slot, and lets others leave that are not at work."""
        self._slots[key] = slot
        self._bytes += slot.hot.size
        if self._bytes > self._limit:
            self._shrink(slot)

    def drop(self, key: str) -> None:
        """Takes a slot out without telling; its state is rebuilt from the log when it is needed."""
        slot = self._slots.pop(key, None)
        if slot is None:
            return
        slot.dropped = True
        self._bytes -= slot.hot.size
        slot.hot.close()
        self._closed += 1
        if self._closed >= TRIM_AFTER:
            self._closed = 0
            give_memory_back()

    def clear(self) -> None:
        """All leave."""
        for key, slot in list(self._slots.items()):
            self._leaving(slot)
            self.drop(key)

    def _shrink(self, newest: Slot) -> None:
        for key, slot in list(self._slots.items()):
            if self._bytes <= self._limit:
                return
            if slot is not newest and not slot.lock.locked():
                self._leaving(slot)
                self.drop(key)


def _find_trim() -> Callable[[int], int] | None:
    if not sys.platform.startswith("linux"):
        return None
    try:
        return ctypes.CDLL("libc.so.6").malloc_trim
    except (OSError, AttributeError):
        return None


_trim = _find_trim()


def give_memory_back() -> None:
    """Asks the C library to return freed memory to the system, where it can."""
    if _trim is not None:
        _trim(0)
