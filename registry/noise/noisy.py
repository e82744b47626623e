"""One call of an episode with noise: what happens to it, and what its record says of that."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, NamedTuple

import orjson

from registry.dispatch.harness import ASK, SUBMIT
from registry.dispatch.outcome import Write, failed
from registry.dispatch.plan import Plans
from registry.dispatch.tool_call import Answered, CallRows, Moment, Terms, gate, perform, received
from registry.noise.chance import Chance
from registry.noise.disguise import Disguise, disguise, idle
from registry.noise.memory import Memory, Seen
from registry.noise.pages import reordered, truncated
from registry.noise.profiles import FOR_HARNESS, FOR_PAGES, FOR_READS, FOR_WRITES, PROFILES, Effect
from registry.noise.schedule import RETRY_AFTER, Schedule
from registry.noise.shown import Looks
from registry.noise.trial import TrialRows
from registry.package.meta import Meta
from registry.package.noise import NoiseSpec

_ERRORS: Mapping[str, tuple[str, str]] = {
    "try_again": ("TRY_AGAIN", "The service is busy. Nothing was done: call again."),
    "rate_limited": ("RATE_LIMITED", "Too many calls. Nothing was done: wait, then call again."),
    "timeout": ("TIMEOUT", "No answer came in time. The call may or may not have been carried out: look before you repeat it."),
}
FREE = Terms(call_limit=0)


class Noisy(NamedTuple):
    """A call that was answered.

    Attributes:
        note: What the noise did, for the record; empty for nothing.
        others: What another actor wrote just before.
        latency: Milliseconds that the answer takes.
    """

    answered: Answered
    note: str
    others: tuple[Write, ...]
    latency: int


class Noise:
    """The noise of all episodes with the same environment, profile and seed.

    Args:
        tools: MCP objects of the environment.
        meta: Of the environment.
        spec: Has a profile.
    """

    def __init__(self, tools: tuple[dict[str, Any], ...], meta: Meta, spec: NoiseSpec) -> None:
        profile = PROFILES[spec.profile]
        self._chance = Chance(f"{spec.profile} {spec.seed}")
        self._schedule = Schedule(profile, self._chance)
        self._looks = Looks(meta)
        self._fitting: dict[str, tuple[Effect, ...]] = {SUBMIT: FOR_HARNESS, ASK: FOR_HARNESS}
        for tool in meta.tools:
            self._fitting[tool.name] = (FOR_PAGES if tool.kind == "search" else FOR_READS) if tool.read_only else FOR_WRITES
        self._reads = {tool.name for tool in meta.tools if tool.read_only}
        plurals = [table.plural.lower().replace(" ", "_") for table in meta.tables if not table.link]
        self.disguise: Disguise = disguise(tools, plurals, profile, self._chance)

    def call(self, plans: Plans, terms: Terms, rows: CallRows, moment: Moment, memory: Memory, tool: Any, arguments: Any) -> Noisy:
        """Executes one call; never raises for anything that a caller sent or that a tool did."""
        asked = received(tool, arguments)
        name = self.disguise.true.get(asked.tool, asked.tool)
        if gate(terms, moment, name) is not None:
            return Noisy(perform(plans, terms, rows, moment, name, arguments), "", (), 0)
        others, note = self._others(plans, terms, rows, moment, memory)
        notes = [note] if note else []
        if asked.tool in self.disguise.beside:
            answered = Answered(idle(self.disguise.beside[asked.tool]), asked.tool, asked.canonical)
            return Noisy(answered, "; ".join([*notes, "not a tool of the environment"]), others, self._schedule.latency(moment.calls, None))
        effect = self._schedule.effect(moment.calls, name, self._fitting.get(name, ()))
        answered, said = _Call(self, plans, terms, rows, moment, memory, name, arguments).answer(effect)
        latency = self._schedule.latency(moment.calls, effect if said else None)
        notes += [said] if said else []
        return Noisy(answered, "; ".join([*notes, f"{latency} ms"]), others, latency)

    def _others(self, plans: Plans, terms: Terms, rows: CallRows, moment: Moment, memory: Memory) -> tuple[tuple[Write, ...], str]:
        """What another actor does before the call: its next call, unless that would write to a row that the agent has written to."""
        given = terms.noise.others if terms.noise is not None else ()
        if memory.acted >= len(given) or not self._schedule.others_act(moment.calls):
            return (), ""
        call = given[memory.acted]
        memory.acted += 1
        trial = TrialRows(rows, memory.untouched)
        outcome = perform(plans, FREE, trial, moment, call.tool, call.arguments).outcome
        if outcome.kind != "ok" or not outcome.writes or not trial.kept:
            return (), ""
        memory.left.update({(table, key): rows.read(table, key) for table, _, key, _ in outcome.writes})
        return outcome.writes, f"another actor called {call.tool} {orjson.dumps(call.arguments).decode()}"


class _Call:
    """One call under way."""

    def __init__(self, noise: Noise, plans: Plans, terms: Terms, rows: CallRows, moment: Moment, memory: Memory, tool: str, arguments: Any) -> None:
        self._noise, self._plans, self._terms, self._rows, self._moment, self._memory = noise, plans, terms, rows, moment, memory
        self._tool, self._arguments = tool, arguments

    def answer(self, effect: Effect | None) -> tuple[Answered, str]:
        """The answer, and what the noise did to it, if anything."""
        if effect in ("try_again", "rate_limited"):
            return self._error(effect), effect
        if self._tool in self._noise._reads:
            return self._read(effect)
        if effect == "timeout" and not self._noise._schedule.after(self._moment.calls):
            return self._error("timeout"), "timeout before"
        if effect == "dropped":
            return self._dropped()
        answered = self._perform()
        outcome = answered.outcome
        self._memory.wrote(outcome.writes)
        given = self._arguments if isinstance(self._arguments, dict) else {}
        if outcome.kind == "ok" and effect in ("timeout", "duplicate") and self._noise._looks.by_arguments(outcome, given):
            if effect == "timeout":
                lost = failed(*_ERRORS["timeout"], RETRY_AFTER["timeout"], writes=outcome.writes)
                return answered._replace(outcome=lost), "timeout after"
            second = self._trial().outcome
            if second.kind == "refused":
                return answered._replace(outcome=replace(second, kind="error", writes=outcome.writes, evidence=())), "delivered twice"
        return answered, ""

    def _read(self, effect: Effect | None) -> tuple[Answered, str]:
        if effect == "timeout":
            return self._error("timeout"), "timeout"
        answered = self._perform()
        outcome = answered.outcome
        if outcome.kind != "ok":
            return answered, ""
        given = self._arguments if isinstance(self._arguments, dict) else {}
        read = (self._tool, answered.arguments)
        before = self._memory.last(read)
        older = effect == "stale" and before is not None and not before.stale and before.text != outcome.text
        self._memory.keep(read, Seen(outcome.result, outcome.text, older))
        if older and before is not None:
            return answered._replace(outcome=replace(outcome, result=before.result, text=before.text)), "stale"
        made = None
        if effect == "truncated":
            made = truncated(outcome, given, self._noise._chance.share("kept", self._moment.calls))
        elif effect == "reordered":
            made = reordered(outcome, given, self._noise._chance, self._moment.calls)
        return (answered, "") if made is None else (answered._replace(outcome=made), str(effect))

    def _dropped(self) -> tuple[Answered, str]:
        answered = self._trial()
        if answered.outcome.kind != "ok":
            return answered, ""
        if self._noise._looks.by_result(answered.outcome):
            return answered._replace(outcome=replace(answered.outcome, writes=())), "dropped"
        answered = self._perform()
        self._memory.wrote(answered.outcome.writes)
        return answered, ""

    def _perform(self) -> Answered:
        return perform(self._plans, self._terms, self._rows, self._moment, self._tool, self._arguments)

    def _trial(self) -> Answered:
        """The call's outcome without its effect."""
        return perform(self._plans, self._terms, TrialRows(self._rows, lambda _: False), self._moment, self._tool, self._arguments)

    def _error(self, effect: Effect) -> Answered:
        asked = received(self._tool, self._arguments)
        return Answered(failed(*_ERRORS[effect], RETRY_AFTER[effect]), asked.tool, asked.canonical)
