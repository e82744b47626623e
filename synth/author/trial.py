"""Two models at one environment: a tester calls its tools as people would, a checker judges each call."""

import ast
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal

from registry.catalogue import open_folder
from registry.dispatch.outcome import Outcome
from registry.environment import Environment
from registry.episode import LocalEpisode
from synth import disk
from synth.author.texts import filled, prompt
from synth.model.answer import AnswerUnreadable, json_value
from synth.model.errors import BudgetSpent, ModelError
from synth.model.exchange import Message, Request
from synth.model.meter import Meter

BATCH = 10
"""Calls in one request."""
MOST_TOKENS = 3_000
MOST_SHOWN = 600
"""Letters of one result."""
EMPTY = 3
"""Rounds in a row without a call that can be made, after which the tester is left."""
THRESHOLD = 0.9
"""Share of right calls that is enough, unless said otherwise."""
FILE = "trial.json"
Ended = Literal["", "budget", "no_model", "no_calls"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """One call. `right` is None where the checker said nothing of it."""

    tool: str
    arguments: dict[str, Any]
    outcome: str
    right: bool | None = None
    why: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """What came of it.

    Attributes:
        calls: All that were made, in order.
        stopped: Why there are fewer than asked for; empty if there are not.
        ended: The same in a word.
    """

    environment: str
    digest: str
    calls: tuple[Judged, ...]
    tokens: int
    stopped: str = ""
    ended: Ended = ""

    @property
    def judged(self) -> int:
        """Calls of which the checker said something."""
        return sum(one.right is not None for one in self.calls)

    @property
    def rate(self) -> float:
        """Share of right calls among all that were made: what nobody judged does not pass."""
        return sum(one.right is True for one in self.calls) / len(self.calls) if self.calls else 0.0

    @property
    def wrong(self) -> tuple[Judged, ...]:
        """Calls that are not right, those among them that nobody judged."""
        return tuple(one for one in self.calls if one.right is not True)

    def passed(self, threshold: float) -> bool:
        """Whether all calls were made, and enough of them are right."""
        return self.rate >= threshold and not self.stopped

    def told(self, *, model: str, threshold: float) -> dict[str, Any]:
        """All of it as JSON, for the file that is kept."""
        value = {"environment": self.environment, "digest": self.digest, "model": model, "calls": len(self.calls), "judged": self.judged}
        value |= {"rate": round(self.rate, 4), "threshold": threshold, "passed": self.passed(threshold), "tokens": self.tokens}
        return {**value, "stopped": self.stopped, "wrong": [asdict(one) for one in self.wrong]}


def kept(trial: dict[str, Any]) -> dict[str, bytes]:
    """The file of a trial by its name."""
    return {FILE: (json.dumps(trial, ensure_ascii=False, indent=2) + "\n").encode("utf-8", "replace")}


def try_out(folder: Path, model: str, meter: Meter, *, rounds: int = 100) -> Trial:
    """Has two models try an environment out; what was judged stays where the budget or a model ends.

    Args:
        folder: Of the package.
        rounds: Calls in all.
    """
    environment = open_folder(folder)
    sources = _sources(disk.read_file(folder / "tools.py") or b"")
    episode = LocalEpisode(environment, call_limit=rounds + 1, free_play=True)
    calls: list[Judged] = []
    stopped, empty, last = "", 0, "none yet"
    ended: Ended = ""
    try:
        while len(calls) < rounds and empty < EMPTY:
            wanted = _wanted(environment, model, meter, last, min(BATCH, rounds - len(calls)))
            empty = 0 if wanted else empty + 1
            made = [(tool, arguments, episode.call(tool, arguments)) for tool, arguments in wanted]
            last = (
                "\n".join(f"{tool}({json.dumps(arguments)}) -> {_told(outcome)}" for tool, arguments, outcome in made) or "nothing that could be read"
            )
            # Calls that were made count even where the checker can say nothing of them any more.
            judged = [Judged(tool=tool, arguments=arguments, outcome=outcome.kind) for tool, arguments, outcome in made]
            calls += judged
            calls[len(calls) - len(judged) :] = _judged(environment, sources, model, meter, made)
    except (BudgetSpent, ModelError) as error:
        stopped, ended = str(error), "budget" if isinstance(error, BudgetSpent) else "no_model"
    if not stopped and len(calls) < rounds:
        ended = "no_calls"
        stopped = f"tester: expected {rounds} calls, got {len(calls)} and then none that could be made. Ask another model."
    return Trial(environment=environment.id, digest=environment.digest, calls=tuple(calls), tokens=meter.used, stopped=stopped, ended=ended)


def _wanted(environment: Environment, model: str, meter: Meter, last: str, most: int) -> list[tuple[str, dict[str, Any]]]:
    tools = "\n".join(f"{one['name']}: {one['description']} {json.dumps(one['inputSchema'], separators=(',', ':'))}" for one in environment.tools)
    text = f"TOOLS\n{tools}\n\nRULES\n{environment.policy}\n\nLAST CALLS\n{last}"
    request = Request(model=model, system=filled("tester.md", most=str(most)), messages=(Message(role="user", text=text),), most_tokens=MOST_TOKENS)
    try:
        value = json_value(meter.ask("tester", request).text)
    except AnswerUnreadable:
        meter.reject("tester", "UNREADABLE")
        return []
    calls = value if isinstance(value, list) else [value]
    good = [one for one in calls if isinstance(one, dict) and isinstance(one.get("tool"), str) and isinstance(one.get("arguments", {}), dict)]
    meter.reject("tester", "NO_CALL", len(calls) - len(good))
    return [(one["tool"][:80], one.get("arguments", {})) for one in good[:most]]


def _judged(
    environment: Environment, sources: Mapping[str, str], model: str, meter: Meter, made: list[tuple[str, dict[str, Any], Outcome]]
) -> list[Judged]:
    described = {one["name"]: str(one["description"]) for one in environment.tools}
    shown = []
    for number, (tool, arguments, outcome) in enumerate(made, 1):
        writes = [[table, operation, key, dict(columns)] for table, operation, key, columns in outcome.writes]
        shown.append(
            f"CALL {number}\n{tool}({json.dumps(arguments)})\ndescription: {described.get(tool, 'there is no such tool')}\n"
            f"source:\n{sources.get(tool, 'derived')}\ngave: {_told(outcome)}\nchanged: {json.dumps(writes, default=str)[:MOST_SHOWN]}"
        )
    said: dict[int, tuple[bool, str]] = {}
    if made:
        message = Message(role="user", text=f"RULES\n{environment.policy}\n\n" + "\n\n".join(shown))
        request = Request(model=model, system=prompt("checker.md"), messages=(message,), most_tokens=MOST_TOKENS)
        try:
            said = _verdicts(json_value(meter.ask("checker", request).text))
        except AnswerUnreadable:
            meter.reject("checker", "UNREADABLE")
    return [
        Judged(tool=tool, arguments=arguments, outcome=outcome.kind, right=said.get(number, (None, ""))[0], why=said.get(number, (None, ""))[1])
        for number, (tool, arguments, outcome) in enumerate(made, 1)
    ]


def _verdicts(value: Any) -> dict[int, tuple[bool, str]]:
    rows = value if isinstance(value, list) else [value]
    good = [one for one in rows if isinstance(one, dict) and isinstance(one.get("call"), int) and isinstance(one.get("right"), bool)]
    return {one["call"]: (one["right"], str(one.get("why", ""))[:200]) for one in good}


def _told(outcome: Outcome) -> str:
    return (outcome.text or outcome.kind)[:MOST_SHOWN]


def _sources(module: bytes) -> dict[str, str]:
    """The source of each function of a module."""
    text = module.decode("utf-8", "replace")
    return {one.name: ast.get_source_segment(text, one) or "" for one in ast.parse(text).body if isinstance(one, ast.FunctionDef)}
