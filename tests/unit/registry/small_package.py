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
from types import SimpleNamespace
from registry.package.errors import ToolRefusal
import datetime, fractions

class Row:
    def __init__(self, ctx, id):
        self.ctx, self.id = ctx, id
    def __getattr__(self, name):
        columns = type(self).columns
        return self.ctx.store.read(type(self).__name__, self.id)[columns.index(name)]

class Owner(Row):
    columns = ("id", "name", "plan", "credit", "moved")

class Note(Row):
    columns = ("id", "owner_id", "text", "due", "made_at")

class ToolContext:
    def __init__(self, store):
        self.store = store
        self.now = store.now
    def get(self, cls, key):
        if self.store.read(cls.__name__, key) is None:
            raise ToolRefusal("NOT_FOUND", f"There is no {cls.__name__.lower()} {key}.")
        return cls(self, key)

def dump(value):
    if isinstance(value, Row):
        return dict(zip(type(value).columns, value.ctx.store.read(type(value).__name__, value.id)))
    if isinstance(value, list):
        return {"items": [dump(one) for one in value]}
    return {"ok": True} if value is None else {"result": value}

rt = SimpleNamespace(ToolContext=ToolContext, dump=dump)
"""

TOOLS = """
from .rows import Note, Owner, rt
from registry.package.errors import ToolRefusal

def search_owners(ctx, name=""):
    rows = ctx.store.select("Owner", 'instr("name", ?) > 0', (name,))
    return [Owner(ctx, row[0]) for row in rows]

def rename_owner(ctx, owner, name):
    ctx.store.update("Owner", owner.id, {"name": name, "moved": owner.moved + 1})
    return owner

def add_credit(ctx, owner, amount):
    ctx.store.update("Owner", owner.id, {"credit": int(owner.credit + amount * 100)})
    if owner.credit < 0:
        raise ToolRefusal("OVERDRAWN", f"The credit of {owner.name} would be {owner.credit}.", (owner.id,))
    return owner

def multiply_credit(ctx, owner, by):
    ctx.store.update("Owner", owner.id, {"credit": owner.credit * by})
    return owner

def add_note(ctx, owner, text, due=None):
    number = ctx.store.next_number("Note", owner.id)
    key = f"{owner.id}-N{number}"
    ctx.store.insert("Note", key, {"owner_id": owner.id, "text": text, "due": due and due.isoformat(), "made_at": ctx.now.isoformat()})
    if text == "refuse me":
        raise ToolRefusal("RUDE", "Such a note is not kept.")
    return Note(ctx, key)

def remove_notes(ctx, notes):
    for note in notes:
        ctx.store.delete("Note", note.id)

def fill(ctx, count):
    for number in range(count):
        add_note(ctx, Owner(ctx, "OWN-1"), "x" * 1000)
    return [Note(ctx, row[0]) for row in ctx.store.select("Note")]

def break_down(ctx, how):
    ctx.store.update("Owner", "OWN-1", {"name": "broken"})
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
