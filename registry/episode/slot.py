"""The place of one episode in memory: its hot state, and a lock that is held until its record is durable."""

import asyncio
from dataclasses import dataclass

from registry.episode.hot import HotEpisode
from registry.episode.spec import KeptSpec, Status
from registry.store.protocol import StoredEpisode


@dataclass(slots=True, kw_only=True, eq=False)
class Slot:
    """One episode that is hot.

    Attributes:
        lock: Held while a call runs and until its record is durable.
        leaving: Its state is not that of the record under way: it leaves memory when that is durable.
        dropped: Set when it left memory; whoever waited for the lock looks the episode up again.
        invalid: Why it is invalid, or empty.
        digest_seq, state_digest: The state's digest when it was last taken.
        noted_seq: After which record the store was last told the state's digest.
    """

    kept: StoredEpisode
    spec: KeptSpec
    hot: HotEpisode
    lock: asyncio.Lock
    invalid: str = ""
    leaving: bool = False
    dropped: bool = False
    digest_seq: int = -1
    noted_seq: int = -1
    state_digest: str = ""

    @property
    def status(self) -> Status:
        """As `EpisodeInfo.status`."""
        if self.invalid:
            return "invalid"
        if self.kept.interrupted:
            return "interrupted"
        return "closed" if self.hot.closed else "open"

    def take_digest(self) -> str:
        """Digest of the state, taken once per state of the log."""
        if self.digest_seq != self.hot.seq:
            self.state_digest = self.hot.digest()
            self.digest_seq = self.hot.seq
        return self.state_digest
