"""Old episodes: those that nobody uses are closed, those that are closed for long are forgotten."""

from dataclasses import dataclass

from registry.episode.episodes import Episodes
from registry.errors import RegistryError
from registry.package.errors import PackageError
from registry.store.protocol import Kept


@dataclass(frozen=True, slots=True, kw_only=True)
class AgeLimits:
    """Seconds; 0 is no limit.

    Args:
        idle: After so long without a call an open episode is closed.
        age: After so long an open episode is closed, used or not.
        kept: After so long without a call one that is closed or invalid is forgotten.
    """

    idle: int = 0
    age: int = 0
    kept: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Swept:
    """Keys of episodes that were closed, and of those that were forgotten."""

    closed: tuple[str, ...]
    removed: tuple[str, ...]


async def sweep(episodes: Episodes, limits: AgeLimits, *, dry: bool = False) -> Swept:
    """Closes and forgets what is past its limits; with `dry` only tells."""
    kept = await episodes.kept()
    old = [one for one in kept if one.status == "open" and _past(one, limits)]
    gone = [one for one in kept if one.status != "open" and limits.kept and one.idle >= limits.kept]
    closed = [one.key for one in old if dry or await _closed(episodes, one)]
    if gone and not dry:
        await episodes.remove(gone)
    return Swept(closed=tuple(closed), removed=tuple(one.key for one in gone))


def _past(one: Kept, limits: AgeLimits) -> bool:
    return bool((limits.idle and one.idle >= limits.idle) or (limits.age and one.age >= limits.age))


async def _closed(episodes: Episodes, one: Kept) -> bool:
    try:
        await episodes.close(one.key)
    except (RegistryError, PackageError):
        return False  # its log does not rebuild, which marks it invalid, or its package is away: the next sweep sees it again
    return True
