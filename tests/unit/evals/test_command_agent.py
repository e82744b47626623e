"""Programs as agents: the contract, what ends them, and what they cannot find."""

import asyncio
import contextlib
import ctypes
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from evals.agents.agent import Episode, Limits
from evals.agents.command import Command, read_answer, submission_of
from evals.agents.hiding import can_hide
from evals.agents.seats import may_switch, taken
from evals.errors import EvalError

ROOT = Path(__file__).parents[3]
VARIABLES = {"PATH": os.defpath}


def episode(seconds: float = 30) -> Episode:
    return Episode(
        run="run-1",
        task="small-do",
        environment="small",
        epoch=1,
        mcp_url="http://127.0.0.1:8800/env/small/e/a-key-of-its-own/mcp",
        instruction="For Zoe Ark: pays in cash.",
        multi_turn=False,
        limits=Limits(timeout=seconds),
        seed=7,
    )


def command_lines() -> bytes:
    """Of every process."""
    found = b""
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        with contextlib.suppress(OSError):
            found += path.read_bytes()
    return found


def program(folder: Path, text: str) -> str:
    """A shell script that every user may read."""
    path = folder / "agent.sh"
    path.write_text(f"#!/bin/sh\n{text}\n")
    for one in (path, *path.parents):
        if one != Path("/tmp") and len(one.parts) > 2:
            one.chmod(0o755)
    return f"/bin/sh {path} one 'two words'"


async def test_a_program_finds_its_episode_in_files_and_variables(tmp_path: Path) -> None:
    text = """cat mcp.json "$ENVFARM_INSTRUCTION_FILE"; echo "$ENVFARM_MCP_URL|$1|$2|$HOME"; pwd; env | sort >&2; echo 4 >"$ENVFARM_ANSWER_FILE" """
    agent = Command(program(tmp_path, text), VARIABLES, sandbox=False)

    outcome = await agent.play(episode())

    assert (outcome.final, outcome.submission, outcome.stopped) == ("4", {"outcome": "answered", "answer": "4"}, "finished")
    assert agent.headline == ("unsandboxed",)


async def test_what_a_program_says_last_is_its_final_text_and_its_environment_is_scrubbed(tmp_path: Path) -> None:
    agent = Command(program(tmp_path, "cat mcp.json; env; echo done."), VARIABLES, sandbox=False)

    said = (await agent.play(episode())).final

    assert '"type": "http"' in said
    assert '"url": "http://127.0.0.1:8800/env/small/e/a-key-of-its-own/mcp"' in said
    names = {line.partition("=")[0] for line in said.splitlines() if "=" in line}
    assert {name for name in names if name.startswith("ENVFARM_")} == {
        *("ENVFARM_MCP_URL", "ENVFARM_MCP_CONFIG", "ENVFARM_INSTRUCTION_FILE", "ENVFARM_ANSWER_FILE", "ENVFARM_TIMEOUT", "ENVFARM_SEED")
    }
    assert said.endswith("done.")


async def test_a_program_that_fails_is_told_with_its_last_words_and_its_provider_may_be_to_blame(tmp_path: Path) -> None:
    failed = await Command(program(tmp_path, "echo 'no such model' >&2; exit 3"), VARIABLES, sandbox=False).play(episode())
    masked = await Command(program(tmp_path, "exit 75"), VARIABLES, sandbox=False).play(episode())

    assert (failed.stopped, failed.masked, failed.remark) == ("crashed", "", "exit code 3: no such model")
    assert masked.masked == "provider"


async def test_output_without_end_is_cut(tmp_path: Path) -> None:
    agent = Command(program(tmp_path, "head -c 3000000 /dev/zero | tr '\\0' x; echo; echo last"), VARIABLES, sandbox=False)

    final = (await agent.play(episode())).final

    assert len(final) < 100_000
    assert final.endswith("last")


@pytest.mark.parametrize(
    "sandbox", [pytest.param(True, marks=pytest.mark.skipif(not may_switch(), reason="only root may become another user")), False]
)
async def test_time_up_ends_children_that_left_the_session_too(tmp_path: Path, sandbox: bool) -> None:
    text = "setsid sh -c 'setsid sleep 987 & wait' & sleep 988 & echo started; wait"
    agent = Command(program(tmp_path, text), VARIABLES, sandbox=sandbox)

    with pytest.raises(TimeoutError):
        async with asyncio.timeout(1.0):
            await agent.play(episode())

    alive = command_lines()
    assert b"sleep\x00987" not in alive
    assert b"sleep\x00988" not in alive


@pytest.mark.skipif(not may_switch(), reason="only root may become another user")
async def test_two_programs_run_as_two_users_who_have_nothing(tmp_path: Path) -> None:
    agent = Command(program(tmp_path, "id -u; id -G; ls -ld . | cut -c1-10; ls .. 2>&1; grep NoNewPrivs /proc/self/status"), VARIABLES, sandbox=True)

    one, two = await asyncio.gather(agent.play(episode()), agent.play(episode()))

    first, second = one.final.split(), two.final.split()
    assert agent.headline == ()
    assert first[0] != second[0]
    assert (first[0], first[2]) == (first[1], "drwx------")
    assert int(first[0]) >= 62_000
    assert "Permission denied" in one.final
    assert first[-1] == "1"


@pytest.mark.skipif(not may_switch(), reason="only root may become another user")
def test_a_program_that_other_users_may_not_read_is_refused_before_any_run(tmp_path: Path) -> None:
    line = program(tmp_path, "true")
    (tmp_path / "agent.sh").chmod(0o700)

    with pytest.raises(EvalError, match="keeps closed"):
        Command(line, VARIABLES, sandbox=True)


@pytest.mark.skipif(not may_switch() or not can_hide([ROOT / "seeds"]), reason="only root may mount, where the system lets it")
async def test_what_is_hidden_is_empty_for_the_program_and_for_nobody_else(tmp_path: Path) -> None:
    (tmp_path / "gold").mkdir()
    (tmp_path / "gold" / "answer").write_text("4")
    (tmp_path / "token").write_text("secret")
    line = program(tmp_path, f"cat {tmp_path}/token {tmp_path}/gold/answer; ls {ROOT}/seeds {tmp_path}/gold; umount {tmp_path}/gold; echo seen")
    hidden = (tmp_path / "gold", tmp_path / "gold" / "answer", tmp_path / "token", tmp_path / "not-there-yet", ROOT / "seeds")
    agent = Command(line, VARIABLES, sandbox=True, hidden=hidden)

    outcome = await agent.play(episode())

    assert (outcome.final, agent.headline) == ("seen", ())
    assert ((tmp_path / "token").read_text(), (tmp_path / "gold" / "answer").read_text()) == ("secret", "4")


def without_mounts() -> None:
    """Takes CAP_SYS_ADMIN away from the program that follows, as engines of containers do."""
    ctypes.CDLL(None).prctl(24, 21, 0, 0, 0)


HEADLINES = """
import json, os, sys
from pathlib import Path
from evals.agents.command import Command
print(json.dumps([Command("/bin/true", {"PATH": os.defpath}, sandbox=True, hidden=[Path(one)]).headline for one in sys.argv[1:]]))
"""


@pytest.mark.skipif(not may_switch(), reason="only root may become another user")
def test_seeds_that_cannot_be_hidden_are_told_where_others_may_read_them(tmp_path: Path) -> None:
    program(tmp_path, "true")
    places = [tmp_path / "open", tmp_path / "closed", tmp_path / "none"]
    for place, mode in zip(places, (0o755, 0o700), strict=False):
        place.mkdir(mode=mode)
        (place / "seed.yaml").write_text("title: x")
    variables = {"PYTHONPATH": str(ROOT), "PATH": os.defpath}
    words = [sys.executable, "-c", HEADLINES, *map(str, places)]
    done = subprocess.run(words, env=variables, preexec_fn=without_mounts, capture_output=True, text=True)

    assert json.loads(done.stdout) == [["readable seeds"], [], []], done.stderr


@pytest.mark.skipif(not can_hide([ROOT / "seeds"]), reason="the system does not let us mount")
def test_a_program_within_what_is_hidden_is_refused(tmp_path: Path) -> None:
    with pytest.raises(EvalError, match=r"expected files outside of what programs may not see, got .*agent\.sh, which lies in"):
        Command(program(tmp_path, "true"), VARIABLES, sandbox=True, hidden=[tmp_path])


WITHOUT_ROOT = """
import asyncio, json, os, sys
from pathlib import Path
from evals.agents.agent import Episode, Limits
from evals.agents.command import Command
about = {"run": "run-1", "task": "small-do", "environment": "small", "epoch": 1, "mcp_url": "http://127.0.0.1:9/mcp", "instruction": "x"}
episode = Episode(**about, multi_turn=False, limits=Limits(), seed=7)
places = [Path(sys.argv[1], "gold"), Path(sys.argv[2], "seeds")]
agent = Command(f"/bin/sh {sys.argv[1]}/agent.sh {os.getpid()}", {"PATH": os.defpath}, sandbox=True, hidden=places)
outcome = asyncio.run(agent.play(episode))
print(json.dumps([agent.headline, outcome.final, outcome.remark]))
"""


@pytest.mark.skipif(not may_switch(), reason="only root may become another user")
def test_who_is_not_root_hides_by_a_namespace_of_users_and_says_that_the_user_is_shared(tmp_path: Path) -> None:
    text = f'ls {ROOT}/seeds gold "$(dirname "$0")/gold"; cat "/proc/$1/environ"; unshare -Urm umount {ROOT}/seeds; ls {ROOT}/seeds; id -u'
    program(tmp_path, text)
    (tmp_path / "gold").mkdir()
    (tmp_path / "gold" / "answer").write_text("4")
    for one in (tmp_path, tmp_path / "gold", tmp_path / "gold" / "answer"):
        os.chown(one, 65_534, 65_534)
    variables = {"PYTHONPATH": str(ROOT), "PATH": os.defpath, "TMPDIR": str(tmp_path), "PYTHONDONTWRITEBYTECODE": "1"}
    nobody: dict[str, Any] = {"user": 65_534, "group": 65_534, "extra_groups": [], "env": variables, "cwd": tmp_path}
    # Python of the system: the one that runs this test may lie where only root may look.
    python = shutil.which("python3", path=os.defpath) or sys.executable
    if subprocess.run([python, "-c", "import evals.agents.command"], **nobody, capture_output=True).returncode != 0:
        pytest.skip("nobody else may read this checkout, or its Python is too old")
    words = [python, "-c", WITHOUT_ROOT, str(tmp_path), str(ROOT)]
    done = subprocess.run(words, **nobody, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    headline, said, _ = json.loads(done.stdout)
    if headline == ["unsandboxed"]:
        pytest.skip("the system lets nobody make namespaces of users")
    assert (headline, said) == (["same user"], "65534")


@pytest.mark.parametrize("line", ["no-such-program-here", "'unclosed", " "])
def test_a_line_without_a_program_is_refused(line: str) -> None:
    with pytest.raises(EvalError, match="command: expected a program"):
        Command(line, VARIABLES, sandbox=False)


def test_an_answer_file_that_is_no_file_proper_is_not_read(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("token")
    (tmp_path / "link").symlink_to(tmp_path / "secret")
    os.mkfifo(tmp_path / "pipe")

    assert [read_answer(tmp_path / name) for name in ("link", "pipe", "none")] == ["", "", ""]
    assert read_answer(tmp_path / "secret") == "token"


def test_an_answer_is_text_or_the_arguments_of_a_submission() -> None:
    declined = {"outcome": "declined", "reason_code": "OVERDRAWN", "evidence": ["OWN-2"]}

    assert submission_of('{"outcome": "declined", "reason_code": "OVERDRAWN", "evidence": ["OWN-2"], "more": 1}') == declined
    assert submission_of('{"total": 4}') == {"outcome": "answered", "answer": '{"total": 4}'}
    assert submission_of("") is None


@pytest.mark.skipif(not may_switch(), reason="only root may become another user")
def test_what_a_killed_evaluation_left_running_is_ended_before_its_user_plays_again() -> None:
    with taken() as uid:
        left = subprocess.Popen(["/bin/sleep", "986"], user=uid, group=uid)
    with taken():
        pass

    assert left.wait(timeout=10) == -9
