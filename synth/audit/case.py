"""One task of a pack, ready to be played any number of times through the tools of its environment."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

from registry.dispatch.harness import ASK
from registry.environment import Environment
from registry.episode import LocalEpisode
from registry.episode.changes import Differing
from registry.package.change import RowChange
from registry.package.pack import Gold
from registry.package.symbols import SymbolError, resolve
from registry.packs.reading import Pack, Task
from registry.score import Scorer, ScoreReport, Submission
from registry.score.columns import Columns
from registry.template import Template
from synth.audit.start import ById, StartWorld, start_worlds


class Step(NamedTuple):
    """A call; arguments may hold symbols. `place` is that of the gold call that it stands for, whose result later symbols refer to."""

    tool: str
    arguments: Mapping[str, Any]
    place: int = -1


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt:
    """What came of playing some steps: the verdict, and the steps that were not done (refused, invalid, or without a value for a symbol)."""

    report: ScoreReport
    changes: tuple[RowChange, ...]
    undone: tuple[int, ...]
    results: tuple[Any, ...]
    digest: str

    @property
    def passed(self) -> bool:
        """Whether the scorer said PASS."""
        return self.report.verdict == "PASS"


class Ran(NamedTuple):
    """What steps came to from one start, before anybody judges."""

    changes: tuple[RowChange, ...]
    undone: tuple[int, ...]
    results: tuple[Any, ...]
    digest: str


@dataclass(slots=True)
class Memory:
    """What runs came to.

    Attributes:
        runs: By scenario and steps: the same steps from the same start come to the same, which is tried out with gold of every task.
        nets: Net changes by the rows that differ, so that the same changes are the same object, and judged once.
    """

    runs: dict[Any, Ran] = field(default_factory=dict)
    nets: dict[Differing, tuple[RowChange, ...]] = field(default_factory=dict)

    def clear(self) -> None:
        """Forgets everything."""
        self.runs.clear()
        self.nets.clear()


@dataclass
class Case:
    """A task with its start state.

    Attributes:
        played: Runs so far, for the report's cost.
    """

    environment: Environment
    task: Task
    world: StartWorld
    memory: Memory = field(default_factory=Memory)
    played: int = field(default=0)
    _reports: dict[tuple[int, Submission | None], tuple[Sequence[RowChange], ScoreReport]] = field(default_factory=dict)

    @property
    def gold(self) -> Gold:
        """What the maker proved to be right."""
        return self.task.gold

    @cached_property
    def columns(self) -> Columns:
        """What the scorer looks at."""
        return Columns.of(self.environment.meta)

    @cached_property
    def scorer(self) -> Scorer:
        """Judges runs of the task."""
        return Scorer(self.gold, self.environment.meta)

    @cached_property
    def by_id(self) -> ById:
        """Rows of the start state by table and id."""
        return self.world.rows_of(self.task.public) if self.task.public.patch else self.world.by_id

    @cached_property
    def ids(self) -> dict[str, list[str]]:
        """Ids of each table in order."""
        return self.world.ids if self.world.only_replaced(self.task.public) else self.world.listed(self.by_id)

    @cached_property
    def template(self) -> Template:
        """The start state, ready to be played from."""
        return self.world.template_of(self.task)

    @cached_property
    def truth(self) -> Attempt:
        """Gold as it stands, with its reads and its submission."""
        return self.play(self.steps, submission_of(self.gold), digest=True)

    @property
    def steps(self) -> tuple[Step, ...]:
        """Gold's calls."""
        return tuple(Step(call.tool, call.arguments, place) for place, call in enumerate(self.gold.calls))

    @cached_property
    def writes(self) -> tuple[Step, ...]:
        """Gold's calls that write, symbols resolved where they name rows of the start state."""
        reads = {ASK} | {tool.name for tool in self.environment.meta.tools if tool.read_only}
        made = [place for place, call in enumerate(self.gold.calls) if call.tool not in reads]
        results = [None if place in made else result for place, result in enumerate(self.truth.results)]
        return tuple(Step(self.gold.calls[place].tool, _settled(self.gold.calls[place].arguments, results), place) for place in made)

    def episode(self, calls_before: int = 0) -> LocalEpisode:
        """A fresh episode of the task, as if so many calls had been made that changed nothing."""
        public = self.task.public
        return LocalEpisode(
            self.environment,
            template=self.template,
            call_limit=0,
            multi_turn=public.multi_turn,
            held_back=public.held_back,
            calls_before=calls_before,
        )

    def play(
        self, steps: Sequence[Step], submission: Submission | None = None, *, digest: bool = False, calls_before: int = 0, afresh: bool = False
    ) -> Attempt:
        """Makes the calls in order on a fresh episode, then judges; a call that cannot be made is passed over, as an agent would.

        Args:
            digest: Whether the digest of the last state is wanted; then the database itself is asked what changed, else the rows that are held.
            calls_before: How many calls came before them.
            afresh: Even if the same was done before.
        """
        public = self.task.public
        place = (self.task.scenario, public.multi_turn, public.held_back, len(self.gold.calls), calls_before, digest, repr(steps))
        ran = None if afresh else self.memory.runs.get(place)
        if ran is None:
            ran = self.memory.runs[place] = self._run(steps, calls_before, digest=digest)
        return Attempt(report=self.judge(ran.changes, submission), **ran._asdict())

    def _run(self, steps: Sequence[Step], calls_before: int, *, digest: bool) -> Ran:
        self.played += 1
        episode = self.episode(calls_before)
        try:
            results: list[Any] = [None] * (max([len(self.gold.calls), *(step.place + 1 for step in steps)]))
            undone = [number for number, step in enumerate(steps) if not _made(episode, step, results)]
            if digest:
                return Ran(episode.changes(), tuple(undone), tuple(results), episode.state_digest)
            return Ran(episode.held_changes(self.memory.nets), tuple(undone), tuple(results), "")
        finally:
            episode.close()

    def judge(self, changes: Sequence[RowChange], submission: Submission | None) -> ScoreReport:
        """The scorer's verdict; on the same changes with the same submission it is given again."""
        place = (id(changes), submission)
        held = self._reports.get(place)
        if held is None:
            held = self._reports[place] = (changes, self.scorer.score(changes, submission))  # `changes` is kept, so that its id stays its own
        return held[1]


def _made(episode: LocalEpisode, step: Step, results: list[Any]) -> bool:
    try:
        arguments = resolve(dict(step.arguments), results)
    except (SymbolError, TypeError):
        return False
    outcome = episode.call(step.tool, arguments)
    if outcome.kind != "ok":
        return False
    if step.place >= 0:
        results[step.place] = outcome.result
    return True


def _settled(arguments: Mapping[str, Any], results: Sequence[Any]) -> dict[str, Any]:
    """Arguments with the symbols resolved that can be; those that name rows made by the task stay."""

    def one(value: Any) -> Any:
        try:
            return resolve(value, results)
        except (SymbolError, TypeError):
            return value

    return {name: [one(part) for part in value] if isinstance(value, list) else one(value) for name, value in arguments.items()}


def submission_of(gold: Gold) -> Submission:
    """The submission that gold calls right."""
    if gold.outcome == "answered" and gold.answer is not None:
        return Submission(outcome="answered", answer=gold.answer.value)
    if gold.outcome == "declined" and gold.declined is not None and gold.declined.reasons:
        ground = gold.declined.reasons[0]
        return Submission(outcome="declined", reason_code=ground.code, evidence=ground.required)
    return Submission(outcome=gold.outcome)


def cases(environment: Environment, pack: Pack, memory: Memory | None = None) -> tuple[Case, ...]:
    """The tasks of a pack in order of their ids."""
    memory = Memory() if memory is None else memory
    worlds = start_worlds(environment, pack)
    tasks = [task for _, task in sorted(pack.tasks.items())]
    return tuple(Case(environment=environment, task=task, world=worlds[task.public.world], memory=memory) for task in tasks)
