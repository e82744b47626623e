"""More phrases, rules, cases and values for a seed: a model proposes, each addition is tried alone, and kept only if the gate stays green."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from synth import disk
from synth.author.complaint import SEED, of_sentence
from synth.author.edits import Edit, applied, numbered, read_edits
from synth.author.inspect import Wanted, inspect
from synth.author.texts import prompt
from synth.build import build
from synth.errors import SynthError
from synth.lang.domain import Domain
from synth.model.answer import AnswerUnreadable
from synth.model.errors import BudgetSpent, ModelError
from synth.model.exchange import Message, Request
from synth.model.meter import Meter
from synth.overlap.hard import rules_of

MOST_TOKENS = 6_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Addition:
    """One thing that was proposed. `reason` says why it was not kept; empty if it was."""

    about: str
    first: int
    lines: tuple[str, ...]
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Enriched:
    """What came of it. `stopped` says why there were not more rounds; empty if there were."""

    seed: str
    additions: tuple[Addition, ...]
    tokens: int
    stopped: str = ""

    @property
    def kept(self) -> int:
        """How many additions the seed has now."""
        return sum(not one.reason for one in self.additions)


def enrich(
    seed: str, model: str, meter: Meter, scratch: Path, *, rounds: int = 1, report: Callable[[Addition, str], None] = lambda addition, seed: None
) -> Enriched:
    """A richer seed; what was kept stays where the budget or the model ends.

    Args:
        scratch: A folder for trying; it is removed at the end.
        report: Hears of each addition, with the seed as it is then.

    Raises:
        SynthError: The seed itself does not pass.
    """
    refused = _refused(seed, None, scratch)
    if refused:
        raise SynthError(f"seed: expected one that passes the gate, got one that does not: {refused} Run `envfarm build` on it first.")
    found: list[Addition] = []
    stopped = ""
    try:
        for _ in range(rounds):
            for edit in _proposed(seed, model, meter):
                added, seed = _tried(seed, edit, scratch)
                if added.reason:
                    meter.reject("enrich", "ADDITION")
                found.append(added)
                report(added, seed)
    except (BudgetSpent, ModelError, AnswerUnreadable) as error:
        stopped = str(error)
    finally:
        disk.remove_folder(scratch)
    return Enriched(seed=seed, additions=tuple(found), tokens=meter.used, stopped=stopped)


def _proposed(seed: str, model: str, meter: Meter) -> tuple[Edit, ...]:
    """Edits from the end of the seed on, so that one that is kept moves no other."""
    request = Request(model=model, system=prompt("enrich.md"), messages=(Message(role="user", text=numbered(seed)),), most_tokens=MOST_TOKENS)
    try:
        return read_edits(meter.ask("enrich", request).text)
    except AnswerUnreadable:
        meter.reject("enrich", "NO_EDITS")
        raise


def _tried(seed: str, edit: Edit, scratch: Path) -> tuple[Addition, str]:
    try:
        candidate = applied(seed, (edit,))
        reason = _refused(candidate, seed, scratch)
    except AnswerUnreadable as error:
        candidate, reason = seed, str(error)
    return Addition(about=edit.note, first=edit.first, lines=edit.lines, reason=reason), seed if reason else candidate


def _refused(seed: str, before: str | None, scratch: Path) -> str:
    """Why a seed is not taken, one sentence; empty if it passes and has all that it had before."""
    domain, complaints = inspect(seed, Wanted())
    if domain is None or complaints:
        return complaints[0].sentence
    if before is not None:
        lost = _lost(domain, before)
        if lost:
            return f"{SEED}: expected all that was there, got a seed without {lost}. Add, and leave the rest."
    file = scratch / SEED
    disk.write_folder({SEED: seed.encode()}, scratch)
    built = build((file,), scratch / "environments", quarantine=scratch / "refused")[0]
    return of_sentence("GATE", built.reasons[0], str(file)).sentence if built.reasons else ""


def _lost(domain: Domain, before: str) -> str:
    """The first thing that the seed had and has no more."""
    old, _ = inspect(before, Wanted())
    if old is None:
        return ""
    for kind, had, has in zip(("the id", "the tool", "the entity", "the rule"), _names(old), _names(domain), strict=True):
        gone = sorted(had - has)
        if gone:
            return f"{kind} {gone[0]}"
    return ""


def _names(domain: Domain) -> tuple[set[str], set[str], set[str], set[str]]:
    return {domain.id}, {one.name for one in domain.tools}, {one.name for one in domain.entities}, {one.code for one in rules_of(domain)}
