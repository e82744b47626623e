"""A hand-written task pack for the hand-written package: one task to do, one question, one to decline."""

import json
from pathlib import Path
from typing import Any

from registry.environment import read_manifest
from registry.package.digest import file_digest, world_line
from tests.unit.registry.small_package import world_rows, write_package

DO, ASK, DECLINE, TALK = "small-do", "small-ask", "small-decline", "small-talk"


def _note(key: str) -> dict[str, Any]:
    values = {"owner_id": "OWN-9", "text": "Pays in cash.", "due": "2026-04-02", "made_at": "2026-03-02T08:00:01"}
    return {"table": "Note", "op": "insert", "key": key, "values": {name: {"from": None, "to": to, "class": "exact"} for name, to in values.items()}}


GOLD: dict[str, dict[str, Any]] = {
    DO: {
        "kind": "do",
        "level": 1,
        "calls": [
            {
                "tool": "search_owners",
                "arguments": {"name": "Zoe Ark"},
                "sources": {"name": {"kind": "span", "start": 4, "end": 11, "text": "Zoe Ark"}},
            },
            {
                "tool": "add_note",
                "arguments": {"owner_id": "$0.items[name=Zoe Ark].id", "text": "Pays in cash.", "due": "2026-04-02"},
                "sources": {"owner_id": {"kind": "result", "call": 0, "path": "items.id"}, "text": {"kind": "span", "start": 0, "end": 1}},
            },
        ],
        "outcome": "done",
        "accepted": [{"changes": [_note("$1")]}],
    },
    ASK: {
        "kind": "answer",
        "level": 2,
        "calls": [{"tool": "search_owners", "arguments": {"name": ""}}],
        "outcome": "answered",
        "accepted": [{"changes": []}],
        "answer": {"kind": "number", "value": "4"},
    },
    DECLINE: {
        "kind": "decline",
        "level": 3,
        "calls": [{"tool": "search_owners", "arguments": {"name": "Ann Lee"}}],
        "outcome": "declined",
        "accepted": [],
        "declined": {
            "tool": "add_credit",
            "arguments": {"owner_id": "OWN-2", "amount": -5},
            "reasons": [{"code": "OVERDRAWN", "required": ["OWN-2"]}],
        },
    },
}
MIND = {
    "topic": "text",
    "asks": ["text"],
    "answer": 'The text: "Pays by card."',
    "then": 'Wait, I have changed my mind about the text: make it "Pays in cash."',
    "asked_again": True,
}
TALK_GOLD: dict[str, Any] = {
    **GOLD[DO],
    "kind": "multi-turn",
    "calls": [
        GOLD[DO]["calls"][0],
        {"tool": "ask_user", "arguments": {"question": "What is the text?"}},
        {"tool": "ask_user", "arguments": {"question": "What is the text now?"}},
        GOLD[DO]["calls"][1],
    ],
}
TALKING = "For Zoe Ark: a note due 2 April. Ask me for the text, and once more before you enter it."
NOTHING_MORE: dict[str, dict[str, Any]] = {}
ZOE = {"id": "OWN-9", "name": "Zoe Ark", "plan": "none", "credit": 700, "moved": 0}
INSTRUCTIONS = {
    DO: "For Zoe Ark: pays in cash, due 2 April.",
    ASK: "How many owners are there?",
    DECLINE: "Take 5 off Ann Lee's credit.",
}


def write_home(home: Path) -> Path:
    """The package and its pack below `home`."""
    package = write_package(home / "environments")
    write_pack(home / "packs" / "small-test-1", read_manifest(package)[1])
    return home


def write_talk(home: Path) -> None:
    """A second pack, of one task whose user changes their mind."""
    digest = read_manifest(home / "environments" / "small")[1]
    write_pack(home / "packs" / "small-test-2", digest, {TALK: TALK_GOLD}, {TALK: {"instruction": TALKING, "multi_turn": True, "held_back": [MIND]}})


def write_pack(
    folder: Path, environment_digest: str, tasks: dict[str, dict[str, Any]] = GOLD, more: dict[str, dict[str, Any]] = NOTHING_MORE
) -> None:
    """The pack of these tasks, for an environment of that digest."""
    public = {"public/worlds/1.jsonl": b"".join(world_line(table, values) for table, values in world_rows())}
    gold = {}
    for task, judged in tasks.items():
        shown = {
            "task": task,
            "environment": "small",
            "instruction": INSTRUCTIONS.get(task, ""),
            "world": "1",
            "call_limit": 20,
            **more.get(task, {}),
        }
        public[f"public/{task}.json"] = json.dumps({**shown, "patch": [["Owner", "OWN-9", ZOE], ["Note", "OWN-1-N1", None]]}).encode()
        gold[f"gold/{task}.json"] = json.dumps({"task": task, **judged}).encode()
    gold["gold/manifest.json"] = json.dumps({name: file_digest(data) for name, data in gold.items()}).encode()
    hashes = "".join(f'"{name}" = "{file_digest(data)}"\n' for name, data in public.items())
    head = f'format = "1"\nid = "{folder.name}"\nenvironment = "small"\nenvironment_digest = "{environment_digest}"\nsplit = "test"\n'
    files = {
        "pack.toml": f'{head}generator = "0"\nseed = 1\nasked = {len(tasks)}\ntasks = {len(tasks)}\n[public]\n{hashes}'.encode(),
        **public,
        **gold,
    }
    for name, data in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(data)
