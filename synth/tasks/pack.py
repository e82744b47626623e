"""The files of a task pack."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Literal

import orjson

from registry.package.manifest import FORMAT
from registry.package.pack import Gold, TaskKind, TaskPublic
from synth.lang.domain import Domain
from synth.reference.state import State
from synth.tasks.aim import LEVELS
from synth.tasks.draft import Draft
from synth.tasks.level import level
from synth.tasks.make import MIX
from synth.tasks.proving.proofs import proofs
from synth.version import GENERATOR

Split = Literal["train", "val", "test"]


@dataclass(frozen=True, slots=True, kw_only=True)
class PackRequest:
    """What a pack is a function of, beside the seed of the domain and the generator.

    Attributes:
        environment_digest: Of the package that the tasks are for.
        asked: How many tasks.
        reworded_by: What put the messages into other words; empty for nothing, and then the bytes depend on nothing else.
    """

    environment_digest: str
    split: Split
    seed: int
    asked: int
    kinds: tuple[TaskKind, ...] = MIX
    levels: tuple[int, ...] = tuple(sorted(LEVELS))
    reworded_by: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Batch:
    """Tasks that start from one world; `first` is the number of the first of them in the pack."""

    world: str
    state: State
    drafts: tuple[Draft, ...]
    first: int = 0


@dataclass(slots=True)
class Written:
    """Tasks as they were written, so that they need not be written again.

    Attributes:
        contents: What the two files of a task hold, by which draft and state it is; both are kept, so that their ids stay their own.
        files: The files, by the task's name, its twin's, its world's, and which draft and state it is.
        worlds: The rows of start states, by which state it is.
    """

    contents: dict[tuple[int, int], tuple[Draft, State, dict[str, Any], dict[str, Any]]] = field(default_factory=dict)
    files: dict[tuple[str, str, str, int, int], tuple[bytes, bytes]] = field(default_factory=dict)
    worlds: dict[int, tuple[State, bytes]] = field(default_factory=dict)

    def clear(self) -> None:
        """Forgets everything."""
        self.worlds.clear()
        self.contents.clear()
        self.files.clear()


def pack_files(
    domain: Domain,
    request: PackRequest,
    batches: Sequence[Batch],
    discarded: Mapping[str, int],
    unused: Mapping[str, str] = MappingProxyType({}),
    written: Written | None = None,
) -> dict[str, bytes]:
    """Every file of the pack by path: `pack.toml`, `public/…`, `gold/…`; bytes depend on the arguments alone.

    Args:
        unused: Why no task uses a tool.
        written: Files of tasks as they were written before, of other packs of the same domain; is added to.
    """
    written = Written() if written is None else written
    public: dict[str, bytes] = {}
    gold: dict[str, bytes] = {}
    for batch in batches:
        public[f"public/worlds/{batch.world}.jsonl"] = _world(batch.state, written)
        for place, draft in enumerate(batch.drafts):
            name = task_id(domain, request, batch.first + place)
            twin = "" if draft.twin is None else task_id(domain, request, batch.first + draft.twin)
            at = (name, twin, batch.world, id(draft), id(batch.state))
            if at not in written.files:
                shown, judged = _contents(domain, batch, draft, written)
                written.files[at] = _json({**shown, "task": name, "world": batch.world}), _json({**judged, "task": name, "twin": twin})
            public[f"public/{name}.json"], gold[f"gold/{name}.json"] = written.files[at]
    gold["gold/manifest.json"] = _json({path: _sha(data) for path, data in sorted(gold.items())})
    manifest = _manifest(domain, request, batches, discarded, unused, public)
    return {"pack.toml": manifest, **public, **gold}


def _contents(domain: Domain, batch: Batch, draft: Draft, written: Written) -> tuple[dict[str, Any], dict[str, Any]]:
    """What the two files of a task hold, but for the names of tasks and of the world."""
    place = (id(draft), id(batch.state))
    if place not in written.contents:
        shown, judged = (one.model_dump(mode="json", by_alias=True) for one in (_public(domain, draft), _gold(domain, draft, batch.state)))
        written.contents[place] = (draft, batch.state, shown, judged)
    return written.contents[place][2:]


def pack_id(domain: Domain, request: PackRequest) -> str:
    """`vet_clinic-test-0`; one for chosen kinds or levels says so with a few letters more."""
    plain = f"{domain.id}-{request.split}-{request.seed}"
    chosen = (request.kinds, request.levels, *((request.reworded_by,) if request.reworded_by else ()))
    if chosen == (MIX, tuple(sorted(LEVELS))):
        return plain
    return f"{plain}-{_sha(repr(chosen).encode())[:6]}"


def task_id(domain: Domain, request: PackRequest, number: int) -> str:
    """`vet_clinic-3f9a01c2`: says nothing of what the task is."""
    pack = pack_id(domain, request).removeprefix(f"{domain.id}-").replace("-", ":")
    return f"{domain.id}-{_sha(f'{domain.sha256}:{pack}:{number}'.encode())[:8]}"


def _public(domain: Domain, draft: Draft) -> TaskPublic:
    return TaskPublic(
        task="",
        environment=domain.id,
        instruction=draft.instruction,
        world="",
        patch=draft.patch,
        multi_turn=draft.kind == "multi-turn",
        held_back=draft.held_back,
    )


def _gold(domain: Domain, draft: Draft, state: State) -> Gold:
    return Gold(
        task="",
        kind=draft.kind,
        level=level(domain, draft),
        calls=draft.calls,
        outcome=draft.outcome,
        accepted=draft.accepted,
        answer=draft.answer,
        declined=draft.declined,
        facts=dict(draft.facts),
        tools=draft.tools,
        style=draft.style,
        user=draft.user,
        proofs=proofs(domain, state, draft),
    )


def _world(state: State, written: Written) -> bytes:
    held = written.worlds.get(id(state))
    if held is None:
        lines = [orjson.dumps([table, row], option=orjson.OPT_SORT_KEYS) for table, row in state.world_rows()]
        held = written.worlds[id(state)] = state, b"\n".join(lines) + b"\n"  # `state` is kept, so that its id stays its own
    return held[1]


def _json(value: object) -> bytes:
    return orjson.dumps(value, option=orjson.OPT_SORT_KEYS | orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE)


def _sha(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def _manifest(
    domain: Domain,
    request: PackRequest,
    batches: Sequence[Batch],
    discarded: Mapping[str, int],
    unused: Mapping[str, str],
    public: Mapping[str, bytes],
) -> bytes:
    used = {tool for batch in batches for draft in batch.drafts for tool in draft.tools}
    lines = [
        f'format = "{FORMAT}"',
        f'id = "{pack_id(domain, request)}"',
        f'environment = "{domain.id}"',
        f'environment_digest = "{request.environment_digest}"',
        f'split = "{request.split}"',
        f'generator = "{GENERATOR}"',
        f"seed = {request.seed}",
        f"asked = {request.asked}",
        f"tasks = {sum(len(batch.drafts) for batch in batches)}",
        f"unused_tools = {json.dumps([tool.name for tool in domain.tools if tool.name not in used])}",
        "",
        "[discarded]",
        *(f'"{reason}" = {number}' for reason, number in sorted(discarded.items())),
        "",
        "[unused]",
        *(f"{name} = {json.dumps(reason)}" for name, reason in sorted(unused.items()) if name not in used),
        "",
        "[public]",
        *(f'"{path}" = "{_sha(data)}"' for path, data in sorted(public.items())),
    ]
    return ("\n".join(lines) + "\n").encode()
