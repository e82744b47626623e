"""The stdio transport as raw lines: both eras, end of input, bad messages, nothing else on stdout."""

import json
import os
import signal
import subprocess
import sys

import pytest

from tests.interaction.wire_lines import INITIALIZED, add_note, command, initialize, legacy, modern, talk, variables
from tests.unit.registry.small_package import write_package


@pytest.fixture
def home(tmp_path):
    write_package(tmp_path / "environments", "small")
    return tmp_path


def by_id(answers):
    return {answer["id"]: answer for answer in answers}


def test_a_pipelined_initialize_after_discover_is_answered_and_both_eras_go_on(home):
    lines = [modern(0, "server/discover"), initialize(1), INITIALIZED, add_note(2, "old"), modern(3, "tools/list"), legacy(4, "tools/list")]
    done, answers = talk(["stdio", "small"], home, lines)
    assert done.returncode == 0, done.stderr
    found = by_id(answers)
    assert found[0]["result"]["supportedVersions"] == ["2026-07-28"]
    assert found[1]["result"]["protocolVersion"] == "2025-06-18"
    assert found[1]["result"]["serverInfo"]["name"] == "small"
    assert found[1]["result"]["instructions"] == found[0]["result"]["instructions"]
    assert found[2]["result"]["structuredContent"]["text"] == "old"
    assert [tool["name"] for tool in found[3]["result"]["tools"]] == [tool["name"] for tool in found[4]["result"]["tools"]]


def test_everything_that_was_read_is_answered_before_the_end_of_input_ends_the_process(home):
    lines = [initialize(1), INITIALIZED, *(add_note(number, f"note {number}") for number in range(2, 42))]
    done, answers = talk(["stdio", "small"], home, lines)
    assert done.returncode == 0
    texts = [by_id(answers)[number]["result"]["structuredContent"]["text"] for number in range(2, 42)]
    assert texts == [f"note {number}" for number in range(2, 42)]


def test_what_is_no_message_is_answered_with_an_error_and_the_connection_goes_on(home):
    bad = [
        "{",
        "[]",
        '"text"',
        '{"jsonrpc": "2.0", "id": 7}',
        "[" * 500 + "]" * 500,
        '{"a": "\\ud800"}',
        "\x00",
        '{"jsonrpc": "1.0", "id": 1, "method": "ping"}',
    ]
    done, answers = talk(["stdio", "small"], home, [initialize(1), *bad, INITIALIZED, add_note(2, "still here")])
    assert done.returncode == 0
    errors = [answer["error"]["code"] for answer in answers if answer["id"] is None]
    assert len(errors) == len(bad)
    assert set(errors) <= {-32700, -32600}
    assert by_id(answers)[2]["result"]["structuredContent"]["text"] == "still here"
    assert "Traceback" not in done.stdout


def test_unknown_methods_and_malformed_params_are_protocol_errors_without_internals(home):
    lines = [
        modern(1, "no/such"),
        modern(2, "tools/call", name=5),
        modern(3, "resources/read", uri="env://none"),
        modern(4, "prompts/get", name="task"),
    ]
    _, answers = talk(["stdio", "small"], home, lines)
    found = by_id(answers)
    assert {number: found[number]["error"]["code"] for number in found} == {1: -32601, 2: -32602, 3: -32602, 4: -32602}
    assert all("pydantic" not in json.dumps(answer) for answer in answers)


def test_prints_of_imported_code_and_of_children_never_reach_the_wire(home):
    script = (
        "import atexit, builtins, os, sys\n"
        "real = builtins.__import__\n"
        "def noisy(name, *more):\n"
        "    if name == 'mcp':\n"
        "        print('noise of an import'); os.system('echo noise of a child'); os.write(1, b'noise of C\\n')\n"
        "    return real(name, *more)\n"
        "builtins.__import__ = noisy\n"
        "atexit.register(print, 'noise at exit')\n"
        "sys.argv = ['envfarm', 'stdio', 'small']\n"
        "from server.cli.main import main\n"
        "main()\n"
    )
    text = json.dumps(modern(1, "tools/list")) + "\n"
    done = subprocess.run([sys.executable, "-c", script], input=text, capture_output=True, text=True, timeout=60, env=variables(home), check=False)
    assert done.returncode == 0, done.stderr
    assert [json.loads(line)["id"] for line in done.stdout.splitlines()] == [1]
    assert "noise of a child" in done.stderr
    assert "noise of C" in done.stderr


def test_an_unknown_environment_is_one_sentence_on_stderr_and_nothing_on_stdout(home):
    done, answers = talk(["stdio", "smal"], home, [])
    assert done.returncode == 1
    assert answers == []
    assert done.stderr.strip() == "envfarm: environment: expected the id of a built environment, got 'smal'. Did you mean small?"


def test_a_reader_that_leaves_ends_the_process(home):
    with subprocess.Popen(
        command("stdio", "small"), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=variables(home)
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(json.dumps(modern(1, "tools/list")).encode() + b"\n")
        process.stdin.flush()
        process.stdout.readline()
        process.stdout.close()
        process.stdin.write(json.dumps(modern(2, "tools/list")).encode() + b"\n")
        process.stdin.flush()
        assert process.wait(20) == 0


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX processes")
def test_a_killed_parent_does_not_leave_the_process_behind(home):
    """The input stays open in this test, so only the death of the parent can end the process."""
    read, write = os.pipe()
    parent = (
        f"import subprocess, time\n"
        f"child = subprocess.Popen({command('stdio', 'small')!r}, stdin={read}, env={variables(home)!r}, stdout=subprocess.PIPE)\n"
        f"print(child.pid, flush=True)\n"
        f"child.stdout.readline()\n"
        f"print('serving', flush=True)\n"
        f"child.wait()\n"
    )
    with subprocess.Popen([sys.executable, "-c", parent], stdout=subprocess.PIPE, pass_fds=[read], text=True) as process:
        assert process.stdout is not None
        os.close(read)
        child = int(process.stdout.readline())
        os.write(write, json.dumps(modern(1, "tools/list")).encode() + b"\n")
        assert process.stdout.readline() == "serving\n"
        process.send_signal(signal.SIGKILL)
        process.wait(10)
        assert_gone(child)
        os.close(write)


def assert_gone(pid):
    """Waits for a process that is not our child."""
    descriptor = os.pidfd_open(pid) if pid_exists(pid) else None
    if descriptor is not None:
        import select

        assert select.select([descriptor], [], [], 20)[0], f"process {pid} still runs"
        os.close(descriptor)


def pid_exists(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True
