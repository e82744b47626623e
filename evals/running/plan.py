"""Which tasks an evaluation plays."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain, zip_longest

from evals.errors import EvalError
from evals.sidecar import PackLine, TaskLine
from registry.packs.narrowing import NameUnknown, check_kinds, check_made, check_split


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """Filters; what is empty or 0 lets everything through.

    `limit` takes the first ones of each environment in turn; it never takes one twin alone, so that there may be one task more.
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
    by_environment: dict[str, dict[str, list[str]]] = {}
    here = {one.task for one in tasks}
    for one in tasks:
        # The two of a pair stay together: alone, one of them can be passed without looking.
        pair = min(one.task, one.twin) if one.twin in here else one.task
        by_environment.setdefault(one.environment, {}).setdefault(pair, []).append(one.task)
    kept: set[str] = set()
    for pair_of_tasks in chain.from_iterable(zip_longest(*(pairs.values() for pairs in by_environment.values()))):
        if len(kept) < limit:
            kept.update(pair_of_tasks or ())
    return tuple(one for one in tasks if one.task in kept)
