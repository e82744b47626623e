"""What Prometheus is told: gathered when it asks, so that a call pays for nothing but one count."""

from collections.abc import Callable, Iterable
from typing import Any

from registry.episode import Episodes

Gauges = Callable[[], dict[str, float]]
"""Numbers of another part at this moment, by name."""


class Collected:
    """A collector of prometheus_client over one farm.

    Args:
        episodes: The engine.
        gauges: Further numbers of the process.
    """

    def __init__(self, episodes: Episodes, gauges: Gauges) -> None:
        self._episodes = episodes
        self._gauges = gauges

    def describe(self) -> list[Any]:
        """Nothing ahead of time."""
        return []

    def collect(self) -> Iterable[Any]:
        """Everything at this moment."""
        from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily  # noqa: PLC0415 (only when somebody asks)

        calls = CounterMetricFamily("envfarm_calls", "Calls by what became of them.", labels=["outcome"])
        for kind, number in self._episodes.calls.items():
            calls.add_metric([kind], number)
        yield calls
        told = {"open_episodes": self._episodes.open, "hot_episodes": self._episodes.hot, "store_failing": float(bool(self._episodes.trouble()))}
        for name, value in {**told, **self._gauges()}.items():
            yield GaugeMetricFamily(f"envfarm_{name}", HELP[name], value=value)


HELP = {
    "open_episodes": "Episodes that take calls.",
    "hot_episodes": "Episodes in memory.",
    "store_failing": "1 when the last record could not be written.",
    "running_requests": "Requests of agents that are served at this moment.",
    "open_streams": "Event streams that are open.",
    "turned_away_total": "Requests of agents that were answered 429.",
    "draining": "1 when the farm is about to stop.",
}


def exposition(collected: Collected) -> tuple[bytes, str]:
    """The text for Prometheus, and its content type."""
    from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, ProcessCollector, generate_latest  # noqa: PLC0415 (only when asked)

    registry = CollectorRegistry()
    ProcessCollector(registry=registry)
    registry.register(collected)
    return generate_latest(registry), CONTENT_TYPE_LATEST
