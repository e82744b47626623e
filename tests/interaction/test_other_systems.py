"""`envfarm stdio` on systems that are not this one: nothing that only POSIX or Linux has is needed, and every library it uses is installed there."""

import ast
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from packaging.markers import Marker
from packaging.requirements import Requirement

from server.cli.bundle_files import dependencies
from tests.interaction.wire_lines import INITIALIZED, add_note, initialize, modern, variables
from tests.unit.registry.small_package import write_package

ROOT = Path(__file__).resolve().parents[2]
SYSTEMS = {
    "windows": {"sys_platform": "win32", "platform_system": "Windows", "os_name": "nt", "platform_machine": "AMD64"},
    "macos": {"sys_platform": "darwin", "platform_system": "Darwin", "os_name": "posix", "platform_machine": "arm64"},
    "linux": {"sys_platform": "linux", "platform_system": "Linux", "os_name": "posix", "platform_machine": "x86_64"},
}
ABSENT = ("uvloop", "fcntl", "resource", "termios", "tty", "pty", "pwd", "grp", "syslog", "posixshmem")
NOT_IN_OS = ("fork", "forkpty", "register_at_fork", "setsid", "pidfd_open", "posix_spawn", "eventfd", "sched_getaffinity")
START = f"""
import importlib.metadata, json, os, sys

sys.modules["uvloop"] = None
for name in {NOT_IN_OS!r}:
    if hasattr(os, name):
        delattr(os, name)
leave = os._exit

def tell(code):
    known = importlib.metadata.packages_distributions()
    roots = {{name.partition(".")[0] for name, one in sys.modules.items() if one is not None}}
    ours = sorted(one.__file__ for name, one in sys.modules.items() if name.partition(".")[0] in ("registry", "server") and one.__file__)
    told = [[known[root] for root in sorted(roots) if root in known], ours]
    print(json.dumps(told), file=sys.stderr, flush=True)
    leave(code)

os._exit = tell
from server.cli.main import main
sys.argv = ["envfarm", "stdio", "small"]
main()
"""


@pytest.fixture(scope="module")
def served(tmp_path_factory):
    """What a process without POSIX answered; the distributions, and the files of ours, that it had imported at its end."""
    home = tmp_path_factory.mktemp("home")
    write_package(home / "environments", "small")
    lines = [modern(1, "server/discover"), initialize(2), INITIALIZED, add_note(3, "served"), modern(4, "tools/list")]
    text = "".join(f"{json.dumps(line)}\n" for line in lines)
    done = subprocess.run([sys.executable, "-c", START], input=text, capture_output=True, text=True, timeout=60, env=variables(home), check=False)
    assert done.returncode == 0, done.stderr
    answers = {answer["id"]: answer for answer in map(json.loads, done.stdout.splitlines())}
    return answers, *json.loads(done.stderr.splitlines()[-1])


def test_it_serves_both_eras_without_posix(served):
    answers, *_ = served
    assert sorted(answers) == [1, 2, 3, 4]
    assert answers[3]["result"]["structuredContent"]["text"] == "served"


def test_no_module_of_ours_imports_what_only_posix_has_unless_it_has_looked_where_it_is(served):
    *_, files = served
    assert len(files) > 20
    for file in files:
        tree = ast.parse(Path(file).read_text(encoding="utf-8"))
        names = {alias.name for node in tree.body if isinstance(node, ast.Import) for alias in node.names}
        names |= {node.module for node in tree.body if isinstance(node, ast.ImportFrom)}
        assert not names & set(ABSENT), file
        used = {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute) and ast.unparse(node.value) == "os"}
        assert not used & {*NOT_IN_OS, "getuid", "geteuid", "getgid"}, file


@pytest.mark.parametrize("system", SYSTEMS)
def test_every_library_that_it_imports_is_installed_on_every_system(served, system):
    _, distributions, _ = served
    names = [{normal(one) for one in given} for given in distributions]  # several share a namespace
    assert {"mcp", "apsw", "orjson", "jsonschema-rs"} <= set().union(*names)
    known = locked(system) | {"envfarm", "setuptools"}  # the last by a .pth file of the interpreter
    assert [given for given in names if not given & known] == []


@pytest.mark.parametrize("system", SYSTEMS)
def test_dependencies_that_are_not_there_everywhere_say_so(system):
    left_out = [one.name for one in map(Requirement, dependencies()) if one.marker is not None and not one.marker.evaluate(environment(system))]
    assert left_out == (["uvloop"] if system == "windows" else [])


def locked(system):
    """Names in requirements.lock that this system installs."""
    found = set()
    for name, marker in re.findall(r"^([A-Za-z0-9._-]+)==\S+(?: ; (.*?))? \\$", (ROOT / "requirements.lock").read_text(), re.MULTILINE):
        if not marker or Marker(marker).evaluate(environment(system)):
            found.add(normal(name))
    return found


def environment(system):
    return {**SYSTEMS[system], "python_version": "3.12", "python_full_version": "3.12.1", "implementation_name": "cpython", "extra": ""}


def normal(name):
    return re.sub(r"[-_.]+", "-", name).lower()
