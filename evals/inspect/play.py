"""Solver and scorer: an episode for Inspect's agent, and the verdict of the sidecar."""

from typing import Any

import httpx
from inspect_ai.agent import Agent, AgentState, agent, as_solver, react
from inspect_ai.scorer import Score, Scorer, Target, mean, scorer, stderr
from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.tool import MCPServer, mcp_server_http, mcp_tools

from evals.agents.model import MCP_SECONDS, ROLE
from evals.inspect.place import SECONDS, Place
from evals.running.telling import told_value
from evals.running.users import PLAIN, user_of
from evals.session import SUBMIT

RUN = "envfarm_run"
"""Where the sample's store has the name of its run."""


@solver
def play_episode(place: Place | None = None, noise: str = "none", noise_seed: int = 0, persona: str = PLAIN) -> Solver:
    """Starts a run of the sample's task and gives its episode's tools to Inspect's `react` agent, until the model has submitted or stops.

    A run that comes to INVALID, which is a fault of envfarm, is repeated once.

    Args:
        place: Where the sidecar is.
        noise: Profile of what disturbs calls.
        noise_seed: Of the noise; each epoch takes the next one.
        persona: Of the users of multi-turn tasks: a name, or `mix`.
    """
    found = place or Place()

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        task, asked = str(state.metadata["task"]), list(state.messages)
        run, again = "", ""
        terms = {"noise": {"profile": noise, "seed": noise_seed + state.epoch - 1}, "user": user_of(persona, 0, task, state.epoch)}
        for _ in range(2):
            async with httpx.AsyncClient(timeout=SECONDS, trust_env=False) as http:
                sidecar = found.sidecar(http)
                started = await sidecar.start(task, again=again, **terms)
                run = started.run
                state.store.set(RUN, run)
                state.messages = list(asked)
                server = mcp_server_http(name=str(state.metadata["environment"]), url=started.mcp_url, timeout=MCP_SECONDS)
                state = await as_solver(_worker(server))(state, generate)
                if (await sidecar.score(run))["verdict"] != "INVALID":
                    break
            again = run
        return state

    return solve


@agent
def _worker(server: MCPServer) -> Agent:
    return react(prompt=ROLE, tools=[mcp_tools(server)], submit=False, on_continue=_go_on)


async def _go_on(state: AgentState) -> bool:
    """Whether the model may go on: it has called a tool, and has not submitted."""
    if not state.output.message.tool_calls:
        return False
    calls = {call.id for call in state.output.message.tool_calls if call.function == SUBMIT}
    return not any(one.role == "tool" and one.tool_call_id in calls and one.error is None for one in state.messages)


@scorer(metrics=[mean(), stderr()])
def final_state(place: Place | None = None) -> Scorer:
    """1 when the final state and the submission are right, else 0; the rest of the sidecar's report is in the score's metadata."""
    found = place or Place()

    async def score(state: TaskState, target: Target) -> Score:
        run = state.store.get(RUN)
        if not run:
            return Score(value=0, answer=state.output.completion, explanation="No run was started.", metadata={"verdict": "INVALID"})
        async with httpx.AsyncClient(timeout=SECONDS, trust_env=False) as http:
            report = await found.sidecar(http).score(run)
        told = {name: report.get(name) for name in ("verdict", "partial", "checks", "collateral", "columns", "reason")}
        return Score(value=report["reward"], answer=state.output.completion, explanation=_explained(report), metadata={"run": run, **told})

    return score


def _explained(report: dict[str, Any]) -> str:
    """Each check that failed, each change too many, one to a line."""
    lines = [str(report["verdict"]) + (f": {report['reason']}" if report.get("reason") else "")]
    for check in report["checks"]:
        if not check["passed"]:
            place = ".".join(part for part in (check["table"], check["key"], check["column"]) if part)
            expected, actual = (told_value(report, check, check[name]) for name in ("expected", "actual"))
            lines.append(f"{place}: expected {expected}, got {actual} {check['why']}".rstrip())
    lines += [f"not asked for: {change['op']} {change['table']} {change['key']}" for change in report["collateral"]]
    return "\n".join(lines)
