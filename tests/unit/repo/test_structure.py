"""The repository's own rules: sizes, names, layering, nothing of one machine."""

import ast
import re
import subprocess
import tomllib
from functools import cache
from itertools import chain
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
PACKAGES = ("seeds", "synth", "registry", "server", "evals", "envfarm")
FORBIDDEN_NAMES = ("utils", "helpers", "common", "misc", "base", "manager", "handler", "processor")
MODULES = sorted(chain.from_iterable((ROOT / package).rglob("*.py") for package in PACKAGES))
LOCKS = sorted(ROOT.glob("requirements*.lock"))

# Which of our packages a part may import directly: the longest prefix that fits a module decides.
ALLOWED = {
    "registry.package": ("registry.package",),
    "registry": ("registry",),
    "seeds": ("seeds",),
    "synth": ("synth", "registry", "seeds"),
    "server": ("server", "registry"),
    "server.cli": ("server", "registry", "synth", "seeds", "evals"),
    "registry.score": ("registry.score", "registry.package"),
    "evals": ("evals", "registry.package", "registry.packs", "registry.plain_http", "registry.extras"),
    "evals.inspect": ("evals", "registry.home", "registry.plain_http"),
    "envfarm": PACKAGES,
}


def dotted(path: Path) -> str:
    return ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


def within(module: str, prefix: str) -> bool:
    return module == prefix or module.startswith(f"{prefix}.")


@cache
def tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def imports(path: Path) -> list[str]:
    found = []
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.Import):
            found += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{dotted(path)} line {node.lineno}: relative import"
            found += [node.module or "", *(f"{node.module}.{alias.name}" for alias in node.names)]
    return found


@cache
def tracked() -> tuple[Path, ...]:
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=False)
    if listed.returncode != 0:
        pytest.skip("not a git checkout, so there is no list of tracked files")
    return tuple(path for name in listed.stdout.split("\0") if name and (path := ROOT / name).is_file())


@cache
def texts() -> list[tuple[str, str]]:
    found = []
    for path in tracked():
        try:
            found.append((str(path.relative_to(ROOT)), path.read_text(encoding="utf-8")))
        except UnicodeDecodeError:
            continue
    return found


def test_there_are_modules_to_look_at():
    assert {dotted(path).split(".")[0] for path in MODULES} == set(PACKAGES)


def test_a_module_is_at_most_500_lines():
    lengths = {dotted(path): path.read_text(encoding="utf-8").count("\n") for path in MODULES}

    assert {module: length for module, length in lengths.items() if length > 500} == {}


def test_a_module_says_what_it_is_for():
    assert [dotted(path) for path in MODULES if not ast.get_docstring(tree(path))] == []


def test_no_module_or_class_has_a_name_that_says_nothing():
    classes = [(dotted(path), node.name) for path in MODULES for node in ast.walk(tree(path)) if isinstance(node, ast.ClassDef)]
    names = [(dotted(path), part) for path in MODULES for part in dotted(path).split(".")] + classes

    assert [(module, name) for module, name in names if name.lower().strip("_") in FORBIDDEN_NAMES] == []


def test_a_module_imports_only_what_its_layer_may():
    assert [(dotted(path), name) for path in MODULES for name in foreign(dotted(path), imports(path))] == []


def foreign(module: str, imported: list[str]) -> list[str]:
    """Imports of ours that the layer of `module` may not have."""
    allowed = ALLOWED[max((prefix for prefix in ALLOWED if within(module, prefix)), key=len)]
    ours = [name for name in imported if name.split(".")[0] in PACKAGES]
    # `from registry import package` names `registry` too, which says nothing by itself.
    return [name for name in ours if not any(within(name, prefix) or (within(prefix, name) and prefix in ours) for prefix in allowed)]


@pytest.mark.parametrize(
    ("module", "imported", "refused"),
    [
        ("registry.package.meta", ["registry.catalogue", "registry.package.pack"], ["registry.catalogue"]),
        ("registry.home", ["server.config", "registry.package"], ["server.config"]),
        ("server.farm", ["synth", "synth.build", "registry.episode"], ["synth", "synth.build"]),
        ("server.cli.build", ["synth", "synth.build"], []),
        ("registry.score.text", ["registry.episode", "server.config", "registry.package.meta"], ["registry.episode", "server.config"]),
        ("synth.build", ["server.config", "envfarm"], ["server.config", "envfarm"]),
        ("server.cli.demo", ["envfarm.client"], ["envfarm.client"]),
    ],
)
def test_the_rule_of_layers_refuses_what_it_should(module, imported, refused):
    assert foreign(module, imported) == refused


def test_the_runtime_never_imports_a_template_engine():
    runtime = [path for path in MODULES if within(dotted(path), "registry") or within(dotted(path), "server")]

    assert [(dotted(path), name) for path in runtime for name in imports(path) if within(name, "jinja2")] == []


def test_no_tracked_file_names_a_path_of_one_machine_or_a_place_outside_the_repository():
    patterns = [f"/{'work'}/", f"/{'root'}/", rf"/{'home'}/\w", rf"/{'Users'}/\w", rf"\.\./{'shared'}\b", rf"\bpyenv{'/'}", rf"C:\\{'Users'}"]
    found = [f"{name}: {match.group()}" for name, text in texts() for match in re.finditer("|".join(patterns), text)]

    assert found == []


def test_no_tracked_file_names_the_host_of_a_package_registry():
    hosts = [
        "pypi" + ".org",
        "pythonhosted" + ".org",
        "registry.npmjs" + ".org",
        "registry.yarnpkg" + ".com",
        "deb.debian" + ".org",
        "snapshot.debian" + ".org",
    ]
    found = [f"{name}: {host}" for name, text in texts() for host in hosts if host in text]

    assert found == []


def test_no_tracked_file_holds_a_credential():
    keys = [
        "-----BEGIN (?:[A-Z]+ )?PRIVATE" + " KEY-----",
        r"\bsk-[A-Za-z0-9_-]{20,}",
        r"\bgh[pousr]_[A-Za-z0-9]{30,}",
        r"\bAKIA[A-Z0-9]{16}\b",
        r"://[^/\s:@{}$<>\"'`]+:[^/\s:@{}$<>\"'`]+@",
    ]
    found = [f"{name}: {match.group()[:40]}" for name, text in texts() for match in re.finditer("|".join(keys), text)]

    assert found == []


@pytest.mark.parametrize("path", LOCKS, ids=lambda path: path.name)
def test_a_lock_file_has_a_hash_for_everything_and_no_address(path):
    text = path.read_text(encoding="utf-8")
    lines = [line for line in text.splitlines() if line and not line.lstrip().startswith("#")]
    pins = [line for line in lines if not line.startswith(" ")]

    assert "://" not in text
    assert pins
    assert [pin for pin in pins if not re.match(r"[\w.\-\[\],]+==\S+ (; .+ )?\\$", pin)] == []
    assert [lines[i] for i in range(len(lines)) if not lines[i].startswith(" ") and "--hash=sha256:" not in lines[i + 1]] == []


def test_the_lock_files_cover_what_pyproject_asks_for():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))

    def names(requirements: list[str | dict[str, str]]) -> set[str]:
        return {normal(re.match(r"[\w.-]+", item).group()) for item in requirements if isinstance(item, str)}

    runtime = names(project["project"]["dependencies"])
    extras = names(list(chain.from_iterable(project["project"]["optional-dependencies"].values())))
    groups = {name: names(items) for name, items in project["dependency-groups"].items()}

    assert runtime - locked("requirements.lock") == set()
    assert (runtime | extras) - locked("requirements-extras.lock") == set()
    assert groups["build"] - locked("requirements-build.lock") == set()
    assert (runtime | groups["build"] | groups["dev"]) - locked("requirements-dev.lock") == set()


def normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def locked(name: str) -> set[str]:
    return {normal(match) for match in re.findall(r"^([\w.\-]+)(?:\[[^\]]*\])?==", (ROOT / name).read_text(encoding="utf-8"), re.MULTILINE)}


def test_package_locks_of_node_have_no_addresses():
    found = [name for name, text in texts() if name.endswith("package-lock.json") and '"resolved"' in text]

    assert found == []
    assert [name for name, _ in texts() if name.endswith("uv.lock")] == []


def test_the_newest_entry_of_the_changelog_is_the_version():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    heads = re.findall(r"^## (\S+)", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), re.MULTILINE)

    assert heads[0] == project["project"]["version"]
    assert len(heads) == len(set(heads))


def test_every_decision_is_in_the_list_of_decisions():
    folder = ROOT / "docs/decisions"
    listed = re.findall(r"\]\((\d{4}-[\w-]+\.md)\)", (folder / "README.md").read_text(encoding="utf-8"))

    assert listed == sorted(path.name for path in folder.glob("0*.md"))
