"""The command table: every row can be imported and explains itself; errors are sentences."""

import json
import subprocess
import sys

import pytest

from server.cli.group import load
from server.cli.main import COMMANDS


def run(*arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "server.cli.main", *arguments], capture_output=True, text=True, timeout=30, env={"PYTHONPATH": ".", **variables}
    )


@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_every_row_of_the_table_imports_and_has_help_of_one_line(name):
    assert load(name, COMMANDS[name]) is not None
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
