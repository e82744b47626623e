"""The hot state of one episode: its database in memory, and where its log stands."""

import datetime as dt
from collections.abc import Iterable, Iterator, Mapping, MutableMapping
from dataclasses import replace
from typing import Any, NamedTuple

import apsw

from registry.dispatch.outcome import Outcome
from registry.dispatch.plan import Plans
from registry.dispatch.tool_call import Terms, perform
from registry.dispatch.user import Conversation, nobody
from registry.environment import Environment
from registry.episode.changes import Differing, changed_rows, changes_of, changes_since, net_changes
from registry.episode.layout import Layout, make_layout
from registry.episode.rows import EpisodeRows
from registry.noise.memory import Memory
from registry.noise.noisy import Noise
from registry.package.change import RowChange, Stored
from registry.package.noise import NoiseSpec
from registry.package.pack import WorldRow
from registry.package.tool_context import ToolContext
from registry.package.trial import Broken
from registry.record import NO_NOISE, Written, chain_start, control_outcome, write_record
from registry.template import Template

FIXED_BYTES = 160_000
"""What a hot episode takes beside its database (measured): connection, statements, pages and rows that are remembered."""
STATEMENTS = 32
NOISES = 256
"""Profiles with their seeds that an engine remembers."""
PAGE_CACHE = "PRAGMA cache_size=-16"
"""The database is in memory already: a page cache would only hold it twice."""


class Engine:
    """What all episodes of one environment share."""

    def __init__(self, environment: Environment) -> None:
        self.environment = environment
        self.plans = Plans(environment)
        self.layout: Layout = make_layout(environment.meta)
        self.start = dt.datetime.fromisoformat(environment.meta.now)
        self._noises: dict[tuple[str, int], Noise] = {}

    def noise(self, spec: NoiseSpec | None) -> Noise | None:
        """The noise of that profile and seed, kept for the next episode; None for none."""
        if spec is None or spec.quiet:
            return None
        name = (spec.profile, spec.seed)
        found = self._noises.get(name)
        if found is None:
            if len(self._noises) >= NOISES:
                self._noises.clear()
            found = self._noises[name] = Noise(self.environment.tools, self.environment.meta, spec)
        return found


class Performed(NamedTuple):
    """A call that was executed, and its record; `latency` is how many milliseconds its answer takes, by the episode's noise."""

    outcome: Outcome
    record: Written
    latency: int = 0


class HotEpisode:
    """An episode that can be called: a copy of a template, watched for changes since the start."""

    __slots__ = (
        "_engine",
        "_inherited",
        "_memory",
        "_next",
        "_noise",
        "_opened",
        "_rows",
        "_session",
        "_template",
        "_terms",
        "branch",
        "calls",
        "chain",
        "closed",
        "seq",
        "size",
        "talk",
    )

    def __init__(self, engine: Engine, template: Template, terms: Terms) -> None:
        self._engine = engine
        self._template = template
        self._terms = terms
        self._opened: apsw.Connection | None = None
        self._session: apsw.Session | None = None
        self._inherited = b""
        self._noise = engine.noise(terms.noise)
        self._memory = Memory() if self._noise is not None else None
        self._rows = EpisodeRows(self._open, engine.layout, template.tables, template.maxima)
        self.size = len(template.database) + FIXED_BYTES
        self.chain = chain_start(engine.environment.digest, template.digest)
        self.seq = 0
        self._next = 1
        self.branch = 0
        self.calls = 0
        self.closed = False
        self.talk = Conversation() if terms.multi_turn else None

    @property
    def now(self) -> dt.datetime:
        """What the next call sees as the time: each call of the branch moves it by a second."""
        return self._engine.start + dt.timedelta(seconds=self.calls)

    def call(self, tool: Any, arguments: Any) -> Performed:
        """Executes the next call of the branch and writes its record; never raises for what was sent or what a tool did."""
        if self._memory is not None:
            return self._disturbed(tool, arguments)
        outcome, name, canonical = perform(self._engine.plans, self._terms, self._rows, self, tool, arguments)
        record = self._record(name, canonical, outcome)
        self.calls += 1
        self.closed = outcome.closed
        return Performed(outcome, record)

    def call_unanswered(self, tool: Any, arguments: Any) -> Performed:
        """The same when the user gives no answer: how a record of a question that got none is made again."""
        terms, self._terms = self._terms, replace(self._terms, user=nobody)
        try:
            return self.call(tool, arguments)
        finally:
            self._terms = terms

    def _disturbed(self, tool: Any, arguments: Any) -> Performed:
        """The same, with what the episode's noise does to it."""
        assert self._noise is not None
        assert self._memory is not None
        noisy = self._noise.call(self._engine.plans, self._terms, self._rows, self, self._memory, tool, arguments)
        outcome, name, canonical = noisy.answered
        told: dict[str, Any] = {"noise": noisy.note} if noisy.note else {}
        if noisy.others:
            told["others"] = noisy.others
        record = self._record(name, canonical, outcome, told)
        self.calls += 1
        self.closed = outcome.closed
        return Performed(outcome, record, noisy.latency)

    def patch(self, rows: Iterable[tuple[str, str, Mapping[str, Stored] | None]], numbers: Mapping[tuple[str, str], int]) -> None:
        """Replaces, adds or (None) removes whole rows without any call: for tests that need another start than the template's.

        Args:
            rows: Table, id, stored values with `id`.
            numbers: Greatest number in use of each counter, by table and scope.
        """
        listed = list(rows)
        self._rows.begin(self.now)
        self._rows.close()
        for table, key, _ in listed:
            if self._rows.read(table, key) is not None:
                self._rows.delete(table, key)
        for table, key, row in listed:
            if row is not None:
                self._rows.insert(table, key, {name: value for name, value in row.items() if name != "id"})
        self._rows.commit()
        self._rows.count_from(numbers)

    def broken(self, tool: str, arguments: Mapping[str, Any] | None) -> tuple[Broken, ...]:
        """Every rule that the call would break if it were the next one; for graders. Nothing is kept, nothing is logged.

        Args:
            tool: Of the environment.
            arguments: That fit the schema of the tool; None stands for none.
        """
        self._rows.begin(self.now)
        try:
            environment = self._engine.environment
            context = ToolContext(self._rows, environment.rows.SCHEMA)
            return tuple(environment.checks.broken(context, tool, dict(arguments or {})))
        finally:
            self._rows.rollback()

    def control(self, tool: str, arguments: bytes) -> Written:
        """Writes a record of the control plane; it is no call."""
        return self._record(tool, arguments, control_outcome())

    def at(self, seq: int, branch: int) -> None:
        """Says which number the next record has, and which branch it is on; its parent is the record before it here."""
        self._next = seq
        self.branch = branch

    def _record(self, tool: str, arguments: bytes, outcome: Outcome, noise: Mapping[str, Any] = NO_NOISE) -> Written:
        record = write_record(
            self.chain, seq=self._next, parent=self.seq, branch=self.branch, tool=tool, arguments=arguments, outcome=outcome, noise=noise
        )
        self.chain = record.digest
        self.seq = record.seq
        self._next = record.seq + 1
        return record

    @property
    def straight(self) -> bool:
        """Whether its log is nothing but its calls, one after the other: it was never rewound and never closed from outside."""
        return self.branch == 0 and self.seq == self.calls

    def fork(self) -> "HotEpisode":
        """Another episode in the same state that made the same calls; if this one is `straight`, its log is the same too."""
        made = HotEpisode(self._engine, self._template, self._terms)
        made._rows.take(self._rows)
        made._inherited = self._changeset()
        made.chain, made.seq, made._next, made.branch = self.chain, self.seq, self._next, self.branch
        made.calls, made.closed = self.calls, self.closed
        made.talk = None if self.talk is None else self.talk.copy()
        made._memory = None if self._memory is None else self._memory.copy()
        return made

    def changes(self) -> tuple[RowChange, ...]:
        """Net row changes since the start; those of another actor, whom noise brings in, are no changes but a part of the start."""
        found = net_changes(self._changeset(), self._engine.layout)
        if self._memory is None or not self._memory.left:
            return found
        return changes_since(self._memory.left, self._rows.read, found, self._engine.layout)

    def held_changes(self, known: MutableMapping[Differing, tuple[RowChange, ...]]) -> tuple[RowChange, ...]:
        """Net row changes since the start as the rows say that are held here, without a look at the database: for many short runs.

        Args:
            known: What other runs came to, by the rows that differ; the same changes are the same object.
        """
        differing = self._rows.differing()
        found = known.get(differing)
        if found is None:
            found = known[differing] = changes_of(differing, self._engine.layout)
        return found

    def rows(self) -> Iterator[WorldRow]:
        """All rows, ordered by table (as in the environment), then id."""
        for table in self._engine.layout.values():
            for row in self._database().execute(f'{table.select} ORDER BY "id"'):
                yield table.name, dict(zip(table.columns, row, strict=True))

    def digest(self) -> str:
        """Digest of the full state, from the initial one and what has changed since."""
        changed = {place: self._rows.whole(*place) for place in changed_rows(self._changeset())}
        return self._template.lines.digest(changed) if changed else self._template.digest

    def database(self) -> bytes:
        """The state as bytes of a SQLite database."""
        return self._database().serialize("main")

    def close(self) -> None:
        """Frees the database."""
        self._rows.close()
        if self._session is not None:
            self._session.close()
        if self._opened is not None:
            self._opened.close()

    def end(self) -> None:
        """Frees everything at once, without a search for cycles of objects: for one that nobody looks at any more."""
        self.close()
        self._rows.end()

    def _database(self) -> apsw.Connection:
        """The database with all that was kept."""
        self._rows.flush()
        return self._open()

    def _open(self) -> apsw.Connection:
        """The database, opened when it is first written or looked at: most episodes begin with reading."""
        if self._opened is None:
            self._opened = apsw.Connection(":memory:", statementcachesize=STATEMENTS)
            self._opened.deserialize("main", self._template.database)
            self._opened.execute(PAGE_CACHE)
            self._session = apsw.Session(self._opened, "main")
            self._session.attach()
            if self._inherited:
                apsw.Changeset.apply(self._inherited, self._opened)
        return self._opened

    def _changeset(self) -> bytes:
        self._rows.flush()
        return self._inherited if self._session is None else self._session.changeset()
