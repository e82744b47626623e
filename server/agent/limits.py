"""How much one farm, and one episode, may be asked at a time."""

from collections import OrderedDict
from collections.abc import Callable
from time import monotonic

BURST_SECONDS = 10.0
REMEMBERED = 20_000


class Rate:
    """A token bucket for each key; refills with time.

    Args:
        per_second: Requests per second and key; 0 means no limit.
        clock: Seconds.
    """

    def __init__(self, per_second: float, clock: Callable[[], float] = monotonic) -> None:
        self._rate = per_second
        self._most = max(1.0, per_second * BURST_SECONDS)
        self._clock = clock
        self._buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def take(self, key: str) -> bool:
        """Whether one more request of `key` is served now."""
        if not self._rate:
            return True
        now = self._clock()
        level, since = self._buckets.pop(key, (self._most, now))
        level = min(self._most, level + (now - since) * self._rate)
        allowed = level >= 1
        self._buckets[key] = (level - 1 if allowed else level, now)
        if len(self._buckets) > REMEMBERED:
            self._buckets.popitem(last=False)
        return allowed


class Gate:
    """Counts what runs at once.

    Args:
        most: How many may.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self.running = 0

    def full(self) -> bool:
        """Whether no more may enter."""
        return self.running >= self._most

    def __enter__(self) -> None:
        self.running += 1

    def __exit__(self, *exc: object) -> None:
        self.running -= 1
