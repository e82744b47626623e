"""What `--agent` names."""

import importlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from evals.agents.agent import Agent
from evals.agents.baselines import BASELINES, Played
from evals.agents.command import Command
from evals.agents.known import Known
from evals.agents.service import Service
from evals.errors import EvalError
from registry.extras import to_install
from registry.plain_http import Http

SPECS = f"{', '.join(BASELINES)}, command:PROGRAM, http:URL or model:PROVIDER/NAME"


class UnknownAgent(EvalError):
    """`--agent` names nothing that can be played."""

    exit_code = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Means:
    """What agents are made from.

    Attributes:
        known: Gold, for baselines.
        variables: Environment variables that programs get.
        sandbox: Whether programs are kept from what tells gold, where that can be had.
        hidden: What they must not see.
    """

    http: Http
    known: Known
    variables: Mapping[str, str] = field(default_factory=dict)
    sandbox: bool = True
    hidden: Sequence[Path] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Chosen:
    """An agent, and what a report must say of it in its headline."""

    agent: Agent
    headline: tuple[str, ...] = ()


def make_agent(spec: str, means: Means) -> Chosen:
    """The agent of a spec.

    Raises:
        UnknownAgent: There is none.
        EvalError: It cannot be played here.
    """
    if spec in BASELINES:
        return Chosen(agent=Played(spec, means.http, means.known))
    kind, _, rest = spec.partition(":")
    if kind == "command" and rest.strip():
        command = Command(rest, means.variables, sandbox=means.sandbox, hidden=means.hidden)
        return Chosen(agent=command, headline=command.headline)
    if kind in ("http", "https") and rest.startswith(("http://", "https://", "//")):
        service = Service(f"{kind}:{rest}" if rest.startswith("//") else rest)
        return Chosen(agent=service, headline=service.headline)
    if kind == "model" and "/" in rest:
        return Chosen(agent=_model(rest))
    raise UnknownAgent(f"--agent: expected {SPECS}, got '{spec[:80]}'. See docs/evaluate.md.")


def _model(name: str) -> Agent:
    """A model behind inspect-ai."""
    try:
        module = importlib.import_module("evals.agents.model")
    except ImportError as error:
        raise EvalError(f"--agent: expected the extra eval for model:{name[:80]}, got none ({error}). Run `{to_install('eval')}`.") from error
    agent: Agent = module.ModelAgent(name)
    return agent
