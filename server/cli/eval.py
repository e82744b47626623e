"""`envfarm eval`: an agent over tasks, each run scored by the final state of its database."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from server.cli.answer import JsonFlag, note, show, table

if TYPE_CHECKING:
    from evals.running.evaluation import Evaluated, Place, Wanted
    from evals.running.plan import Choice
    from registry.home import Home
    from server.config import Settings

AT_ONCE = 4
AT_ONCE_BUILT_IN = 12
"""Built-in agents wait for the farm alone; enough to keep two processors busy."""
MOST_SEED = 2**53 - 1000
"""Seeds of noise end at 2**53 (every reader of JSON keeps them), and each epoch takes the next one."""


def evaluate(
    context: typer.Context,
    agent: str = typer.Option("", "--agent", help="oracle, noop, random, greedy, blind-…, command:PROGRAM ARGS, http:URL, model:PROVIDER/NAME."),
    environments: list[str] = typer.Option([], "--env", help="Id of an environment; give several by repeating it. All by default."),
    tasks: list[str] = typer.Option([], "--tasks", help="Ids of tasks, with commas, or a file with one a line."),
    split: str = typer.Option("", "--split", help="train, val or test."),
    levels: list[int] = typer.Option([], "--level", min=1, max=5, help="1 (easy) to 5; may be repeated."),
    kinds: list[str] = typer.Option([], "--kind", help="do, do-if-else, answer, decline, repair, bulk or multi-turn; may be repeated."),
    limit: int = typer.Option(
        0,
        "--limit",
        min=0,
        help="So many tasks, of all environments, kinds and levels in turn, twins together: one more where a pair would be cut apart; 0: all.",
    ),
    epochs: int = typer.Option(1, "--epochs", min=1, max=1000, help="How often each task is played."),
    concurrency: int = typer.Option(0, "--concurrency", min=0, max=1000, help="Runs at a time; 0: 4, or 12 of built-in agents."),
    max_calls: int = typer.Option(0, "--max-calls", min=0, help="Calls that a run may make; 0: as many as its task allows."),
    timeout: float = typer.Option(600.0, "--timeout", min=0.1, help="Seconds that a run may take."),
    noise: str = typer.Option("none", "--noise", help="Profile of what disturbs calls: none, office, bad_day or chaos."),
    noise_seed: int = typer.Option(
        0, "--noise-seed", min=0, max=MOST_SEED, help="Equal seeds give equal noise to equal calls; each epoch takes the next one."
    ),
    persona: str = typer.Option(
        "plain",
        "--persona",
        help="Who the users of multi-turn tasks are: plain, terse, chatty, impatient, forgetful, or mix for all of them in turn.",
    ),
    seed: int = typer.Option(0, "--seed", min=-MOST_SEED, max=MOST_SEED, help="Of agents that play by chance, and of the users' words."),
    passed: list[str] = typer.Option([], "--pass", help="Name of an environment variable that a program gets, such as its API key; may be repeated."),
    sandbox: bool = typer.Option(
        True, "--sandbox/--no-sandbox", help="Whether programs are kept from what tells gold, as far as the system allows; reports say how far."
    ),
    baselines: bool = typer.Option(False, "--baselines", help="Also play every other built-in agent over the same tasks, into OUT/baselines."),
    out: Path = typer.Option(None, "--out", help="Folder for what comes of it; by default a new one in the home.", show_default=False),
    resume: bool = typer.Option(False, "--resume", help="Go on with the evaluation in --out, as it began; what is finished is not played again."),
    json: bool = JsonFlag,
) -> None:
    """Play tasks with an agent, score each run, keep all in a folder. Uses the farm that serves the home, else one of its own.

    Exit code 1 when a run stayed INVALID, or none could be scored. Example: envfarm eval --agent command:./agent.sh --env vet_clinic --limit 10
    """
    from types import SimpleNamespace

    from registry.home import find_home
    from server.cli.eval_resume import begun_in, completed, interrupted
    from server.config import read_settings
    from server.listen import run_loop

    filters = {"environments": environments, "tasks": tasks, "split": split, "levels": levels, "kinds": kinds, "limit": limit}
    pinned = {
        "epochs": epochs,
        "max_calls": max_calls,
        "timeout": timeout,
        "noise": noise,
        "noise_seed": noise_seed,
        "persona": persona,
        "seed": seed,
    }
    others = {"concurrency": concurrency, "passed": passed, "sandbox": sandbox, "baselines": baselines}
    begun = begun_in(out, resume=resume, agent=agent)
    asked = SimpleNamespace(**completed({"agent": agent, **filters, **pinned, **others}, _given(context), begun))
    settings = read_settings()
    home = find_home(settings.home)
    wanted = _wanted(asked, home, settings, resume=resume)
    folder = out or _new_folder(home, asked.agent)
    answers: list[Evaluated] = []

    async def run() -> int:
        answers.extend(await _evaluated(home, settings, wanted, folder, baselines=asked.baselines))
        return 0

    try:
        run_loop(run())
    except KeyboardInterrupt:
        raise interrupted(folder) from None
    told = {"out": str(folder), **answers[0].summary(), "reports": _reported(folder)}
    if asked.baselines:
        told["baselines"] = [one.summary() for one in answers[1:]]
    show(told, json=json, text="\n".join([_text(folder, [one.summary() for one in answers]), *(str(folder / name) for name in told["reports"])]))
    if answers[0].unscored:
        note(f"envfarm: no run could be scored; most often: {answers[0].unscored}")
    if told["invalid"] or answers[0].unscored:
        raise typer.Exit(1)


def _given(context: typer.Context) -> frozenset[str]:
    """Names of the parameters that stood on the command line."""
    sources = ((name, context.get_parameter_source(name)) for name in context.params)
    return frozenset(name for name, source in sources if source is not None and source.name == "COMMANDLINE")


def _wanted(asked: Any, home: "Home", settings: "Settings", *, resume: bool) -> "Wanted":
    """What is to be played; closes what graders read to other users, if programs are to be kept from it."""
    from typing import get_args

    from evals.agents.agent import Limits
    from evals.running.evaluation import Wanted
    from evals.running.manifest import Invocation, Noise
    from evals.running.users import MIX, PERSONAS
    from registry.package.noise import ProfileName
    from server.cli.closing import close_to_others, installation
    from server.config import agent_variables
    from server.errors import WrongUsage
    from server.version import installed_version

    if asked.noise not in get_args(ProfileName):
        raise WrongUsage(f"--noise: expected one of {', '.join(get_args(ProfileName))}, got '{asked.noise[:40]}'. Leave it out for none.")
    if asked.persona not in (*PERSONAS, MIX):
        raise WrongUsage(f"--persona: expected one of {', '.join((*PERSONAS, MIX))}, got '{asked.persona[:40]}'. Leave it out for plain.")
    graders = (home.environments, home.packs, home.store, home.quarantine, settings.tokens or home.tokens, settings.token_hashes or home.token_hashes)
    variables = agent_variables(tuple(asked.passed))
    if asked.agent.startswith("command:") and asked.sandbox:
        close_to_others(graders)
    called = {"passed": tuple(asked.passed), "sandbox": asked.sandbox, "baselines": asked.baselines, "concurrency": asked.concurrency}
    return Wanted(
        agent=asked.agent,
        choice=_choice(asked),
        epochs=asked.epochs,
        limits=Limits(max_calls=asked.max_calls, timeout=asked.timeout),
        seed=asked.seed,
        noise=Noise(profile=asked.noise, seed=asked.noise_seed),
        persona=asked.persona,
        concurrency=asked.concurrency or (AT_ONCE if ":" in asked.agent else AT_ONCE_BUILT_IN),
        resume=resume,
        envfarm=installed_version(),
        variables=variables,
        sandbox=asked.sandbox,
        hidden=(*graders, home.root / "evaluations", *installation()),
        invocation=Invocation(**called),
    )


def _choice(asked: Any) -> "Choice":
    from evals.errors import EvalError
    from evals.running.plan import Choice
    from server.errors import WrongUsage

    filters = {"environments": asked.environments, "tasks": _listed(asked.tasks), "levels": asked.levels, "kinds": asked.kinds}
    try:
        return Choice(**{name: tuple(given) for name, given in filters.items()}, split=asked.split, limit=asked.limit)
    except EvalError as error:
        raise WrongUsage(str(error)) from error


def _reported(folder: Path) -> list[str]:
    """Writes the reports; their names in the folder."""
    from evals.metrics.folder import read_evaluation
    from evals.report.contents import contents
    from server.cli.report import write_reports

    return [path.name for path in write_reports(contents(read_evaluation(folder)), folder)]


def baselines_beside(agent: str) -> tuple[str, ...]:
    """The built-in agents that show what a score is worth; none is its own baseline."""
    from evals.agents.baselines import BASELINES

    return tuple(name for name in BASELINES if name != agent)


async def _evaluated(home: "Home", settings: "Settings", wanted: "Wanted", folder: Path, *, baselines: bool) -> "list[Evaluated]":
    """The evaluation, and those of the baselines after it."""
    from dataclasses import replace

    from evals.running.evaluation import evaluate as play
    from server.cli.eval_progress import progress

    beside = [(name, folder / "baselines" / name) for name in (baselines_beside(wanted.agent) if baselines else ())]
    others = [
        (replace(wanted, agent=name, epochs=1, concurrency=AT_ONCE_BUILT_IN, resume=(where / "manifest.json").exists()), where)
        for name, where in beside
    ]
    async with sidecar_of(home, settings) as place:
        with progress(wanted.agent) as heard:
            done = [*await play(place, [(wanted, folder)], heard)]
        if others:
            with progress("baselines") as heard:
                done += await play(place, others, heard)
    return done


@asynccontextmanager
async def sidecar_of(home: "Home", settings: "Settings") -> "AsyncIterator[Place]":
    """The sidecar of the farm that serves the home, else that of a farm for this command alone."""
    import httpx

    from evals.running.evaluation import Place
    from server.building import absent
    from server.cli.own_farm import own_farm
    from server.errors import UserError
    from server.running import find_running
    from server.tokens import read_tokens

    running = find_running(home, settings)
    if running.pid or settings.sidecar_url:
        async with httpx.AsyncClient(trust_env=False, timeout=10) as http:
            try:
                ready = (await http.get(f"{running.sidecar_url}/readyz")).is_success
            except httpx.HTTPError:
                ready = False
        if ready or settings.sidecar_url:
            yield Place(sidecar_url=running.sidecar_url, token=read_tokens(settings.tokens or home.tokens).grader)
            return
    if not any(home.packs.glob("[!.]*/pack.toml")):
        raise UserError(absent("task packs", home.packs, home))
    async with own_farm(home, settings) as (told, own):
        yield Place(sidecar_url=told["sidecar_url"], token=read_tokens(own.tokens).grader, folders=(own.root,))


def _listed(given: Sequence[str]) -> tuple[str, ...]:
    """Ids of tasks, from words with commas and from files."""
    found: list[str] = []
    for one in given:
        words = Path(one).read_text(encoding="utf-8").split() if Path(one).is_file() else one.split(",")
        found += [word.strip() for word in words if word.strip()]
    return tuple(found)


def _new_folder(home: "Home", agent: str) -> Path:
    """The first free folder of the agent's name in the home."""
    import re

    name = re.sub(r"[^a-zA-Z0-9]+", "-", agent).strip("-").lower()[:40] or "agent"
    number = 1
    while (home.root / "evaluations" / f"{name}-{number}").exists():
        number += 1
    return home.root / "evaluations" / f"{name}-{number}"


def both_twins(*, pairs: int, both: int) -> str:
    """Of how many pairs of twins both passed; where no pair was played, that says nothing of an agent that does not look."""
    return f"{both} of {pairs}" if pairs else "no pairs"


def _text(folder: Path, summaries: Sequence[dict[str, Any]]) -> str:
    rows = []
    for one in summaries:
        means = [f"{one[name]:.3f}" if one[name] is not None else "-" for name in ("mean_reward", "mean_partial")]
        both = both_twins(**one["twins"])
        rows.append((one["agent"], one["tasks"], one["epochs"], *means, one["pass"], one["fail"], one["invalid"], one["masked"], both))
    head = ("agent", "tasks", "epochs", "reward", "partial", "pass", "fail", "invalid", "masked", "both twins")
    words = "".join(f"{word.upper()}\n" for word in summaries[0]["headline"])
    return f"{words}{table(head, rows)}\n\n{folder}"
