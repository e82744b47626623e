"""Any program as an agent, by files and environment variables."""

import asyncio
import contextlib
import json
import os
import shlex
import shutil
import stat
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from evals.agents.agent import Episode, Outcome
from evals.agents.hiding import can_hide, open_to_others, outermost
from evals.agents.launch import Ended, run_program
from evals.agents.seats import Seat, may_switch, taken
from evals.errors import EvalError

ANSWER_BYTES = 20_000
REMARK_LENGTH = 1_000
PROVIDER_FAILED = 75
"""Exit code (EX_TEMPFAIL) by which a program says that its model's provider failed, and not itself."""
SUBMITTED = ("outcome", "answer", "reason_code", "evidence")
ANSWER_LENGTH = 4_000
NAME_LENGTH = 17
"""Clients join `mcp__`, the server's name, `__` and a tool's name, and 64 letters is the most that models take."""


class Command:
    """A program that plays one episode per process.

    Args:
        line: Program and arguments, as in a shell but without one; names of files that exist are made absolute.
        variables: Environment variables that it gets beside those of the contract; PATH among them.
        sandbox: Whether it is to be kept from what tells gold: by running as another user, and by hiding.
        hidden: Files and folders that it must not see.

    Attributes:
        headline: What a report must say of it.

    Raises:
        EvalError: There is no such program, or it could not be run because of what keeps it from gold.
    """

    def __init__(self, line: str, variables: Mapping[str, str], *, sandbox: bool, hidden: Sequence[Path] = ()) -> None:
        self._variables = dict(variables)
        self._words = _found(line, self._variables.get("PATH", os.defpath))
        self._switches = sandbox and may_switch()
        places = outermost(hidden)
        self._hidden = places if sandbox and places and can_hide(places) else ()
        self.headline = self._said(places)
        named = [Path(word) for word in self._words if word.startswith("/")]
        _refuse_hidden(named, self._hidden)
        if self._switches:
            _refuse_closed(named)

    def _said(self, places: Sequence[Path]) -> tuple[str, ...]:
        if not self._switches:
            return ("same user",) if self._hidden else ("unsandboxed",)
        return ("readable seeds",) if not self._hidden and any(open_to_others(one) for one in places) else ()

    async def play(self, episode: Episode) -> Outcome:
        """Starts the program and waits for its end."""
        with self._seat(episode) as seat, _folder(seat) as folder:
            write_contract(folder, episode)
            if seat.uid >= 0:
                for path in (folder, *folder.iterdir()):
                    os.chown(path, seat.uid, seat.uid)
            ended = await run_program(self._words, folder, {**self._variables, **contract_variables(folder, episode)}, seat, self._hidden)
            answer = await asyncio.to_thread(read_answer, folder / "answer.txt")
        return _outcome(ended, answer)

    @contextlib.contextmanager
    def _seat(self, episode: Episode) -> Iterator[Seat]:
        mark = f"ENVFARM_MCP_URL={episode.mcp_url}\0".encode()
        if not self._switches:
            yield Seat(uid=-1, mark=mark)
            return
        with taken() as uid:
            yield Seat(uid=uid, mark=mark)


def write_contract(folder: Path, episode: Episode) -> None:
    """The files that a program finds in its working folder."""
    servers = {"mcpServers": {episode.environment[:NAME_LENGTH].rstrip("_"): {"type": "http", "url": episode.mcp_url}}}
    (folder / "mcp.json").write_text(json.dumps(servers, indent=2) + "\n", encoding="utf-8")
    (folder / "instruction.txt").write_text(episode.instruction + "\n", encoding="utf-8")
    (folder / "tmp").mkdir(mode=0o700)


def contract_variables(folder: Path, episode: Episode) -> dict[str, str]:
    """The environment variables that a program gets."""
    return {
        "HOME": str(folder),
        "TMPDIR": str(folder / "tmp"),
        "ENVFARM_MCP_URL": episode.mcp_url,
        "ENVFARM_MCP_CONFIG": str(folder / "mcp.json"),
        "ENVFARM_INSTRUCTION_FILE": str(folder / "instruction.txt"),
        "ENVFARM_ANSWER_FILE": str(folder / "answer.txt"),
        "ENVFARM_TIMEOUT": f"{episode.limits.timeout:g}",
        "ENVFARM_SEED": str(episode.seed),
    }


def read_answer(path: Path) -> str:
    """What stands in the file that a program may write; only in a file proper, as the program chooses what is there."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError:
        return ""
    with os.fdopen(descriptor, "rb") as file:
        return file.read(ANSWER_BYTES).decode("utf-8", errors="replace").strip() if stat.S_ISREG(os.fstat(descriptor).st_mode) else ""


def submission_of(answer: str) -> dict[str, Any] | None:
    """The submission that an answer stands for: arguments of `submit_answer` as JSON, else text that answers."""
    if not answer:
        return None
    with contextlib.suppress(ValueError):
        told = json.loads(answer)
        if isinstance(told, dict) and "outcome" in told:
            return {name: told[name] for name in SUBMITTED if name in told}
    return {"outcome": "answered", "answer": answer[:ANSWER_LENGTH]}


def _outcome(ended: Ended, answer: str) -> Outcome:
    submission = submission_of(answer)
    final = answer or ended.said.strip()
    if ended.code == 0:
        return Outcome(final=final, submission=submission)
    remark = f"exit code {ended.code}: {ended.complained.strip()[-REMARK_LENGTH:]}"
    masked = ended.code == PROVIDER_FAILED
    return Outcome(final=final, submission=submission, stopped="crashed", masked="provider" if masked else "", remark=remark)


@contextlib.contextmanager
def _folder(seat: Seat) -> Iterator[Path]:
    """A working folder, below one that its user may pass through and not list."""
    with tempfile.TemporaryDirectory(prefix="envfarm-agent-", ignore_cleanup_errors=True) as outer:
        if seat.uid >= 0:
            Path(outer).chmod(0o711)
        folder = Path(outer) / "work"
        folder.mkdir(mode=0o700)
        yield folder


def _found(line: str, search: str) -> list[str]:
    try:
        words = shlex.split(line)
    except ValueError as error:
        raise EvalError(f"command: expected a program and its arguments, got '{line[:80]}' ({error}). Mend --agent.") from error
    program = shutil.which(words[0], path=search) if words else None
    if program is None:
        raise EvalError(f"command: expected a program that can be run, got '{(words or [''])[0][:80]}'. Give its path, or one in PATH.")
    return [os.path.abspath(program), *(os.path.abspath(word) if Path(word).is_file() else word for word in words[1:])]


def _refuse_hidden(paths: Sequence[Path], hidden: Sequence[Path]) -> None:
    """A program that lies where it may not look would not be found."""
    for path in paths:
        within = next((place for place in hidden if path.resolve().is_relative_to(place)), None)
        if within is not None:
            sentence = f"command: expected files outside of what programs may not see, got {path}, which lies in {within}."
            raise EvalError(f"{sentence} Move it, or pass --no-sandbox, which the headline of the report then says.")


def _refuse_closed(paths: Sequence[Path]) -> None:
    """Files that another user could not read would fail every run."""
    for path in paths:
        for one in (path, path.resolve()):
            closed = next((place for place in one.parents if not place.stat().st_mode & stat.S_IXOTH), None)
            if closed is None and one.is_file() and not one.stat().st_mode & stat.S_IROTH:
                closed = one
            if closed is not None:
                sentence = f"command: expected files that every user may read, got {one}, which {closed} keeps closed."
                raise EvalError(f"{sentence} Move it, or pass --no-sandbox, which the headline of the report then says.")
