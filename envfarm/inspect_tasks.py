"""The task packs of a running farm as a task of Inspect, `envfarm/envfarm_tasks`: its registry names tasks by the package they stand in."""

from pathlib import Path

from inspect_ai import Task, task
from inspect_ai.dataset import MemoryDataset, Sample

from evals.inspect.place import Place
from evals.inspect.play import final_state, play_episode
from evals.sidecar import TaskLine
from registry.packs.narrowing import Narrowing


@task
def envfarm_tasks(
    environment: str = "",
    kind: str = "",
    level: int | None = None,
    split: str = "",
    tasks: str = "",
    noise: str = "none",
    noise_seed: int = 0,
    persona: str = "plain",
    home: str = "",
    sidecar_url: str = "",
) -> Task:
    """Tasks that the sidecar has, narrowed by what is given; each sample's id is that of its task.

    Args:
        environment: Of this environment only.
        kind: do, do-if-else, answer, decline, repair, bulk or multi-turn.
        level: 1 to 5.
        split: train, val or test.
        tasks: Ids, separated by spaces.
        noise: Profile of what disturbs calls.
        noise_seed: Of the noise; each epoch takes the next one.
        persona: Of the users of multi-turn tasks: plain, terse, chatty, impatient, forgetful, or mix.
        home: As ENVFARM_HOME.
        sidecar_url: As ENVFARM_SIDECAR_URL.
    """
    given = {"home": Path(home) if home else None, "sidecar_url": sidecar_url}
    place = Place().model_copy(update={name: value for name, value in given.items() if value})
    named = set(tasks.split())
    wanted = Narrowing(environment=environment, kind=kind, level=level, split=split)
    chosen = [one for one in wanted.of(place.tasks()) if not named or one.task in named]
    return Task(
        dataset=MemoryDataset([_sample(one) for one in chosen], name="envfarm"),
        solver=play_episode(place, noise, noise_seed, persona),
        scorer=final_state(place),
    )


def _sample(line: TaskLine) -> Sample:
    about = {"task": line.task, "environment": line.environment, "kind": line.kind, "level": line.level, "pack": line.pack, "twin": line.twin}
    return Sample(id=line.task, input=line.instruction, metadata=about)
