"""The command table: every row can be imported and explains itself; errors are sentences."""

import json
import subprocess
import sys

import pytest

from evals.exports.writing import FORMATS
from server.cli.group import load
from server.cli.main import COMMANDS, GROUPS
from server.version import installed_version
from tests.typed import typed


def run(*arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "server.cli.main", *arguments], capture_output=True, text=True, timeout=30, env={"PYTHONPATH": ".", **variables}
    )


@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_every_row_of_the_table_imports_and_has_help_of_one_line(name):
    assert load(name, COMMANDS[name]).rich_markup_mode is None, "its help looks unlike that of the others"
    assert COMMANDS[name].help.endswith(".")
    assert "\n" not in COMMANDS[name].help


def test_help_lists_every_command_with_examples_and_imports_none():
    script = (
        "import sys; sys.argv = ['envfarm', '--help']\nfrom server.cli.group import app\n"
        "try: app()\nfinally: assert 'pydantic' not in sys.modules, 'slow'"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=30, env={"PYTHONPATH": "."})
    assert done.returncode == 0, done.stderr
    assert "Examples:" in done.stdout
    assert all(row.help.split()[0] in done.stdout for row in COMMANDS.values())
    places = [done.stdout.index(f"\n{title}:\n") for title in GROUPS]
    assert places == sorted(places)
    assert done.stdout.count("\n  eval ") == 1


def test_the_version_is_told(tmp_path):
    done = typed(tmp_path, "--version")
    assert done == (0, f"envfarm {installed_version()}\n", "")


def test_a_format_that_is_not_given_is_told_with_its_choices(tmp_path):
    done = typed(tmp_path, "export", "runs")
    assert done.returncode == 2
    assert all(name in done.stderr for name in FORMATS)


def test_an_unknown_command_is_wrong_usage():
    done = run("no-such-command")
    assert done.returncode == 2
    assert "no-such-command" in done.stderr
    assert done.stdout == ""


def test_config_says_where_a_value_came_from():
    answer = json.loads(run("config", "--json", ENVFARM_PORT="9123").stdout)
    assert answer["port"]["value"] == 9123
    assert answer["port"]["source"] == "environment"
    assert answer["host"]["source"] == "default"


def test_a_setting_that_does_not_fit_is_one_sentence_and_exit_code_2():
    done = run("config", ENVFARM_PORT="eighty")
    assert done.returncode == 2
    assert done.stderr.startswith("envfarm: ENVFARM_PORT:")
    assert len(done.stderr.splitlines()) == 1
    assert done.stdout == ""
