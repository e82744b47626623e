"""The files of a task pack."""

import hashlib
import json
from collections.abc import Mapping
from typing import Literal

from registry.package.manifest import FORMAT
from registry.package.pack import Gold, TaskPublic
from synth.lang.domain import Domain
from synth.reference.state import State
from synth.tasks.draft import Draft
from synth.tasks.level import level
from synth.tasks.proofs import proofs
from synth.version import GENERATOR

Split = Literal["train", "val", "test"]


def pack_files(
    domain: Domain,
    environment_digest: str,
    world: str,
    state: State,
    drafts: tuple[Draft, ...],
    split: Split,
    seed: int,
    asked: int,
    discarded: Mapping[str, int],
) -> dict[str, bytes]:
    """Every file of the pack by path: `pack.toml`, `public/…`, `gold/…`; bytes depend on the arguments alone."""
    public: dict[str, bytes] = {f"public/worlds/{world}.jsonl": _world(state)}
    gold: dict[str, bytes] = {}
    for number, draft in enumerate(drafts):
        name = task_id(domain, split, seed, number)
        twin = "" if draft.twin is None else task_id(domain, split, seed, draft.twin)
        public[f"public/{name}.json"] = _json(_public(domain, name, world, draft).model_dump(mode="json", by_alias=True))
        gold[f"gold/{name}.json"] = _json(_gold(domain, name, draft, twin, state).model_dump(mode="json", by_alias=True))
    gold["gold/manifest.json"] = _json({path: _sha(data) for path, data in sorted(gold.items())})
    manifest = _manifest(domain, environment_digest, split, seed, (asked, len(drafts)), discarded, public)
    return {"pack.toml": manifest, **public, **gold}


def task_id(domain: Domain, split: str, seed: int, number: int) -> str:
    """`vet_clinic-3f9a01c2`: says nothing of what the task is."""
    return f"{domain.id}-{_sha(f'{domain.sha256}:{split}:{seed}:{number}'.encode())[:8]}"


def _public(domain: Domain, name: str, world: str, draft: Draft) -> TaskPublic:
    return TaskPublic(
        task=name,
        environment=domain.id,
        instruction=draft.instruction,
        world=world,
        patch=draft.patch,
        multi_turn=draft.kind == "multi-turn",
        held_back=draft.held_back,
    )


def _gold(domain: Domain, name: str, draft: Draft, twin: str, state: State) -> Gold:
    return Gold(
        task=name,
        kind=draft.kind,
        level=level(domain, draft),
        calls=draft.calls,
        outcome=draft.outcome,
        accepted=draft.accepted,
        answer=draft.answer,
        declined=draft.declined,
        facts=dict(draft.facts),
        tools=draft.tools,
        twin=twin,
        style=draft.style,
        user=draft.user,
        proofs=proofs(domain, state, draft),
    )


def _world(state: State) -> bytes:
    lines = [json.dumps([table, row], ensure_ascii=False, sort_keys=True) for table, row in state.world_rows()]
    return ("\n".join(lines) + "\n").encode()


def _json(value: object) -> bytes:
    return (json.dumps(value, ensure_ascii=False, sort_keys=True, indent=1) + "\n").encode()


def _sha(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def _manifest(
    domain: Domain, digest: str, split: str, seed: int, counts: tuple[int, int], discarded: Mapping[str, int], public: Mapping[str, bytes]
) -> bytes:
    pack = f"{domain.id}-{split}-{seed}"
    lines = [
        f'format = "{FORMAT}"',
        f'id = "{pack}"',
        f'environment = "{domain.id}"',
        f'environment_digest = "{digest}"',
        f'split = "{split}"',
        f'generator = "{GENERATOR}"',
        f"seed = {seed}",
        f"asked = {counts[0]}",
        f"tasks = {counts[1]}",
        "",
        "[discarded]",
        *(f'"{reason}" = {number}' for reason, number in sorted(discarded.items())),
        "",
        "[public]",
        *(f'"{path}" = "{_sha(data)}"' for path, data in sorted(public.items())),
    ]
    return ("\n".join(lines) + "\n").encode()
