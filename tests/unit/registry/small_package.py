"""A hand-written environment package: two tables, and tools that do each thing an engine must survive."""

import json
from pathlib import Path

from registry.package.digest import file_digest, state_digest, world_line

SCHEMA = """
CREATE TABLE "Owner" ("id" TEXT NOT NULL PRIMARY KEY, "name" TEXT NOT NULL, "plan" TEXT NOT NULL, "credit" INTEGER NOT NULL,
  "moved" INTEGER NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE "Note" ("id" TEXT NOT NULL PRIMARY KEY, "owner_id" TEXT NOT NULL, "text" TEXT NOT NULL, "due" TEXT, "made_at" TEXT NOT NULL)
  STRICT, WITHOUT ROWID;
CREATE INDEX "Note_owner_id" ON "Note" ("owner_id");
"""

ROWS = """
import datetime as dt

from registry.package import runtime as rt


class Owner(rt.Row):
    _about = rt.About(plural="Owners", id="OWN-{n}")
    name = rt.text()
    plan = rt.text()
    credit = rt.scalar(rt.number_kind(2))
    moved = rt.integer(start=0)


class Note(rt.Row):
    _about = rt.About(plural="Notes", id="{parent}-N{n}", per="owner")
    owner = rt.ref("Owner")
    text = rt.text()
    due = rt.optional_scalar(rt.DATE)
    made_at = rt.scalar(rt.DATETIME)


SCHEMA = rt.Schema(Owner, Note)
"""

TOOLS = """
from registry.package import runtime as rt

from .rows import Note, Owner


def search_owners(ctx, name=""):
    return [owner for owner in ctx.all(Owner) if name in owner.name]


def rename_owner(ctx, owner, name):
    ctx.update(owner, name=name, moved=owner.moved + 1)
    return owner


def add_credit(ctx, owner, amount):
    ctx.update(owner, credit=owner.credit + amount)
    ctx.require(owner.credit >= 0, "OVERDRAWN", f"The credit of {owner.name} would be overdrawn.", owner)
    return owner


def multiply_credit(ctx, owner, by):
    ctx.update(owner, credit=owner.credit * by)
    return owner


def add_note(ctx, owner, text, due=None):
    made = ctx.insert(Note, owner=owner, text=text, due=due, made_at=ctx.now)
    ctx.require(text != "refuse me", "RUDE", "Such a note is not kept.")
    return made


def postpone(ctx, note, days=rt.UNSET):
    ctx.patch(note, due=days if isinstance(days, rt.Unset) else ctx.today + rt.days(days))
    return note


def remove_notes(ctx, notes):
    for note in notes:
        ctx.delete(note)
    return rt.DONE


def fill(ctx, count):
    for _ in range(count):
        add_note(ctx, ctx.get(Owner, "OWN-1"), "x" * 1000)
    return ctx.all(Note)


def break_down(ctx, how):
    ctx.update(ctx.get(Owner, "OWN-1"), name="broken")
    if how == "loop":
        while True:
            ctx.store.step()
    if how == "recurse":
        return break_down(ctx, how)
    raise KeyError(how)
"""

OWNERS = [("OWN-1", "Ruth Moore", "none", 1000, 0), ("OWN-2", "Ann Lee", "premium", 0, 2), ("OWN-3", "Käthe Öst", "basic", 50, 0)]
NOTES = [
    ("OWN-1-N1", "OWN-1", "calls in the morning", None, "2026-03-01T08:00:00"),
    ("OWN-2-N4", "OWN-2", "pays late", "2026-04-01", "2026-03-01T09:00:00"),
]


def _column(name, kind, match="exact", **more):
    return {"name": name, "kind": kind, "match": match, **more}


def _parameter(name, kind, *, argument=None, required=True, **more):
    return {"name": name, "argument": argument or name, "kind": kind, "required": required, **more}


TABLES = [
    {
        "name": "Owner",
        "plural": "Owners",
        "id_kind": "counter",
        "id_pattern": "OWN-{n}",
        "columns": [
            _column("id", "text", "exempt", generated=True),
            _column("name", "text", "text"),
            _column("plan", "enum", words=["none", "basic", "premium"]),
            _column("credit", "money", places=2),
            _column("moved", "integer", "exempt", history=True),
        ],
    },
    {
        "name": "Note",
        "plural": "Notes",
        "id_kind": "counter",
        "id_pattern": "{parent}-N{n}",
        "id_per": "owner",
        "columns": [
            _column("id", "text", "exempt", generated=True),
            _column("owner_id", "reference", references=["Owner"]),
            _column("text", "text", "text"),
            _column("due", "date", optional=True),
            _column("made_at", "datetime", "exempt"),
        ],
    },
]
OWNER = _parameter("owner", "row", argument="owner_id", tables=["Owner"])
PARAMETERS = {
    "search_owners": [_parameter("name", "text", required=False)],
    "rename_owner": [OWNER, _parameter("name", "text")],
    "add_credit": [OWNER, _parameter("amount", "money", places=2)],
    "multiply_credit": [OWNER, _parameter("by", "integer")],
    "add_note": [OWNER, _parameter("text", "text"), _parameter("due", "date", required=False, optional=True)],
    "postpone": [_parameter("note", "row", argument="note_id", tables=["Note"]), _parameter("days", "integer", required=False, unset=True)],
    "remove_notes": [_parameter("notes", "rows", argument="note_ids", tables=["Note"])],
    "fill": [_parameter("count", "integer")],
    "break_down": [_parameter("how", "enum")],
}
ID = {"type": "string", "pattern": "^OWN-[0-9]+$"}
PROPERTIES = {
    "search_owners": {"name": {"type": "string", "maxLength": 200}},
    "rename_owner": {"owner_id": ID, "name": {"type": "string", "maxLength": 200}},
    "add_credit": {"owner_id": ID, "amount": {"type": "number"}},
    "multiply_credit": {"owner_id": ID, "by": {"type": "integer"}},
    "add_note": {"owner_id": ID, "text": {"type": "string"}, "due": {"type": ["string", "null"]}},
    "postpone": {"note_id": {"type": "string"}, "days": {"type": "integer"}},
    "remove_notes": {"note_ids": {"type": "array", "items": {"type": "string"}}},
    "fill": {"count": {"type": "integer", "minimum": 0}},
    "break_down": {"how": {"type": "string", "enum": ["loop", "recurse", "raise"]}},
}


def world_rows():
    tables = {table["name"]: [column["name"] for column in table["columns"]] for table in TABLES}
    listed = [("Owner", row) for row in OWNERS] + [("Note", row) for row in NOTES]
    return [(table, dict(zip(tables[table], row, strict=True))) for table, row in listed]


def write_package(folder: Path, name: str = "small") -> Path:
    """Writes the package `name` below `folder` and gives its folder."""
    tools = [
        {
            "name": tool,
            "description": tool.replace("_", " "),
            "inputSchema": {
                "type": "object",
                "additionalProperties": False,
                "required": [one["argument"] for one in PARAMETERS[tool] if one["required"]],
                "properties": properties,
            },
        }
        for tool, properties in PROPERTIES.items()
    ]
    meta = {
        "now": "2026-03-02T08:00:00",
        "tables": TABLES,
        "tools": [{"name": tool, "kind": "declared", "read_only": tool.startswith("search"), "parameters": of} for tool, of in PARAMETERS.items()],
    }
    files = {
        "schema.sql": SCHEMA,
        "rows.py": ROWS,
        "tools.py": TOOLS,
        "tools.json": json.dumps(tools),
        "meta.json": json.dumps(meta),
        "policy.md": "# Policy\n\nBe kind.\n",
        "worlds/0.jsonl": b"".join(world_line(table, values) for table, values in world_rows()).decode(),
    }
    home = folder / name
    (home / "worlds").mkdir(parents=True)
    for file, text in files.items():
        (home / file).write_text(text, encoding="utf-8", newline="\n")
    hashes = "".join(f'"{file}" = "{file_digest(text.encode())}"\n' for file, text in files.items())
    head = f'format = "1"\nid = "{name}"\ntitle = "Small"\ngenerator = "0"\nseed_sha256 = ""\n'
    (home / "env.toml").write_text(f'{head}[files]\n{hashes}[worlds]\n"0" = "{state_digest(world_rows())}"\n', encoding="utf-8", newline="\n")
    return home
