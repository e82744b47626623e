"""The `envfarm` command: a table of commands, each imported only when it is called.

To add a command, add a row to one of `GROUPS` and a module `server/cli/NAME.py` whose function has typer parameters (or whose attribute is a
`typer.Typer` for a family such as `tasks list`). Import heavy things inside the function. Print the answer with `server.cli.answer.show`.
"""

import sys
from typing import NamedTuple

EXAMPLES = """Examples:

  envfarm up                              serve every environment, print how to connect
  envfarm list                            what can be served
  envfarm stdio vet_clinic                one environment on stdin and stdout
  envfarm connect vet_clinic --client claude-code
"""


class Row(NamedTuple):
    """Where a command lives, and its line in `envfarm --help`."""

    module: str
    function: str
    help: str


GROUPS: dict[str, dict[str, Row]] = {
    "Serve": {
        "build": Row("server.cli.build", "build", "Build environments from seeds; what did not change is kept."),
        "up": Row("server.cli.up", "up", "Serve every built environment until Ctrl-C; print how to connect."),
        "list": Row("server.cli.environments", "list_environments", "Every built environment."),
        "show": Row("server.cli.environments", "show_environment", "One environment: its tools, tables and policy."),
        "connect": Row("server.cli.connect", "connect", "Make an MCP client use an environment: print its configuration, or write it."),
        "bundle": Row("server.cli.bundle", "bundle", "Write an environment as a bundle that Claude Desktop installs."),
        "stdio": Row("server.cli.stdio", "stdio", "Serve one environment on stdin and stdout, no farm needed."),
        "bridge": Row("server.cli.bridge", "bridge", "Join stdin and stdout to an episode of a running farm."),
    },
    "Evaluate": {
        "demo": Row("server.cli.demo", "demo", "From seeds to scores in one go: two built-in agents play every task."),
        "tasks": Row("server.cli.tasks", "tasks", "Tasks of the packs; where every gold argument comes from."),
        "start": Row("server.cli.runs", "start", "Give a task to an agent: its MCP URL and instruction."),
        "score": Row("server.cli.runs", "score", "Score a run by the final state of its database."),
        "eval": Row("server.cli.eval", "evaluate", "Evaluate an agent over many tasks, resumably; every run is scored and kept."),
        "report": Row("server.cli.report", "report", "What an evaluation comes to: an HTML page, JSON, JUnit XML."),
        "compare": Row("server.cli.compare", "compare", "Whether one evaluation is better than another, with paired tests."),
        "audit": Row("server.cli.audit", "audit", "Whether tasks are what their packs claim, all by trying."),
    },
    "Train": {
        "export": Row("server.cli.export", "export", "The runs of an evaluation as OpenAI messages, ShareGPT, ATIF or Parquet."),
        "log": Row("server.cli.episode", "log", "Every call of an episode."),
        "diff": Row("server.cli.episode", "diff", "What an episode has changed, row by row."),
        "fork": Row("server.cli.episode", "fork", "A new episode that begins with the calls of another."),
        "rewind": Row("server.cli.episode", "rewind", "Go back to an earlier call of an episode."),
        "reset": Row("server.cli.episode", "reset", "Go back to the initial state of an episode."),
    },
    "Author": {
        "lint": Row("server.cli.lint", "lint", "Check seeds; every problem with its place and what to do."),
        "fmt": Row("server.cli.fmt", "fmt", "Lay out seeds in the one way."),
        "check": Row("server.cli.check", "check", "Whether packages are what their seeds compile to."),
        "graph": Row("server.cli.graph", "graph", "How the tools of an environment depend on each other, with the reasons."),
        "catalog": Row("server.cli.catalog", "catalog", "How rich each environment is, what makes it hard, and how alike they are."),
        "author": Row("server.cli.author", "author", "Have a language model write a new domain from a keyword; what passes the gate is registered."),
        "mine": Row("server.cli.mine", "mine", "Find the domains of a set of tasks; have a language model write a seed for each."),
        "enrich": Row("server.cli.enrich", "enrich", "Ask a language model for more phrases, rules and values of a seed; each is tried alone."),
        "trial": Row("server.cli.trial", "trial", "Have two language models try an environment out: one calls its tools, one judges each call."),
        "ledger": Row("server.cli.ledger", "ledger", "What language models have cost, and what came of it."),
    },
    "Operate": {
        "gc": Row("server.cli.gc", "gc", "Close episodes that nobody uses, forget those that are closed for long."),
        "backup": Row("server.cli.backup", "backup", "Copy all records into one file, while the farm serves."),
        "restore": Row("server.cli.backup", "restore", "Put the records of a backup into a home."),
        "token": Row("server.cli.token", "token", "Bearer tokens of control plane and sidecar: list, make, rotate, revoke."),
        "config": Row("server.cli.config", "config", "Effective settings, and where each came from."),
    },
}

COMMANDS: dict[str, Row] = {name: row for rows in GROUPS.values() for name, row in rows.items()}

WIRE_COMMANDS = ("stdio", "bridge")
"""Commands whose stdout carries JSON-RPC: it is set aside before anything else is imported."""


def _domain_errors() -> tuple[type[Exception], ...]:
    """Errors that are a sentence for a person; those of packages that were never imported cannot have been raised."""
    found: list[type[Exception]] = []
    for module, name in (
        ("server.errors", "UserError"),
        ("registry.package.errors", "PackageError"),
        ("registry.errors", "RegistryError"),
        ("server.sidecar.errors", "SidecarError"),
        ("synth.lang.problems", "SeedError"),
        ("evals.errors", "EvalError"),
        ("synth.errors", "SynthError"),
        ("synth.model.errors", "ModelError"),
    ):
        error = getattr(sys.modules.get(module), name, None)
        if isinstance(error, type):
            found.append(error)
    return tuple(found)


UNKNOWN = ("environment: expected the id of a built environment", "task: expected the id of a task")
"""How sentences begin about a name that nothing has, whoever says them: this process, the farm or the sidecar."""


def _on_its_way(sentence: str) -> str:
    """The sentence; about a name that nothing has, where a build goes on that may make it, with that instead of the advice to build."""
    if not sentence.startswith(UNKNOWN):
        return sentence
    from registry.home import find_home
    from server.building import builder
    from server.config import read_settings

    process = builder(find_home(read_settings().home))
    if not process:
        return sentence
    found = sentence.replace(": run `envfarm build`.", ".")
    return f"{found} Process {process} is building in this home: what is missing may come, see `envfarm list`."


def main() -> None:
    """Runs one command: exit code 0 ok, 1 problems found, 2 wrong usage, 130 stopped by Ctrl-C."""
    if len(sys.argv) > 1 and sys.argv[1] in WIRE_COMMANDS and not {"--help", "-h"} & set(sys.argv):
        from server.agent.wire import claim

        claim()
    from server.cli.group import app

    try:
        app(prog_name="envfarm")
    except BrokenPipeError:
        sys.stderr.close()
        sys.exit(1)
    except Exception as error:
        sentence = _sentence(error)
        if sentence is None:
            raise
        print(f"envfarm: {_on_its_way(sentence)}", file=sys.stderr)
        sys.exit(getattr(error, "exit_code", 1))


def _sentence(error: Exception) -> str | None:
    """The error as a person is told it; None for a fault of ours."""
    if isinstance(error, _domain_errors()):
        return str(error)
    if isinstance(error, OSError):
        from server.cli.system_error import system_error

        return system_error(error)
    return None


if __name__ == "__main__":
    # Run as a module this file would be imported twice, with two tables.
    from server.cli.main import main as imported

    imported()
