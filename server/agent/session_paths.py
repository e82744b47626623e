"""Which address an older client's `Mcp-Session-Id` belongs to."""

from collections import OrderedDict


class SessionPaths:
    """Remembers the episode for which each session id was given out, the last used first to stay.

    Args:
        most: How many are remembered; a forgotten session answers 404 and its client opens another.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._keys: OrderedDict[str, str] = OrderedDict()

    def bind(self, session: str, key: str) -> None:
        """Notes that `session` was opened at the episode `key`."""
        self._keys[session] = key
        if len(self._keys) > self._most:
            self._keys.popitem(last=False)

    def allows(self, session: str, key: str) -> bool:
        """Whether `session` was opened at `key`."""
        if self._keys.get(session) != key:
            return False
        self._keys.move_to_end(session)
        return True

    def drop(self, session: str) -> None:
        """Forgets a session that its client ended."""
        self._keys.pop(session, None)
