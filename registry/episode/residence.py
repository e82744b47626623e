"""Where episodes live: brought into memory from their records when they are used, dropped when memory is short."""

import asyncio
import functools
from collections.abc import Iterator
from contextlib import contextmanager

from registry.catalogue import Catalogue
from registry.environment import Environment
from registry.episode.hot import HotEpisode
from registry.episode.hot_set import HotSet
from registry.episode.local import engine_of
from registry.episode.rebuild import first_calls, rebuild
from registry.episode.slot import Slot
from registry.episode.spec import KeptSpec, unpack_rows
from registry.errors import EpisodeCorrupt, EpisodeNotFound, PackageChanged, StoreError
from registry.record import LogRecord, Written, read_record
from registry.store.protocol import RecordStore, StoredEpisode, StoredStatus
from registry.template import Template

REMEMBERED = 1000
"""Episodes that do not rebuild, so that each call on one does not try again."""


class Residence:
    """Hot episodes over a store.

    Args:
        catalogue: Of environments.
        store: Of records.
        memory_bytes: What hot databases may take together.
    """

    def __init__(self, catalogue: Catalogue, store: RecordStore, memory_bytes: int) -> None:
        self._catalogue = catalogue
        self._store = store
        self._hot = HotSet(memory_bytes, self.note_state)
        self._broken: dict[str, EpisodeCorrupt] = {}
        self._loading: dict[str, asyncio.Future[None]] = {}

    @property
    def hot(self) -> int:
        """How many episodes are in memory."""
        return len(self._hot)

    async def claim(self, key: str) -> Slot:
        """The episode, hot, its lock taken: release it.

        Raises:
            EpisodeNotFound: No episode has this key.
            EpisodeCorrupt: Its log does not rebuild; it is marked invalid.
            StoreError: The records could not be read.
        """
        while True:
            slot = self._hot.get(key)
            if slot is None:
                await self._load(key)
                continue
            await slot.lock.acquire()
            if not slot.dropped:
                return slot
            slot.lock.release()

    @contextmanager
    def held(self, slot: Slot) -> Iterator[None]:
        """Releases a claimed slot after the block."""
        try:
            yield
        finally:
            slot.lock.release()

    async def find(self, key: str) -> tuple[StoredEpisode, KeptSpec]:
        """The kept episode. A free-play episode of a package that was rebuilt since makes room for a fresh one.

        Raises:
            EpisodeNotFound: No episode has this key.
        """
        kept = await self._store.find(key)
        if kept is None:
            raise EpisodeNotFound(key)
        spec = KeptSpec.model_validate_json(kept.spec)
        if spec.free_play and self._catalogue.load(spec.environment).digest != spec.environment_digest:
            await self._store.rename(kept.id, f"{key}~{spec.environment_digest[:12]}~{kept.id}")
            raise EpisodeNotFound(key)
        return kept, spec

    async def records(self, kept: StoredEpisode) -> tuple[LogRecord, ...]:
        """The whole log."""
        return tuple(read_record(body) for body in await self._store.records(kept.id))

    async def template(self, kept: StoredEpisode, spec: KeptSpec) -> Template:
        """The initial state.

        Raises:
            PackageChanged: The package is another one than the episode was made with.
            EpisodeCorrupt: The initial rows are others.
        """
        environment = self._catalogue.load(spec.environment)
        if environment.digest != spec.environment_digest:
            raise PackageChanged(
                f"environment {spec.environment}: expected digest {spec.environment_digest}, got {environment.digest}. "
                "The package was rebuilt since: start a new episode."
            )
        template = await self._start(environment, kept, spec)
        if template.digest != spec.start_digest:
            raise EpisodeCorrupt(f"initial state: expected digest {spec.start_digest}, got {template.digest}. The records were changed.")
        return template

    async def go_back(self, slot: Slot, calls: int) -> HotEpisode:
        """A hot episode after the first calls of the slot's branch; the slot itself is left as it is."""
        template = await self.template(slot.kept, slot.spec)
        path = await self._store.branch(slot.kept.id) if calls else ()
        return rebuild(engine_of(self._catalogue.load(slot.spec.environment)), template, slot.spec.terms(), first_calls(path, calls))

    def adopt(self, kept: StoredEpisode, spec: KeptSpec, hot: HotEpisode) -> Slot:
        """An episode that was just kept, with its state, which has the digest that was kept."""
        slot = Slot(kept=kept, spec=spec, hot=hot, lock=asyncio.Lock(), digest_seq=hot.seq, noted_seq=hot.seq, state_digest=kept.state_digest)
        self._hot.add(kept.key, slot)
        return slot

    def write(self, slot: Slot, record: Written, status: StoredStatus | None, reason: str = "") -> "asyncio.Future[None]":
        """Appends the record of a claimed slot; the slot is released when it is durable, and dropped if that failed."""
        try:
            return self._store.append(slot.kept.id, record, status, reason, functools.partial(self._settle, slot, record.seq))
        except BaseException:
            self.drop(slot)
            slot.lock.release()
            raise

    def drop(self, slot: Slot) -> None:
        """Takes it out of memory; its state is rebuilt from the log at the next use."""
        if not slot.dropped:
            self._hot.drop(slot.kept.key)

    def note_state(self, slot: Slot) -> None:
        """Keeps the digest of the state, to be compared when it is rebuilt."""
        if slot.noted_seq != slot.hot.seq:
            slot.noted_seq = slot.hot.seq
            self._store.note_state(slot.kept.id, slot.hot.seq, slot.take_digest())

    def forget(self, key: str) -> None:
        """The episode leaves memory without a note."""
        self._hot.drop(key)
        self._broken.pop(key, None)

    def clear(self) -> None:
        """All leave memory."""
        self._hot.clear()

    def _settle(self, slot: Slot, seq: int, error: StoreError | None) -> None:
        failed = error is not None
        if not failed:
            self._store.note_answered(slot.kept.id, seq)
        if failed or slot.leaving:
            self.drop(slot)
        slot.lock.release()

    async def _start(self, environment: Environment, kept: StoredEpisode, spec: KeptSpec) -> Template:
        if not kept.scenario:
            return environment.world_template(spec.world)
        found = environment.held_template(kept.scenario)
        if found is not None:
            return found
        return environment.scenario_template(unpack_rows(await self._store.scenario(kept.scenario)), kept.scenario)

    async def _load(self, key: str) -> None:
        """Brings the episode into memory, or waits while another caller does."""
        if key in self._broken:
            raise self._broken[key]
        running = self._loading.get(key)
        if running is not None:
            await asyncio.shield(running)
            return
        done = self._loading[key] = asyncio.get_running_loop().create_future()
        try:
            kept, spec = await self.find(key)
            try:
                self._hot.add(key, await self._build(kept, spec))
            except EpisodeCorrupt as error:
                self._broken[key] = error
                if len(self._broken) > REMEMBERED:
                    del self._broken[next(iter(self._broken))]
                if kept.status != "invalid" and not isinstance(error, PackageChanged):
                    await self._store.mark(kept.id, "invalid", str(error))
                raise
        finally:
            del self._loading[key]
            done.set_result(None)

    async def _build(self, kept: StoredEpisode, spec: KeptSpec) -> Slot:
        template = await self.template(kept, spec)
        path = await self._store.branch(kept.id)
        hot = rebuild(engine_of(self._catalogue.load(spec.environment)), template, spec.terms(), path)
        known = max(kept.answered, kept.state_seq)
        if hot.seq < known:
            hot.close()
            raise EpisodeCorrupt(f"log: expected {known} records, got {hot.seq}. The last ones are lost: restore the records from a copy.")
        slot = Slot(kept=kept, spec=spec, hot=hot, lock=asyncio.Lock(), invalid=kept.reason if kept.status == "invalid" else "")
        if not path:
            slot.digest_seq, slot.noted_seq, slot.state_digest = 0, 0, template.digest
        elif kept.state_seq == hot.seq:
            slot.noted_seq = hot.seq
            if slot.take_digest() != kept.state_digest:
                hot.close()
                raise EpisodeCorrupt(
                    f"state: expected digest {kept.state_digest} after call {hot.seq}, got {slot.state_digest}. Start a new episode."
                )
        return slot
