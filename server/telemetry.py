"""What is told of each request of an agent: a line in the log, a span for OpenTelemetry. Off unless it is asked for."""

import hashlib
import logging
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from contextvars import ContextVar
from time import perf_counter
from types import MappingProxyType
from typing import Any, Protocol

from registry.extras import to_install
from server.errors import UserError

logger = logging.getLogger("envfarm.calls")
SERVED: ContextVar[Mapping[str, Any]] = ContextVar("SERVED", default=MappingProxyType({}))
"""Environment, episode and call of the request that is being served: every line of the log has them."""


class Place(Protocol):
    """The episode that is played."""

    @property
    def key(self) -> str:
        """Its key."""

    @property
    def environment(self) -> Any:
        """Its environment, with an id."""


def episode_id(key: str) -> str:
    """How logs name an episode: whoever reads them cannot open it."""
    return hashlib.sha256(key.encode()).hexdigest()[:12]


class Telemetry:
    """Tells of requests.

    Args:
        lines: Whether each request gives a line of the log.
        tracer: Of OpenTelemetry, or None.
    """

    def __init__(self, *, lines: bool, tracer: Any = None) -> None:
        self._lines = lines
        self._tracer = tracer

    @contextmanager
    def around(self, seat: Place, call: Any, tool: str | None) -> Iterator[None]:
        """While one request is served; `call` is its id in the protocol."""
        ids = {"environment": seat.environment.id, "episode": episode_id(seat.key), "call": call}
        token = SERVED.set(ids)
        started = perf_counter()
        try:
            with self._span(ids, tool):
                yield
        finally:
            if self._lines:
                logger.info("served", extra={"fields": {"tool": tool, "ms": round(1000 * (perf_counter() - started), 3)}})
            SERVED.reset(token)

    def _span(self, ids: dict[str, Any], tool: str | None) -> AbstractContextManager[Any]:
        if self._tracer is None:
            return nullcontext()
        attributes = {f"envfarm.{name}": str(value) for name, value in ids.items()}
        span: AbstractContextManager[Any] = self._tracer.start_as_current_span(f"tools/call {tool}" if tool else "request", attributes=attributes)
        return span


def make_telemetry(level: str, endpoint: str) -> Telemetry | None:
    """What the settings ask for; None if nothing, so that a request pays nothing.

    Args:
        level: Of the log; INFO and below have a line for each request.
        endpoint: Where an OpenTelemetry collector takes traces over HTTP, or empty.

    Raises:
        UserError: traces are wanted but the extra is not installed.
    """
    lines = level in ("INFO", "DEBUG")
    if not lines and not endpoint:
        return None
    return Telemetry(lines=lines, tracer=_tracer(endpoint) if endpoint else None)


def _tracer(endpoint: str) -> Any:
    try:
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter  # noqa: PLC0415 (an extra)
        from opentelemetry.sdk.resources import Resource  # noqa: PLC0415
        from opentelemetry.sdk.trace import TracerProvider  # noqa: PLC0415
        from opentelemetry.sdk.trace.export import BatchSpanProcessor  # noqa: PLC0415
    except ImportError as error:
        raise UserError(f"ENVFARM_OTEL_ENDPOINT: expected the extra `otel`, got an installation without it. Run `{to_install('otel')}`.") from error
    provider = TracerProvider(resource=Resource.create({"service.name": "envfarm"}))
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter(endpoint=f"{endpoint.rstrip('/')}/v1/traces")))
    return provider.get_tracer("envfarm")
