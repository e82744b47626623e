"""One environment package, read and hash-checked."""

import io
import json
import tomllib
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

import orjson
from pydantic import ValidationError

from registry.instructions import summarize
from registry.modules import PackageModules
from registry.package.digest import file_digest
from registry.package.errors import PackageError
from registry.package.manifest import FORMAT, EnvManifest
from registry.package.meta import Meta
from registry.package.pack import WorldRow
from registry.template import PatchedRow, Template, TemplateCache, build_template, near_template

MANIFEST = "env.toml"
_OBJECT = {"type": "object"}


def read_manifest(folder: Path) -> tuple[EnvManifest, str]:
    """The manifest of a package and the digest of the environment; no other file is read.

    Raises:
        PackageError: There is none, it cannot be read, or its format is unknown.
    """
    path = folder / MANIFEST
    try:
        content = path.read_bytes()
    except OSError as error:
        raise PackageError(f"{path}: expected a readable manifest, got {type(error).__name__}. Build the package again.") from error
    try:
        table = tomllib.loads(content.decode("utf-8"))
        if table.get("format") != FORMAT:
            raise PackageError(f"{path}: expected format {FORMAT!r}, got {table.get('format')!r}. Build the package with this version of envfarm.")
        return EnvManifest.model_validate(table), file_digest(content)
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, ValidationError) as error:
        raise PackageError(f"{path}: expected a manifest of format {FORMAT}, got {_first_line(error)}. Build the package again.") from error


def _first_line(error: Exception) -> str:
    if isinstance(error, ValidationError):
        first = error.errors()[0]
        return f"field {'.'.join(str(part) for part in first['loc'])!r}: {first['msg']}"
    return str(error).splitlines()[0]


class Environment:
    """A loaded package: everything that serving needs, and nothing of gold.

    Attributes:
        id: Of the environment.
        title: One line.
        digest: sha256 of env.toml; names every byte of the package.
        manifest: As read.
        meta: Kinds and match classes of columns and parameters.
        tools: MCP tool objects of tools.json (the harness tools are added by `registry.dispatch`).
        policy: Text of policy.md.
        instructions: Short text for the client: how to work here and how to decline.
        schema: Text of schema.sql.
        engine: What the episode engine keeps with the environment.
    """

    def __init__(self, folder: Path, templates: TemplateCache) -> None:
        self.manifest, self.digest = read_manifest(folder)
        self._folder = folder
        self._templates = templates
        self._near = ""
        self._files = _checked_files(folder, self.manifest)
        self.id = self.manifest.id
        self.title = self.manifest.title
        self.schema = self._text("schema.sql")
        self.policy = self._text("policy.md")
        self.meta = self._meta()
        self.tools = self._tools()
        self.instructions = summarize(self.title, self.policy, self.meta.tools)
        self._modules = PackageModules(f"envfarm_package_{self.digest[:24]}")
        self.engine: object | None = None

    @property
    def rows(self) -> ModuleType:
        """The module of row classes."""
        return self._module("rows")

    @property
    def functions(self) -> ModuleType:
        """The module of tools; one function per tool."""
        self._module("rows")
        return self._module("tools")

    @property
    def checks(self) -> ModuleType:
        """The module of broken rules; only the grader side may ask for it."""
        self._module("rows")
        self._module("tools")
        return self._module("checks")

    def template(self, world: str = "0") -> bytes:
        """Database bytes of a world that the package carries.

        Raises:
            PackageError: The package has no such world, or its rows do not give the digest that the manifest names.
        """
        return self.world_template(world).database

    def world_template(self, world: str = "0") -> Template:
        """The template of a world that the package carries; kept in the bounded cache."""
        name = f"{self.digest}/{world}"
        found = self._templates.get(name)
        if found is not None:
            return found
        file = f"worlds/{world}.jsonl"
        if file not in self._files:
            raise PackageError(f"world of {self.id}: expected one of {sorted(self.manifest.worlds)}, got {world[:80]!r}. Use a world of the package.")
        made = build_template(self.meta, self.schema, _world_rows(self._files[file], file), f"{self.id}/{file}")
        expected = self.manifest.worlds.get(world)
        if expected != made.digest:
            raise PackageError(f"{self.id}/{file}: expected state digest {expected}, got {made.digest}. Build the package again.")
        return self._templates.put(name, made)

    def scenario_template(self, rows: Iterable[WorldRow], digest: str = "") -> Template:
        """The template of a scenario; kept in the bounded cache under `digest`, if one is given.

        Args:
            rows: All rows in stored form.
            digest: Digest of the scenario's bytes.
        """
        name = f"{self.digest}/scenario/{digest}"
        found = self._templates.get(name) if digest else None
        if found is not None:
            return found
        made = build_template(self.meta, self.schema, rows, f"scenario for {self.id}", self._templates.get(self._near))
        if not digest:
            return made
        if not made.shared:
            self._near = name
        return self._templates.put(name, made)

    def near_template(self, start: Template, patch: Sequence[PatchedRow], digest: str) -> Template:
        """The template of a scenario that differs from another one in a few rows; kept in the bounded cache under `digest`.

        Args:
            start: Of the other scenario.
            patch: Table, id, and the whole row that is there instead; None for no row.
            digest: Digest of the scenario's bytes.
        """
        found = self.held_template(digest)
        if found is not None:
            return found
        made = near_template(self.meta, start, patch, f"scenario for {self.id}")
        return self._templates.put(f"{self.digest}/scenario/{digest}", made)

    def held_template(self, scenario: str) -> Template | None:
        """The template of the scenario with that digest, if it is in the cache."""
        return self._templates.get(f"{self.digest}/scenario/{scenario}")

    def _module(self, name: str) -> ModuleType:
        found = self._modules.get(name)
        if found is not None:
            return found
        file = f"{name}.py"
        source = self._files[file] if file in self._files else _missing(self._folder, file)
        try:
            return self._modules.load(name, source, str(self._folder / file))
        except Exception as error:  # a package from elsewhere may fail in any way when it is first run
            raise PackageError(f"{self._folder / file}: expected a module that loads, got {type(error).__name__}: {error}. Rebuild it.") from error

    def _text(self, file: str) -> str:
        content = self._files[file] if file in self._files else _missing(self._folder, file)
        try:
            return content.decode("utf-8")
        except UnicodeDecodeError as error:
            raise PackageError(f"{self._folder / file}: expected UTF-8, got byte {error.start} that is not. Build the package again.") from error

    def _meta(self) -> Meta:
        try:
            return Meta.model_validate_json(self._text("meta.json"))
        except ValidationError as error:
            raise PackageError(f"{self._folder / 'meta.json'}: expected the format of meta.json, got {_first_line(error)}. Rebuild it.") from error

    def _tools(self) -> tuple[dict[str, Any], ...]:
        where = self._folder / "tools.json"
        try:
            listed = json.loads(self._text("tools.json"))
        except json.JSONDecodeError as error:
            raise PackageError(f"{where}: expected JSON, got an error at line {error.lineno}. Build the package again.") from error
        if isinstance(listed, dict):
            listed = listed.get("tools")
        if not isinstance(listed, list) or not all(isinstance(one, dict) and isinstance(one.get("name"), str) for one in listed):
            raise PackageError(f"{where}: expected a list of tools with names, got something else. Build the package again.")
        for one in listed:
            for schema in ("inputSchema", "outputSchema"):
                found = one.get(schema, _OBJECT)
                if not isinstance(found, dict) or found.get("type") != "object":
                    # One such tool would make clients of the older protocol lose the whole list.
                    raise PackageError(f"{where}: expected {schema} of {one['name']} to be an object's, got another. Build the package again.")
        names = sorted(one["name"] for one in listed)
        known = sorted(tool.name for tool in self.meta.tools)
        if names != known:
            raise PackageError(f"{where}: expected the tools of meta.json ({len(known)}), got {len(names)} of other names. Build the package again.")
        return tuple(listed)


def _missing(folder: Path, file: str) -> bytes:
    raise PackageError(f"{folder / file}: expected this file listed in {MANIFEST}, got none. Build the package again.")


def _checked_files(folder: Path, manifest: EnvManifest) -> dict[str, bytes]:
    """Bytes of the files that serving needs, after every listed file was compared with its hash."""
    kept: dict[str, bytes] = {}
    for file, expected in sorted(manifest.files.items()):
        path = folder / file
        if Path(file).is_absolute() or ".." in Path(file).parts:
            raise PackageError(f"{folder / MANIFEST}: expected names of files inside the package, got {file[:80]!r}. Do not use this package.")
        try:
            content = path.read_bytes()
        except OSError as error:
            raise PackageError(f"{path}: expected a readable file, got {type(error).__name__}. Build the package again.") from error
        found = file_digest(content)
        if found != expected:
            raise PackageError(f"{path}: expected sha256 {expected}, got {found}. The file was changed after the build: build the package again.")
        if _serves(file):
            kept[file] = content
    return kept


def _serves(file: str) -> bool:
    return file in {"schema.sql", "policy.md", "meta.json", "tools.json", "rows.py", "tools.py", "checks.py"} or file.startswith("worlds/")


def _world_rows(content: bytes, file: str) -> Iterator[WorldRow]:
    """The rows of a world one by one."""
    try:
        for line in io.BytesIO(content):
            if line.strip():
                table, values = orjson.loads(line)
                yield table, values
    except ValueError as error:
        raise PackageError(
            f"{file}: expected lines of JSON with a table and its values, got {_first_line(error)}. Build the package again."
        ) from error
