"""A resolved seed and its world to all files of an environment package."""

import hashlib
import io
import json
from collections.abc import Iterable
from typing import Any

from registry.package.manifest import FORMAT
from synth.compile.checks_py import checks_module
from synth.compile.graph_json import graph_object
from synth.compile.meta_json import package_meta
from synth.compile.models_py import models_module
from synth.compile.names import Names
from synth.compile.policy_md import policy_md
from synth.compile.readme_md import readme_md
from synth.compile.rows_py import rows_module
from synth.compile.schema_sql import schema_sql
from synth.compile.tables import table_forms
from synth.compile.tools_json import tool_objects
from synth.compile.tools_py import tools_module
from synth.compile.world_file import WorldNotes, WorldRow, write_world
from synth.lang.domain import Domain
from synth.version import GENERATOR

WORLD = "worlds/0.jsonl"


def compile_package(domain: Domain, world_rows: Iterable[WorldRow], graph: Any = None) -> dict[str, bytes]:
    """All files of the package but quality.json, by their names inside it.

    Args:
        domain: The resolved seed.
        world_rows: World 0 in stored form, in any order.
        graph: Content of graph.json; the least that can be said if not given.
    """
    file = io.BytesIO()
    notes = write_world(file, ordered(domain, world_rows))
    return dict(sorted({**package_texts(domain, notes, graph), WORLD: file.getvalue()}.items()))


def package_texts(domain: Domain, world: WorldNotes, graph: Any = None) -> dict[str, bytes]:
    """The files of the package but quality.json and the world, which is written already.

    Args:
        graph: As of `compile_package`.
    """
    names = Names(domain)
    texts = {
        "seed.yaml": domain.source,
        "models.py": models_module(domain, names),
        "schema.sql": schema_sql(domain),
        "rows.py": rows_module(domain, names),
        "tools.py": tools_module(domain, names),
        "tools.json": _json(tool_objects(domain)),
        "meta.json": _json(package_meta(domain, names).model_dump(mode="json", exclude_defaults=True)),
        "checks.py": checks_module(domain, names),
        "policy.md": policy_md(domain),
        "graph.json": _json(graph_object(domain) if graph is None else graph),
        "README.md": readme_md(domain, world),
    }
    files = {name: text.encode() for name, text in texts.items()}
    digests = {WORLD: world.sha256, **{name: hashlib.sha256(content).hexdigest() for name, content in files.items()}}
    files["env.toml"] = _manifest(domain, digests, {"0": world.digest})
    return files


def ordered(domain: Domain, rows: Iterable[WorldRow]) -> tuple[WorldRow, ...]:
    """Rows by table (in the order of the seed), then key; their columns in the order of the table."""
    forms = table_forms(domain)
    place = {table.name: number for number, table in enumerate(forms)}
    columns = {table.name: ("id", *(one.name for one in table.columns)) for table in forms}
    made = [(table, {name: values[name] for name in columns[table]}) for table, values in rows]
    return tuple(sorted(made, key=lambda row: (place[row[0]], str(row[1]["id"]))))


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, indent=1, sort_keys=False) + "\n"


def _manifest(domain: Domain, digests: dict[str, str], worlds: dict[str, str]) -> bytes:
    lines = [
        f"format = {_toml(FORMAT)}",
        f"id = {_toml(domain.id)}",
        f"title = {_toml(domain.title)}",
        f"generator = {_toml(GENERATOR)}",
        f"seed_sha256 = {_toml(domain.sha256)}",
        "",
        "[files]",
        *(f"{_toml(name)} = {_toml(digest)}" for name, digest in sorted(digests.items())),
        "",
        "[worlds]",
        *(f"{_toml(name)} = {_toml(digest)}" for name, digest in sorted(worlds.items())),
    ]
    return ("\n".join(lines) + "\n").encode()


def _toml(value: str) -> str:
    """A basic string of TOML."""
    return '"' + "".join(_toml_letter(letter) for letter in value) + '"'


def _toml_letter(letter: str) -> str:
    if letter in '"\\':
        return f"\\{letter}"
    return letter if letter >= " " and letter != "\x7f" else f"\\u{ord(letter):04x}"
