"""Which tasks an evaluation plays."""

from collections import Counter, deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from evals.errors import EvalError
from evals.sidecar import PackLine, TaskLine
from registry.packs.narrowing import NameUnknown, check_kinds, check_made, check_split


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """Filters; what is empty or 0 lets everything through.

    `limit` takes tasks of each environment, kind and level in turn; it never takes one twin alone, so that there may be one task more.
    """

    environments: tuple[str, ...] = ()
    tasks: tuple[str, ...] = ()
    split: str = ""
    levels: tuple[int, ...] = ()
    kinds: tuple[str, ...] = ()
    limit: int = 0

    def __post_init__(self) -> None:
        try:
            check_kinds("--kind", self.kinds)
            check_split("--split", self.split)
        except NameUnknown as error:
            raise EvalError(str(error)) from error

    @property
    def options(self) -> tuple[str, ...]:
        """Options of the command line that give these filters."""
        given = {"--env": self.environments, "--tasks": self.tasks, "--split": self.split, "--level": self.levels, "--kind": self.kinds}
        return tuple(name for name, value in {**given, "--limit": self.limit}.items() if value)


def choose(tasks: Sequence[TaskLine], packs: Sequence[PackLine], choice: Choice) -> tuple[TaskLine, ...]:
    """The chosen tasks in their order.

    Raises:
        EvalError: None is left, or a name fits nothing.
    """
    if not tasks:
        raise EvalError("tasks: expected tasks at the sidecar, got none. Its home has no task packs: run `envfarm build` there.")
    splits = {one.pack: one.split for one in packs}
    _known("--env", "an environment that has tasks", choice.environments, {one.environment for one in tasks})
    _known("--tasks", "the id of a task", choice.tasks, {one.task for one in tasks})
    _made(choice, {splits.get(one.pack, "") for one in tasks if one.environment in (choice.environments or (one.environment,))})
    chosen = [
        one
        for one in tasks
        if (not choice.environments or one.environment in choice.environments)
        and (not choice.tasks or one.task in choice.tasks)
        and choice.split in ("", splits.get(one.pack))
        and (not choice.levels or one.level in choice.levels)
        and (not choice.kinds or one.kind in choice.kinds)
    ]
    if not chosen:
        raise EvalError("tasks: expected at least one task that fits all filters, got none. See `envfarm tasks list`, or run `envfarm build`.")
    return _first(chosen, choice.limit)


def _known(option: str, sought: str, given: Sequence[str], known: set[str]) -> None:
    for one in given:
        if one not in known:
            raise EvalError(str(NameUnknown(option, sought, one, sorted(known))))


def _made(choice: Choice, splits: set[str]) -> None:
    try:
        check_made("--split", choice.split, splits, choice.environments)
    except NameUnknown as error:
        raise EvalError(str(error)) from error


def _first(tasks: Sequence[TaskLine], limit: int) -> tuple[TaskLine, ...]:
    if not limit or limit >= len(tasks):
        return tuple(tasks)
    kept: set[str] = set()
    for together in _in_turn(_pairs(tasks)):
        if len(kept) >= limit:
            break
        kept.update(one.task for one in together)
    return tuple(one for one in tasks if one.task in kept)


def _pairs(tasks: Sequence[TaskLine]) -> list[list[TaskLine]]:
    """The two of a pair stay together: alone, one of them can be passed without looking."""
    here = {one.task for one in tasks}
    found: dict[str, list[TaskLine]] = {}
    for one in tasks:
        found.setdefault(min(one.task, one.twin) if one.twin in here else one.task, []).append(one)
    return list(found.values())


def _in_turn(pairs: Sequence[list[TaskLine]]) -> Iterator[list[TaskLine]]:
    """One of each environment in turn, always of the kind that came least so far, then of the level; of these the first.

    What came is counted over all environments, so that a few of each still have all kinds. The first of two twins says what a pair is.
    """
    waiting: dict[str, dict[tuple[str, int], deque[tuple[int, list[TaskLine]]]]] = {}
    for place, pair in enumerate(pairs):
        waiting.setdefault(pair[0].environment, {}).setdefault((pair[0].kind, pair[0].level), deque()).append((place, pair))
    kinds, levels = Counter[str](), Counter[int]()
    while waiting:
        for environment, strata in list(waiting.items()):
            kind, level = min(strata, key=lambda one: (kinds[one[0]], levels[one[1]], strata[one][0][0]))
            _, pair = strata[kind, level].popleft()
            kinds[kind] += 1
            levels[level] += 1
            yield pair
            if not strata[kind, level]:
                del strata[kind, level]
            if not strata:
                del waiting[environment]
