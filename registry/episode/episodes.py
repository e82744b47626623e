"""All episodes of a farm: hot ones in memory, all of them in the store."""

import asyncio
import re
from collections.abc import AsyncIterator, Coroutine, Sequence
from contextlib import asynccontextmanager
from typing import Any, TypeVar

import orjson

from registry.catalogue import Catalogue
from registry.config import RegistrySettings
from registry.dispatch.outcome import Outcome, defect
from registry.episode.copy_calls import copy_calls
from registry.episode.residence import Residence
from registry.episode.slot import Slot
from registry.episode.spec import (
    EpisodeChanges,
    EpisodeEnd,
    EpisodeInfo,
    EpisodeLog,
    EpisodeSnapshot,
    EpisodeSpec,
    KeptSpec,
    Status,
    new_key,
    pack_rows,
    unpack_rows,
)
from registry.errors import EpisodeCorrupt, EpisodeRefused, ScenarioNotFound, StoreError
from registry.package.change import RowChange
from registry.package.digest import file_digest
from registry.record import CLOSE, REWIND, LogRecord, Written, chain_start, read_record
from registry.store.protocol import Kept, NewEpisode, RecordStore, StoredEpisode, StoredStatus

_KEY = re.compile(r"[A-Za-z0-9_~.-]{1,200}", re.ASCII)
Result = TypeVar("Result")


class Episodes:
    """Creates, calls, forks, rewinds and closes episodes.

    Args:
        catalogue: Of environments.
        store: Where records are kept.
        settings: Bounds on memory and numbers.
    """

    def __init__(self, catalogue: Catalogue, store: RecordStore, settings: RegistrySettings | None = None) -> None:
        self._catalogue = catalogue
        self._store = store
        self._settings = settings or RegistrySettings()
        self._residence = Residence(catalogue, store, self._settings.memory_bytes)
        self._coming: set[str] = set()
        self._running: set[asyncio.Task[Any]] = set()
        self._open = 0
        self.calls = {"ok": 0, "refused": 0, "invalid": 0, "defect": 0, "error": 0}

    async def start(self) -> None:
        """Opens the store; StoreError if it cannot be used."""
        await self._store.open()
        self._open = await self._store.open_episodes()

    async def stop(self) -> None:
        """Ends what is under way, writes everything, frees memory."""
        if self._running:
            await asyncio.wait(self._running)
        self._residence.clear()
        await self._store.close()

    @asynccontextmanager
    async def running(self) -> AsyncIterator["Episodes"]:
        """Started inside the block, stopped after it."""
        await self.start()
        try:
            yield self
        finally:
            await self.stop()

    @property
    def hot(self) -> int:
        """How many episodes are in memory."""
        return self._residence.hot

    async def create(self, spec: EpisodeSpec) -> EpisodeInfo:
        """A new episode, durable.

        Raises:
            EnvNotFound, PackageError: The environment cannot be used, or the rows do not fit it.
            ScenarioNotFound: The rows of that digest are not kept here.
            EpisodeRefused: The key is taken or malformed, or too many episodes are open.
            StoreError: It could not be kept.
        """
        environment = self._catalogue.load(spec.environment)
        scenario = await self._scenario(spec)
        if scenario is None:
            template = environment.world_template(spec.world)
        else:
            template = environment.held_template(scenario[0]) or environment.scenario_template(
                unpack_rows(scenario[1]) if spec.scenario is None else spec.scenario, scenario[0]
            )
        kept = KeptSpec(
            environment=environment.id,
            environment_digest=environment.digest,
            start_digest=template.digest,
            world=spec.world if scenario is None else "",
            instruction=spec.instruction,
            call_limit=spec.call_limit,
            rewindable=spec.rewindable,
            multi_turn=spec.multi_turn,
            held_back=spec.held_back,
            free_play=spec.free_play,
            user=spec.user,
            noise=None if spec.noise is None or spec.noise.quiet else spec.noise,
        )
        key = spec.key if spec.key is not None else self._new_key()
        new = NewEpisode(key=key, spec=kept.model_dump_json().encode(), scenario=scenario, state_digest=template.digest)
        await self._shield(self._keep(new))
        return _describe(key, kept, "open", chain_start(environment.digest, template.digest), template.digest)

    async def call(self, key: str, tool: Any, arguments: Any) -> Outcome:
        """Calls a tool; the record is durable before this returns, and is kept also when the caller goes away meanwhile.

        Args:
            key: Of the episode.
            tool: Name as received.
            arguments: As received; anything but an object is invalid.

        Raises:
            EpisodeNotFound: No episode has this key.
            StoreError: The call could not be recorded, so it did not happen.
        """
        try:
            slot = await self._residence.claim(key)
        except EpisodeCorrupt:
            return defect(file_digest(key.encode())[:12])
        try:
            performed = slot.hot.call(tool, arguments)
        except BaseException:
            self._residence.drop(slot)
            slot.lock.release()
            raise
        outcome = performed.outcome
        self.calls[outcome.kind] += 1
        status, reason = _status_after(slot, tool, outcome)
        if status is not None:
            self._open -= 1
        # The caller may go away here; the record is written and the slot released all the same.
        await self._residence.write(slot, performed.record, status, reason)
        if performed.latency and self._settings.noise_wait_ms:
            await asyncio.sleep(min(performed.latency, self._settings.noise_wait_ms) / 1000)
        return outcome

    async def info(self, key: str) -> EpisodeInfo:
        """The episode as it stands; one whose log does not rebuild is described from its records, with the reason."""
        try:
            slot = await self._residence.claim(key)
        except EpisodeCorrupt as error:
            _, spec = await self._residence.find(key)
            return _describe(key, spec, "invalid", "", "", reason=str(error))
        with self._residence.held(slot):
            return _describe_slot(slot)

    async def about(self, key: str) -> KeptSpec:
        """What the episode was made from. It is not brought into memory, so that the time this takes tells nothing of what it holds.

        Raises:
            EpisodeNotFound: No episode has this key.
        """
        return (await self._residence.find(key))[1]

    async def log(self, key: str) -> EpisodeLog:
        """All records in order."""
        slot = await self._residence.claim(key)
        with self._residence.held(slot):
            records = await self._residence.records(slot.kept)
            return EpisodeLog(records=records, digest=slot.hot.chain, state_digest=slot.take_digest())

    async def changes(self, key: str) -> EpisodeChanges:
        """Net row changes since the start."""
        slot = await self._residence.claim(key)
        with self._residence.held(slot):
            return EpisodeChanges(changes=slot.hot.changes(), state_digest=slot.take_digest())

    async def snapshot(self, key: str) -> EpisodeSnapshot:
        """All rows."""
        slot = await self._residence.claim(key)
        with self._residence.held(slot):
            return EpisodeSnapshot(rows=tuple(slot.hot.rows()), state_digest=slot.take_digest())

    async def fork(self, key: str, at: int | None = None, new: str | None = None) -> EpisodeInfo:
        """A new episode that made the first `at` calls of this one's branch (all by default), whatever it is doing meanwhile.

        Args:
            key: Of the episode.
            at: Calls to keep.
            new: Key of the new episode; a random one by default.

        Raises:
            EpisodeRefused: There are not so many calls, or the key is taken.
        """
        slot = await self._residence.claim(key)
        with self._residence.held(slot):
            kept, old = slot.kept, slot.spec
            calls = slot.hot.calls if at is None else at
            _check_number(calls, slot.hot.calls)
            if calls == slot.hot.calls and slot.hot.straight and kept.copied_whole and not slot.invalid:
                return await self._fork_state(slot, new if new is not None else self._new_key())
            path = await self._store.branch(kept.id)
        scenario = (kept.scenario, await self._store.scenario(kept.scenario)) if kept.scenario else None
        copied = copy_calls(chain_start(old.environment_digest, old.start_digest), path, calls)
        made = new if new is not None else self._new_key()
        forked = NewEpisode(
            key=made,
            spec=old.model_copy(update={"origin": f"{key}@{calls}"}).model_dump_json().encode(),
            scenario=scenario,
            status="closed" if copied.submitted and not old.free_play else "open",
            records=copied.records,
            state_digest=old.start_digest,
        )
        await self._shield(self._keep(forked))
        return await self.info(made)

    async def rewind(self, key: str, to: int) -> EpisodeInfo:
        """Back to the state after the first `to` calls of the present branch; starts a new branch and deletes nothing.

        Raises:
            EpisodeRefused: There are not so many calls.
        """
        await self._shield(self._rewind(key, to))
        return await self.info(key)

    async def reset(self, key: str) -> EpisodeInfo:
        """Back to the initial state, on a new branch."""
        return await self.rewind(key, 0)

    async def close(self, key: str) -> EpisodeInfo:
        """Closes the episode: later calls are refused, and its state leaves memory."""
        return await self._shield(self._close(key))

    async def end(self, key: str) -> EpisodeEnd:
        """Closes the episode, unless it was closed, and gives all that a grader asks of it.

        Raises:
            EpisodeNotFound: No episode has this key.
            StoreError: It could not be closed or read.
        """
        return await self._shield(self._end(key))

    async def _scenario(self, spec: EpisodeSpec) -> tuple[str, bytes] | None:
        """Digest and JSON of the initial rows, if it does not start from a world of the package."""
        if spec.scenario is not None:
            body = pack_rows(spec.scenario)
            return file_digest(body), body
        if not spec.scenario_digest:
            return None
        try:
            return spec.scenario_digest, await self._store.scenario(spec.scenario_digest)
        except StoreError as error:
            raise ScenarioNotFound(spec.scenario_digest) from error

    def _new_key(self) -> str:
        return f"w{self._settings.worker}-{new_key()}" if self._settings.worker else new_key()

    async def kept(self) -> tuple[Kept, ...]:
        """All episodes at a glance, oldest first."""
        return await self._store.kept()

    async def remove(self, episodes: Sequence[Kept]) -> None:
        """Forgets episodes with their records, for good."""
        for one in episodes:
            self._residence.forget(one.key)
        await self._shield(_written(self._store.delete([one.id for one in episodes])))
        self._open = await self._store.open_episodes()

    @property
    def open(self) -> int:
        """How many episodes are open."""
        return self._open

    def trouble(self) -> str:
        """Why no call can be recorded at the moment, or an empty text."""
        return self._store.trouble()

    async def keys(self) -> tuple[str, ...]:
        """Keys of all episodes, oldest first."""
        return await self._store.keys()

    async def _shield(self, work: Coroutine[Any, Any, Result]) -> Result:
        """Runs to its end also when the caller goes away."""
        task = asyncio.ensure_future(work)
        self._running.add(task)
        task.add_done_callback(self._running.discard)
        return await asyncio.shield(task)

    async def _fork_state(self, slot: Slot, key: str) -> EpisodeInfo:
        """A fork of all calls of a claimed slot: its state and its records are copied instead of made again."""
        kept, hot, digest = slot.kept, slot.hot.fork(), slot.take_digest()
        spec = slot.spec.model_copy(update={"origin": f"{kept.key}@{hot.calls}"})
        forked = NewEpisode(
            key=key,
            spec=spec.model_dump_json().encode(),
            scenario=(kept.scenario, await self._store.scenario(kept.scenario)) if kept.scenario else None,
            status="closed" if hot.closed else "open",
            copied=(kept.id, hot.seq),
            state_digest=digest,
        )
        number = await self._shield(self._keep(forked))
        made = StoredEpisode(
            id=number,
            key=key,
            spec=forked.spec,
            scenario=kept.scenario,
            status=forked.status,
            reason="",
            interrupted=False,
            answered=hot.seq,
            state_seq=hot.seq,
            state_digest=digest,
        )
        return _describe_slot(self._residence.adopt(made, spec, hot))

    async def _keep(self, new: NewEpisode) -> int:
        if not _KEY.fullmatch(new.key):
            raise EpisodeRefused(f"key: expected 1 to 200 of the characters A-Z a-z 0-9 _ - . ~, got {new.key[:80]!r}. Choose another.")
        if self._open >= self._settings.max_episodes:
            self._open = await self._store.open_episodes()
        if self._open >= self._settings.max_episodes:
            limit = self._settings.max_episodes
            raise EpisodeRefused(f"episodes: expected fewer than {limit} open ones, got {self._open}. Close some, or raise ENVFARM_MAX_EPISODES.")
        taken = EpisodeRefused(f"key: expected one that is not in use, got {new.key[:80]!r}. Choose another.")
        if new.key in self._coming:
            raise taken
        self._coming.add(new.key)  # before anything is awaited: another may want the same key meanwhile
        try:
            if await self._store.find(new.key) is not None:
                raise taken
            self._open += new.status == "open"
            number, kept = self._store.create(new)
            await kept
            return number
        finally:
            self._coming.discard(new.key)

    async def _rewind(self, key: str, to: int) -> None:
        slot = await self._residence.claim(key)
        old = slot.hot
        try:
            _check_number(to, old.calls)
            hot = await self._residence.go_back(slot, to)
        except BaseException:
            slot.lock.release()
            raise
        self._open += old.closed and not slot.invalid
        hot.at(old.seq + 1, old.branch + 1)
        slot.hot = hot
        old.close()
        record = hot.control(REWIND, orjson.dumps({"to": to}))
        await self._residence.write(slot, record, "invalid" if slot.invalid else "open", slot.invalid)

    async def _close(self, key: str) -> EpisodeInfo:
        slot = await self._residence.claim(key)
        if slot.hot.closed:
            with self._residence.held(slot):
                return _describe_slot(slot)
        info, writing, _ = self._closing(slot)
        await writing
        return info

    def _closing(self, slot: Slot) -> "tuple[EpisodeInfo, asyncio.Future[None], Written]":
        """Closes a claimed slot, which is released when the record of it is durable."""
        record = slot.hot.control(CLOSE, b"{}")
        slot.hot.closed = True
        self._open -= not slot.invalid
        info = _describe_slot(slot)
        self._residence.note_state(slot)
        slot.leaving = True
        return info, self._residence.write(slot, record, "invalid" if slot.invalid else "closed", slot.invalid), record

    async def _end(self, key: str) -> EpisodeEnd:
        try:
            slot = await self._residence.claim(key)
        except EpisodeCorrupt:
            return _ended(await self.info(key), (), ())
        try:
            records = await self._residence.records(slot.kept)
        except BaseException:
            slot.lock.release()
            raise
        if slot.status != "open":
            with self._residence.held(slot):
                info = _describe_slot(slot)
                whole = info.status == "closed"
                return _ended(info, records if whole else (), slot.hot.changes() if whole else ())
        changes = slot.hot.changes()
        info, writing, record = self._closing(slot)
        await writing
        return _ended(info, (*records, read_record(record.body)), changes)


async def _written(writing: "asyncio.Future[None]") -> None:
    await writing


def _status_after(slot: Slot, tool: Any, outcome: Outcome) -> tuple[StoredStatus | None, str]:
    """The status to keep with the record, if the call changes it."""
    if slot.invalid:
        return None, ""
    if outcome.kind == "defect":
        slot.invalid = f"defect in tool {tool}, incident {outcome.incident}"
        return "invalid", slot.invalid
    if outcome.closed and outcome.kind == "ok":
        return "closed", ""
    return None, ""


def _check_number(number: int, calls: int) -> None:
    if not 0 <= number <= calls:
        raise EpisodeRefused(f"calls: expected 0 to {calls} calls of the present branch, got {number}. Look at the episode's log.")


def _ended(info: EpisodeInfo, records: tuple[LogRecord, ...], changes: tuple[RowChange, ...]) -> EpisodeEnd:
    return EpisodeEnd(
        info=info,
        log=EpisodeLog(records=records, digest=info.digest, state_digest=info.state_digest),
        changes=EpisodeChanges(changes=changes, state_digest=info.state_digest),
    )


def _describe_slot(slot: Slot) -> EpisodeInfo:
    hot = slot.hot
    return _describe(slot.kept.key, slot.spec, slot.status, hot.chain, slot.take_digest(), reason=slot.invalid, calls=hot.calls, branch=hot.branch)


def _describe(key: str, spec: KeptSpec, status: Status, chain: str, state: str, *, reason: str = "", calls: int = 0, branch: int = 0) -> EpisodeInfo:
    return EpisodeInfo(
        key=key,
        environment=spec.environment,
        environment_digest=spec.environment_digest,
        world=spec.world,
        instruction=spec.instruction,
        status=status,
        reason=reason,
        calls=calls,
        branch=branch,
        call_limit=spec.terms().call_limit,
        rewindable=spec.rewindable,
        multi_turn=spec.multi_turn,
        free_play=spec.free_play,
        origin=spec.origin,
        digest=chain,
        state_digest=state,
    )
