"""One episode in this process, without records on disk: for the library, the planner and the grader's replay."""

from collections.abc import Iterable, Mapping, MutableMapping
from typing import Any

from registry.dispatch.outcome import Outcome
from registry.dispatch.tool_call import Terms
from registry.dispatch.user import PLAIN
from registry.environment import Environment
from registry.episode.changes import Differing
from registry.episode.hot import Engine, HotEpisode
from registry.episode.rebuild import rebuild
from registry.package.change import RowChange, Stored
from registry.package.digest import canonical
from registry.package.noise import NoiseSpec
from registry.package.pack import HeldBack, WorldRow
from registry.package.trial import Broken
from registry.package.user import UserWanted
from registry.record import LogRecord, ancestry, read_record
from registry.template import Template


class LocalEpisode:
    """The same engine as the farm's, one step at a time.

    Args:
        environment: A loaded package.
        world: A world that the package carries; not used with a scenario.
        scenario: All rows of the initial state, in stored form.
        template: The initial state, where it is made already; then neither world nor scenario is used.
        scenario_name: Names the scenario's content, so that its database is made once for many episodes; empty for one of its own.
        call_limit: As in the task; 0 for no limit.
        multi_turn: Whether `ask_user` is there, answered from `held_back`.
        free_play: Whether a submission leaves the episode open.
        noise: What disturbs the calls.
        user: How the user speaks.
        calls_before: As if so many calls had been made that changed nothing: the clock stands later, fewer calls are left.
    """

    def __init__(
        self,
        environment: Environment,
        *,
        world: str = "0",
        scenario: Iterable[WorldRow] | None = None,
        scenario_name: str = "",
        template: Template | None = None,
        call_limit: int = 200,
        multi_turn: bool = False,
        held_back: tuple[HeldBack, ...] = (),
        free_play: bool = False,
        calls_before: int = 0,
        noise: NoiseSpec | None = None,
        user: UserWanted = PLAIN,
    ) -> None:
        self._engine = engine_of(environment)
        if template is None:
            template = environment.world_template(world) if scenario is None else environment.scenario_template(scenario, scenario_name)
        self._template = template
        self._terms = Terms(call_limit=call_limit, multi_turn=multi_turn, held_back=held_back, closes=not free_play, noise=noise, persona=user)
        self._calls_before = calls_before
        self._hot = self._fresh()
        self._log: list[bytes] = []

    def call(self, tool: str, arguments: Mapping[str, Any] | None = None) -> Outcome:
        """Executes one call; refusals, invalid arguments and defects are outcomes, not exceptions."""
        performed = self._hot.call(tool, arguments)
        self._log.append(performed.record.body)
        return performed.outcome

    def patch(self, rows: Iterable[tuple[str, str, Mapping[str, Stored] | None]], numbers: Mapping[tuple[str, str], int]) -> None:
        """Changes whole rows without a call, before the first one; see `HotEpisode.patch`. They count as changes since the start."""
        self._hot.patch(rows, numbers)

    def broken(self, tool: str, arguments: Mapping[str, Any] | None) -> tuple[Broken, ...]:
        """Every rule, enforced or not, that this call would break now, in the order in which they are met; nothing is kept or logged."""
        return self._hot.broken(tool, arguments)

    def replay(self, calls: Iterable[tuple[str, Any] | Mapping[str, Any]]) -> tuple[Outcome, ...]:
        """Executes calls in order: pairs of tool and arguments, or objects with these two members (gold calls, log records)."""
        pairs = [(one["tool"], one["arguments"]) if isinstance(one, Mapping) else one for one in calls]
        return tuple(self.call(tool, arguments) for tool, arguments in pairs)

    def changes(self) -> tuple[RowChange, ...]:
        """Net row changes since the start, ordered by table, then key."""
        return self._hot.changes()

    def held_changes(self, known: MutableMapping[Differing, tuple[RowChange, ...]] | None = None) -> tuple[RowChange, ...]:
        """The same as the rows say that are held in memory; the database, which `changes` asks, need not be opened. Not for noisy episodes.

        Args:
            known: What other runs came to; is added to, and the same changes are the same object then.
        """
        return self._hot.held_changes({} if known is None else known)

    def snapshot(self) -> tuple[WorldRow, ...]:
        """All rows, ordered by table (as in the environment), then id."""
        return tuple(self._hot.rows())

    def database(self) -> bytes:
        """The state as bytes of a SQLite database."""
        return self._hot.database()

    def log(self) -> tuple[LogRecord, ...]:
        """Records of all calls since the last reset."""
        return tuple(read_record(body) for body in self._log)

    def last(self) -> LogRecord:
        """The record of the last call; IndexError if there was none."""
        return read_record(self._log[-1])

    @property
    def digest(self) -> str:
        """Digest of the log: of the package, the initial state and every call."""
        return self._hot.chain

    @property
    def state_digest(self) -> str:
        """Digest of the full state."""
        return self._hot.digest()

    @property
    def closed(self) -> bool:
        """Whether a submission was accepted."""
        return self._hot.closed

    def follow(self, records: Iterable[LogRecord | Mapping[str, Any]]) -> None:
        """Becomes the episode that a farm recorded: follows its log over rewinds and closings, comparing every step.

        Args:
            records: The whole log, in order, of an episode with the same package, initial state and terms as this one.

        Raises:
            EpisodeCorrupt: The chain of digests is broken, or a call comes to something else than its record says.
        """
        listed = [one if isinstance(one, LogRecord) else LogRecord.from_json(one) for one in records]
        followed = rebuild(self._engine, self._template, self._terms, [canonical(record.to_json()) for record in ancestry(listed)])
        self._hot.close()
        self._hot = followed
        self._log = [canonical(record.to_json()) for record in listed]

    def fork(self, at: int | None = None) -> "LocalEpisode":
        """A new episode that made the first `at` calls of this one (all by default)."""
        other = object.__new__(LocalEpisode)
        other._engine, other._template, other._terms = self._engine, self._template, self._terms
        other._calls_before = self._calls_before
        if at is None or at >= len(self._log):
            other._hot, other._log = self._hot.fork(), list(self._log)
            return other
        other._hot, other._log = other._fresh(), []
        other.replay((record.tool, record.arguments) for record in self.log()[:at])
        return other

    def reset(self) -> None:
        """Back to the initial state, with an empty log."""
        self._hot.end()
        self._hot, self._log = self._fresh(), []

    def close(self) -> None:
        """Frees the database."""
        self._hot.close()

    def __del__(self) -> None:
        if "_hot" in vars(self):  # the environment may have had no such world
            self._hot.end()

    def _fresh(self) -> HotEpisode:
        fresh = HotEpisode(self._engine, self._template, self._terms)
        fresh.calls = self._calls_before
        return fresh


def engine_of(environment: Environment) -> Engine:
    """What all episodes of the loaded environment share; made when it is first needed."""
    if not isinstance(environment.engine, Engine):
        environment.engine = Engine(environment)
    return environment.engine
