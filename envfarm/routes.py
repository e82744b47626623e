"""What each method of the clients asks of farm and sidecar, and how the answer is read: the same for both clients."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, NamedTuple, TypeVar

from envfarm.asking import FarmError, Plane, narrowed, part, told_terms
from envfarm.replies import Curriculum, Episode, NextTask, Report, Run, Stepped, Task
from registry.package.change import RowChange
from registry.package.noise import NoiseWanted
from registry.package.pack import WorldRow
from registry.package.stored_form import Columns
from registry.package.user import UserWanted

IN_ONE = 256
"""Items in one request; more go as several requests."""
SCORED_IN_ONE = 32
"""Runs scored in one request, which takes longer."""

Result = TypeVar("Result")


class Call(NamedTuple):
    """One tool call for one episode, named by its key (`Run.episode`, `Episode.key`)."""

    episode: str
    tool: str
    arguments: Mapping[str, Any] = {}


@dataclass(frozen=True, slots=True, kw_only=True)
class Request(Generic[Result]):
    """One request; `read` makes the result of its JSON."""

    plane: Plane
    method: str
    path: str
    read: Callable[[Any], Result]
    body: Any = None
    parameters: Mapping[str, str | int] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Batch(Generic[Result]):
    """Requests that may be under way together; `read` makes the result of all their items in order."""

    requests: tuple[Request[list[Any]], ...]
    read: Callable[[list[Any]], Result]


def environments() -> Request[tuple[dict[str, Any], ...]]:
    """What the farm serves."""
    return _get("/v1/environments", lambda told: tuple(told["environments"]))


def tools(environment: str, *, multi_turn: bool) -> Request[tuple[dict[str, Any], ...]]:
    """The tools of an environment and those of every episode."""

    def read(told: Any) -> tuple[dict[str, Any], ...]:
        return (*told["tool_list"], *(one for one in told["harness_tools"] if multi_turn or one["name"] != "ask_user"))

    return _get(f"/v1/environments/{part('environment', environment)}", read)


def policy(environment: str) -> Request[str]:
    """The rules of an environment."""
    return _get(f"/v1/environments/{part('environment', environment)}", lambda told: str(told["policy"]))


def instructions(environment: str) -> Request[str]:
    """How to work in an environment."""
    return _get(f"/v1/environments/{part('environment', environment)}", lambda told: str(told["instructions"]))


def columns(environment: str) -> Request[Columns]:
    """Which columns hold another form than tools show."""
    return _get(f"/v1/environments/{part('environment', environment)}", lambda told: dict(told["columns"]))


def create(environment: str, world: str, instruction: str, call_limit: int, *, rewindable: bool) -> Request[Episode]:
    """A new episode without a task."""
    body = {"environment": environment, "world": world, "instruction": instruction, "call_limit": call_limit, "rewindable": rewindable}
    return Request(plane="control plane", method="POST", path="/v1/episodes", body=body, read=Episode.model_validate)


def episode(key: str) -> Request[Episode]:
    """An episode as it is now."""
    return _get(_place(key), Episode.model_validate)


def log(key: str) -> Request[tuple[dict[str, Any], ...]]:
    """All calls so far."""
    return _get(f"{_place(key)}/log", lambda told: tuple(told["records"]))


def changes(key: str) -> Request[tuple[RowChange, ...]]:
    """Net row changes."""
    return _get(f"{_place(key)}/changes", lambda told: tuple(RowChange.model_validate(one) for one in told["changes"]))


def snapshot(key: str) -> Request[tuple[WorldRow, ...]]:
    """All rows."""
    return _get(f"{_place(key)}/snapshot", lambda told: tuple((table, row) for table, row in told["rows"]))


def act(key: str, action: str, **body: Any) -> Request[Episode]:
    """The episode after `rewind`, `reset` or `close`."""
    return Request(plane="control plane", method="POST", path=f"{_place(key)}/{action}", body=body, read=Episode.model_validate)


def resets(keys: Sequence[str]) -> Batch[tuple[Episode, ...]]:
    """Episodes back at their start."""
    return _batch("control plane", "resets", [{"key": key} for key in keys], _episodes)


def fork_episodes(keys: Sequence[str], at: int | None) -> Batch[tuple[Episode, ...]]:
    """A new episode for each."""
    return _batch("control plane", "forks", [{"key": key, "at": at} for key in keys], _episodes)


def step(calls: Iterable[Call | tuple[str, str, Mapping[str, Any]]]) -> Batch[tuple[Stepped, ...]]:
    """Calls of tools; those of one episode in the order given."""
    items = [{"key": key, "tool": tool, "arguments": dict(arguments)} for key, tool, arguments in calls]
    # The calls of one episode stay in one request, or two requests could overtake each other.
    order = sorted(range(len(items)), key=lambda number: str(items[number]["key"]))
    shares = _shares([str(items[number]["key"]) for number in order])

    def read(found: list[Any]) -> tuple[Stepped, ...]:
        told = dict(zip(order, found, strict=True))
        return tuple(_stepped(told[number]) for number in range(len(items)))

    return Batch(requests=tuple(_many("control plane", "steps", [items[number] for number in order[start:end]]) for start, end in shares), read=read)


def tasks(environment: str, kind: str, level: int | None, split: str) -> Request[tuple[Task, ...]]:
    """Tasks, narrowed by what is given."""
    return Request(
        plane="sidecar",
        method="GET",
        path="/v1/tasks",
        parameters=narrowed(environment, kind, level, split),
        read=lambda told: tuple(Task.model_validate(one) for one in told["tasks"]),
    )


def start(task: str, call_limit: int, noise: NoiseWanted | None, user: UserWanted | None, *, rewindable: bool) -> Request[Run]:
    """A new run of a task."""
    body = {"task": task, "rewindable": rewindable, "call_limit": call_limit, **told_terms(noise, user)}
    return Request(plane="sidecar", method="POST", path="/v1/runs", body=body, read=Run.model_validate)


def groups(
    wanted: Sequence[str], runs: int, call_limit: int, noise: NoiseWanted | None, user: UserWanted | None, *, rewindable: bool
) -> Batch[tuple[tuple[Run, ...], ...]]:
    """So many runs of each task."""
    terms = {"runs": runs, "rewindable": rewindable, "call_limit": call_limit, **told_terms(noise, user)}
    items = [{"task": task, **terms} for task in wanted]
    return _batch("sidecar", "runs", items, lambda found: tuple(_runs(one) for one in found), in_one=max(1, IN_ONE // max(1, runs)))


def fork(run: str, at: int | None, runs: int) -> Batch[tuple[Run, ...]]:
    """New runs that begin as another."""
    return _batch("sidecar", "forks", [{"run": run, "at": at, "runs": runs}], lambda found: _runs(found[0]))


def score(run: str) -> Request[Report]:
    """The report of a run."""
    return Request(plane="sidecar", method="POST", path=f"/v1/runs/{part('run', run)}/score", body={}, read=Report.model_validate)


def scores(runs: Sequence[str]) -> Batch[tuple[Report, ...]]:
    """The reports of many runs."""
    return _batch("sidecar", "scores", list(runs), lambda found: tuple(Report.model_validate(one["report"]) for one in found), in_one=SCORED_IN_ONE)


def next_tasks(
    curriculum: str, count: int, target: float, seed: int, environment: str, kind: str, level: int | None, split: str
) -> Request[tuple[NextTask, ...]]:
    """Tasks near a rate of success."""
    return Request(
        plane="sidecar",
        method="POST",
        path=f"/v1/curricula/{part('curriculum', curriculum)}/next",
        body={"count": count, "target": target, "seed": seed, **narrowed(environment, kind, level, split)},
        read=lambda told: tuple(NextTask.model_validate(one) for one in told["tasks"]),
    )


def tell(curriculum: str, runs: Sequence[str], rewards: Sequence[tuple[str, float]]) -> Request[int]:
    """How tries went."""
    items = [{"run": run} for run in runs] + [{"task": task, "reward": reward} for task, reward in rewards]
    path = f"/v1/curricula/{part('curriculum', curriculum)}/outcomes"
    return Request(plane="sidecar", method="POST", path=path, body={"items": items}, read=lambda told: int(told["counted"]))


def curriculum(name: str) -> Request[Curriculum]:
    """What is known so far."""
    return Request(plane="sidecar", method="GET", path=f"/v1/curricula/{part('curriculum', name)}", read=Curriculum.model_validate)


def _place(key: str) -> str:
    return f"/v1/episodes/{part('episode', key)}"


def _get(path: str, read: Callable[[Any], Result]) -> Request[Result]:
    return Request(plane="control plane", method="GET", path=path, read=read)


def _many(plane: Plane, action: str, items: Sequence[Any]) -> Request[list[Any]]:
    return Request(plane=plane, method="POST", path=f"/v1/batch/{action}", body={"items": list(items)}, read=lambda told: list(told["items"]))


def _batch(plane: Plane, action: str, items: Sequence[Any], read: Callable[[list[Any]], Result], *, in_one: int = IN_ONE) -> Batch[Result]:
    """Items in as many requests as it takes; the first that could not be served is raised."""
    requests = tuple(_many(plane, action, items[begin : begin + in_one]) for begin in range(0, len(items), in_one))
    return Batch(requests=requests, read=lambda found: read([_checked(one) for one in found]))


def _shares(keys: Sequence[str]) -> list[tuple[int, int]]:
    """Ranges of about `IN_ONE` sorted keys, none of which parts equal ones."""
    shares, begin = [], 0
    while begin < len(keys):
        end = min(begin + IN_ONE, len(keys))
        while end < len(keys) and keys[end] == keys[end - 1]:
            end += 1
        shares.append((begin, end))
        begin = end
    return shares


def _checked(told: dict[str, Any]) -> dict[str, Any]:
    error = told.get("error")
    if error:
        raise FarmError(error["code"], error["message"], 0)
    return told


def _episodes(found: list[Any]) -> tuple[Episode, ...]:
    return tuple(Episode.model_validate(one["episode"]) for one in found)


def _runs(told: Mapping[str, Any]) -> tuple[Run, ...]:
    return tuple(Run.model_validate(one) for one in told["runs"])


def _stepped(told: Mapping[str, Any]) -> Stepped:
    error = told.get("error")
    return Stepped(kind="error", code=error["code"], text=error["message"]) if error else Stepped.model_validate(told)
