"""Every module can be the first one imported, whatever the order in which commands import them."""

import subprocess
import sys
from functools import cache
from pathlib import Path

import networkx as nx
import pytest

from server.cli.main import COMMANDS
from tests.import_graph import imported, lazily, modules

ROOT = Path(__file__).resolve().parents[3]
KNOWN = modules(ROOT)


@cache
def graph() -> "nx.DiGraph[str]":
    return nx.DiGraph((name, target) for name, path in KNOWN.items() for target in imported(name, path, KNOWN))


def test_no_module_waits_for_itself_so_that_each_can_be_the_first_one_imported():
    circles = [sorted(one) for one in nx.strongly_connected_components(graph()) if len(one) > 1]
    assert circles == []


def test_the_graph_of_imports_knows_every_package():
    assert {"registry.store.protocol", "server.cli.backup", "synth.build", "evals.session", "envfarm.client"} <= set(graph())
    assert "registry.store.choose" in lazily(KNOWN["server.cli.backup"], "server.cli.backup", KNOWN)


def first_imported(words: list[str]) -> str:
    done = subprocess.run(
        [sys.executable, "-m", "tests.first_imported"], input="\n".join(words), cwd=ROOT, capture_output=True, text=True, timeout=1000, check=True
    )
    return done.stdout


def test_what_restore_imports_at_last_can_be_imported_first():
    subprocess.run([sys.executable, "-c", "import registry.store.choose"], cwd=ROOT, check=True)


@pytest.mark.every_domain
@pytest.mark.parametrize("package", ["registry", "server", "synth", "evals", "envfarm"])
def test_every_module_can_be_the_first_one_imported(package):
    words = [name for name in KNOWN if name.partition(".")[0] == package]
    assert first_imported([*words, "no_such_module"]) == "no_such_module: ModuleNotFoundError: No module named 'no_such_module'\n"


@pytest.mark.every_domain
def test_every_command_can_import_what_it_imports_late_in_a_fresh_process_each_alone_and_all_in_order():
    words = []
    for module in sorted({row.module for row in COMMANDS.values()}):
        late = lazily(KNOWN[module], module, KNOWN)
        words += [*(f"{module}+{one}" for one in late), "+".join([module, *late])]
    assert first_imported(words) == ""
