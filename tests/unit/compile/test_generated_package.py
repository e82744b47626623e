"""The package of the veterinary clinic as a whole: determinism, linters, tables, hostile text."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
import sqlalchemy as sa

from registry.modules import PackageModules
from registry.package.digest import file_digest
from registry.package.meta import Meta
from synth.compile.package import compile_package
from synth.seed.read import read_seed
from tests.seeds import ALL, FIRST, path_of
from tests.unit.compile.building import ROOT, build, domain_of

CLINIC = ROOT / "seeds" / "vet_clinic.yaml"
ALL_FILES = {
    "README.md",
    "checks.py",
    "env.toml",
    "graph.json",
    "meta.json",
    "models.py",
    "policy.md",
    "rows.py",
    "schema.sql",
    "seed.yaml",
    "tools.json",
    "tools.py",
    "worlds/0.jsonl",
}


@pytest.fixture(scope="module")
def clinic():
    return compile_package(read_seed(CLINIC), ())


def write(files: dict[str, bytes], folder: Path) -> Path:
    for name, content in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)
    return folder


def test_a_package_has_every_file_of_the_contract(clinic):
    assert set(clinic) == ALL_FILES
    Meta.model_validate_json(clinic["meta.json"])


@pytest.mark.parametrize("hash_seed", ["0", "4711"])
def test_bytes_do_not_depend_on_hash_seed_or_folder(clinic, hash_seed, tmp_path):
    script = (
        "import sys, pathlib\n"
        "from synth.seed.read import read_seed\n"
        "from synth.compile.package import compile_package\n"
        "from registry.package.digest import file_digest\n"
        "files = compile_package(read_seed(pathlib.Path(sys.argv[1])), ())\n"
        "print({name: file_digest(content) for name, content in sorted(files.items())})\n"
    )
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "vet_clinic.yaml").write_bytes(CLINIC.read_bytes())
    done = subprocess.run(
        [sys.executable, "-c", script, "elsewhere/vet_clinic.yaml"],
        cwd=tmp_path,
        env={"PATH": os.defpath, "PYTHONHASHSEED": hash_seed, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.strip() == str({name: file_digest(content) for name, content in sorted(clinic.items())})


FEW = tuple(path_of(name) for name in FIRST)
REST = tuple(path_of(name) for name in ALL if name not in FIRST)


def generated(folder, seeds):
    """Packages of these seeds, and of those of the tests beside the first ones, written below a folder; their names."""
    others = [path for path in sorted((ROOT / "tests").glob("**/*.yaml")) if "\nentities:" in path.read_text(encoding="utf-8")]
    packages = {path.stem: compile_package(read_seed(path), ()) for path in (*seeds, *(others if seeds is FEW else ()))}
    assert {"vet_clinic", "whole_language", "nasty_names"} <= set(packages) or seeds is REST
    for name, files in packages.items():
        write(files, folder / name)
    return sorted(packages)


@pytest.mark.parametrize("seeds", [pytest.param(FEW, id="first"), pytest.param(REST, id="rest", marks=pytest.mark.every_domain)])
def test_generated_code_is_clean_under_ruff(seeds, tmp_path):
    generated(tmp_path, seeds)
    ruff = subprocess.run([sys.executable, "-m", "ruff", "check", "--isolated", "."], cwd=tmp_path, capture_output=True, text=True)
    assert ruff.returncode == 0, ruff.stdout


@pytest.mark.every_domain
@pytest.mark.parametrize("seeds", [pytest.param(FEW, id="first"), pytest.param(REST, id="rest")])
def test_generated_code_is_clean_under_mypy_strict(seeds, tmp_path):
    packages = generated(tmp_path, seeds)
    mypy = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--explicit-package-bases", "--no-incremental", "--follow-imports=silent", *packages],
        cwd=tmp_path,
        env={"PATH": os.defpath, "MYPYPATH": f"{tmp_path}:{ROOT}"},
        capture_output=True,
        text=True,
    )
    assert mypy.returncode == 0, mypy.stdout


@pytest.mark.parametrize("name", ALL)
def test_every_shipped_seed_compiles_to_python(name):
    files = compile_package(read_seed(path_of(name)), ())
    for path, content in files.items():
        if path.endswith(".py"):
            compile(content, path, "exec")


def test_headers_name_the_seed_and_its_hash_and_nothing_of_the_machine(clinic):
    for name in ("rows.py", "tools.py", "checks.py", "models.py", "schema.sql"):
        text = clinic[name].decode()
        assert file_digest(CLINIC.read_bytes()) in text
        assert str(ROOT) not in text


def columns_of(engine: sa.Engine) -> dict:
    """Tables as the database tells them: columns, key, references, unique groups, indexes."""
    found = {}
    inspector = sa.inspect(engine)
    for table in sorted(inspector.get_table_names()):
        found[table] = {
            "columns": [(one["name"], str(one["type"]), one["nullable"]) for one in inspector.get_columns(table)],
            "key": inspector.get_pk_constraint(table)["constrained_columns"],
            "foreign": sorted((one["constrained_columns"], one["referred_table"]) for one in inspector.get_foreign_keys(table)),
            "unique": sorted(one["column_names"] for one in inspector.get_unique_constraints(table)),
            "indexes": sorted((one["name"], one["column_names"]) for one in inspector.get_indexes(table)),
        }
    return found


def models_of(files: dict[str, bytes]):
    return PackageModules(f"models_{file_digest(files['env.toml'])[:20]}").load("models", files["models.py"], "models.py")


def tables_equal(files: dict[str, bytes]) -> None:
    by_sql, by_models = sa.create_engine("sqlite://"), sa.create_engine("sqlite://")
    with by_sql.connect() as connection:
        connection.connection.executescript(files["schema.sql"].decode())
        models = models_of(files)
        models.Base.metadata.create_all(by_models)
        assert columns_of(by_sql) == columns_of(by_models)
        assert {
            row[0] for row in connection.execute(sa.text("SELECT strict FROM pragma_table_list WHERE schema = 'main' AND name NOT LIKE 'sqlite%'"))
        } == {1}
    by_sql.dispose()
    by_models.dispose()


@pytest.mark.parametrize(
    "seed", ["seeds/vet_clinic.yaml", "tests/data/whole_language.yaml", "tests/property/seeds/workshop.yaml", "tests/unit/compile/nasty_names.yaml"]
)
def test_schema_and_models_describe_the_same_tables(seed):
    tables_equal(compile_package(read_seed(ROOT / seed), ()))


def test_hostile_text_comes_out_inert(tmp_path):
    evil = "\"\"\" + __import__('os').system('boom') #{x} \\ ' \\N{BULLET} \u202e end."
    doc = evil.replace("\\", "\\\\").replace('"' * 3, "'" * 3)
    says = "{name}: " + evil.replace("{", "{{").replace("}", "}}")
    text = f"""
entities:
  Thing:
    id: "T-{{n:02}}"
    about: {json.dumps(evil)}
    fields:
      name: {{type: text, about: {json.dumps(evil)}}}
tools: |
  @asked("make {{name}}")
  def make(name: text):
      'DOC'
      require(name != {evil!r}, BAD, {evil!r}, says=f{says!r})
      return create(Thing, name=name)
"""
    built = build(domain_of(tmp_path, text.replace("'DOC'", '"' * 3 + doc + '"' * 3)))
    assert built.call("make", name="a")["id"] == "T-01"
    assert built.refusal("make", name=evil)[:2] == ("BAD", f"{evil}: {evil}")
    assert [one[0] for one in built.broken("make", name=evil)] == ["BAD"]
    assert "__import__('os')" in built.rows.Thing.__doc__
    assert b"\xe2\x80\xae" not in built.files["tools.py"] + built.files["rows.py"] + built.files["checks.py"]
    tables_equal(built.files)


def test_schemas_fit_what_clients_take(clinic):
    tools = json.loads(clinic["tools.json"])
    assert all(set(tool) == {"name", "title", "description", "inputSchema", "outputSchema", "annotations"} for tool in tools)
    text = clinic["tools.json"].decode()
    assert "$ref" not in text
    for tool in tools:
        schema = tool["inputSchema"]
        assert schema["type"] == "object"
        assert schema["additionalProperties"] is False
        assert "anyOf" not in schema
        for one in schema["properties"].values():
            assert one["description"]
            assert (None in one.get("enum", [])) == ("enum" in one and "null" in one["type"])
    plan = next(tool for tool in tools if tool["name"] == "search_owners")["inputSchema"]["properties"]["plan"]
    assert plan["enum"] == ["none", "basic", "premium", None]


def test_a_policy_is_told_and_not_enforced(clinic):
    assert "TOO_MANY_BOOKINGS" in clinic["policy.md"].decode()
    assert "TOO_MANY_BOOKINGS" in clinic["checks.py"].decode()
    assert "TOO_MANY_BOOKINGS" not in clinic["tools.py"].decode()
    assert "pending" not in clinic["tools.py"].decode()


def test_names_that_generated_code_uses_itself_do_no_harm():
    built = build(read_seed(Path(__file__).parent / "nasty_names.yaml"))
    assert built.call("format", key_="x") == {"a": 0, "b": 3, "key": "x"}
    assert built.broken("open", value=1, list=2, str="s", len=0, sum=0, report="r", id=1, type="2026-03-02") == [("BAD", (), True)]
