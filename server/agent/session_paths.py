"""Which address an older client's `Mcp-Session-Id` belongs to."""

from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from time import monotonic

import orjson


@dataclass(slots=True, kw_only=True)
class _Opened:
    """A session: the episode's key, the protocol version agreed on (empty if none), whether its answers are streams.

    `seen` is when the SDK last had a request of it, `used` when its client last sent one, `held` how many streams it has open.
    """

    key: str
    version: str
    streams: bool
    seen: float
    used: float
    held: int = 0


class SessionPaths:
    """Remembers the episode for which each session id was given out, the last used first to stay.

    Args:
        most: How many are remembered; a forgotten session answers 404 and its client opens another.
        each: How many one episode may have.
        clock: Seconds.
    """

    def __init__(self, most: int, each: int = 256, clock: Callable[[], float] = monotonic) -> None:
        self._most = most
        self._clock = clock
        self._each = each
        self._opened: OrderedDict[str, _Opened] = OrderedDict()
        self._of: dict[str, OrderedDict[str, None]] = {}

    def __len__(self) -> int:
        """How many are remembered."""
        return len(self._opened)

    def bind(self, session: str, key: str, version: str = "", *, streams: bool = False) -> str:
        """Notes that `session` was opened at the episode `key`, with the protocol version that was agreed on.

        Returns:
            The session that its episode opened longest ago, if it has too many now: end it. Else an empty text.
        """
        now = self._clock()
        self._opened[session] = _Opened(key=key, version=version, streams=streams, seen=now, used=now)
        if len(self._opened) > self._most:
            self.drop(next(iter(self._opened)))
        sessions = self._of.setdefault(key, OrderedDict())
        sessions[session] = None
        return next(iter(sessions)) if len(sessions) > self._each else ""

    def allows(self, session: str, key: str) -> bool:
        """Whether `session` was opened at `key`; its request goes to the SDK now."""
        found = self._opened.get(session)
        if found is None or found.key != key:
            return False
        found.seen = found.used = self._clock()
        self._opened.move_to_end(session)
        return True

    def is_live(self, session: str, key: str, since: float) -> bool:
        """Whether the session was opened at `key` with an agreed version, and the SDK has seen it after `since`."""
        found = self._opened.get(session)
        if found is None or found.key != key or not found.version or found.seen < since:
            return False
        found.used = self._clock()
        self._opened.move_to_end(session)
        return True

    @contextmanager
    def holding(self, session: str) -> Iterator[None]:
        """While a stream of the session is open: it is in use, though nothing is sent."""
        found = self._opened.get(session)
        if found is None:
            yield
            return
        found.held += 1
        try:
            yield
        finally:
            found.held -= 1
            found.used = self._clock()

    def idle(self, seconds: float) -> str:
        """The session that was used least recently, if that is at least so long ago and it has no stream open; else an empty text."""
        limit = self._clock() - seconds
        return next((name for name, one in self._opened.items() if not one.held and one.used <= limit), "")

    def streams(self, session: str) -> bool:
        """Whether answers of the session are streams."""
        found = self._opened.get(session)
        return found is not None and found.streams

    def version(self, session: str) -> str:
        """The protocol version of the session, or empty."""
        found = self._opened.get(session)
        return found.version if found is not None else ""

    def drop(self, session: str) -> None:
        """Forgets a session that its client ended."""
        found = self._opened.pop(session, None)
        if found is None:
            return
        sessions = self._of.get(found.key, OrderedDict())
        sessions.pop(session, None)
        if not sessions:
            self._of.pop(found.key, None)


def agreed_version(body: bytes) -> str:
    """The protocol version in the answer to `initialize`; empty if it is not one."""
    try:
        return str(orjson.loads(body)["result"]["protocolVersion"])
    except (ValueError, KeyError, TypeError):
        return ""
