"""Compiles small seeds and runs their tools on a SQLite store."""

import re
import textwrap
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

from registry.modules import PackageModules
from registry.package import runtime as rt
from registry.package.digest import file_digest
from synth.compile.package import compile_package
from synth.lang.domain import Domain
from synth.seed.read import read_seed
from tests.unit.package.sqlite_store import SqliteStore

ROOT = Path(__file__).parents[3]
HEAD = """\
format: "1"
id: tiny
title: Tiny
about: A tiny domain.
now: "2026-03-02T08:00:00"
"""


def domain_of(folder: Path, text: str, *, head: str = HEAD) -> Domain:
    """A seed given as text, after the usual first lines."""
    path = folder / "tiny.yaml"
    path.write_text(head + textwrap.dedent(text), encoding="utf-8")
    return read_seed(path)


def asked(tools: str) -> str:
    """The tools with a wording each, in which every parameter has its slot."""
    lines = []
    for line in tools.splitlines():
        head = re.fullmatch(r"  def (\w+)\((.*)\):", line)
        if head:
            slots = " ".join(f"{{{name}}}" for name in re.findall(r"(\w+): ", head[2]))
            lines.append(f'  @asked("{head[1]} {slots}")')
        lines.append(line)
    return "\n".join(lines) + "\n"


@dataclass
class Built:
    """A compiled package and a store with its tables."""

    domain: Domain
    files: dict[str, bytes]
    rows: ModuleType
    tools: ModuleType
    checks: ModuleType
    store: SqliteStore

    @property
    def ctx(self) -> rt.ToolContext:
        return rt.ToolContext(self.store, self.rows.SCHEMA)

    def add(self, entity: str, **values: Any) -> Any:
        """Adds a row by the runtime."""
        return self.ctx.insert(getattr(self.rows, entity), **values)

    def call(self, tool: str, **values: Any) -> Any:
        """JSON of the result of a tool; values are passed as they are."""
        ctx = self.ctx
        bound = {name: type(one)(ctx, one.id) if isinstance(one, rt.Row) else one for name, one in values.items()}
        return rt.dump(getattr(self.tools, tool)(ctx, **bound))

    def refusal(self, tool: str, **values: Any) -> tuple[str, str, tuple[str, ...]]:
        """Code, sentence and evidence of a refused call."""
        try:
            self.call(tool, **values)
        except rt.ToolRefusal as refusal:
            return refusal.code, refusal.sentence, refusal.evidence
        raise AssertionError(f"{tool} was not refused")

    def broken(self, tool: str, **arguments: Any) -> list[tuple[str, tuple[str, ...], bool]]:
        """Rules that a call would break; what was tried out is undone."""
        self.store.db.execute("SAVEPOINT trial")
        try:
            return [(one.code, one.evidence, one.enforced) for one in self.checks.broken(self.ctx, tool, arguments)]
        finally:
            self.store.db.execute("ROLLBACK TO trial")


def build(domain: Domain) -> Built:
    """The compiled package of a domain, loaded, with empty tables."""
    files = compile_package(domain, ())
    package = PackageModules(f"built_{file_digest(files['env.toml'])[:20]}")
    loaded = {name: package.load(name, files[f"{name}.py"], f"{domain.id}/{name}.py") for name in ("rows", "tools", "checks")}
    store = SqliteStore(files["schema.sql"].decode(), now=domain.now)
    return Built(domain=domain, files=files, store=store, **loaded)
