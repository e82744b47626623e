"""What a domain will cost in tokens, before a model is asked: the prompts counted, the answers as long as those for a domain that ships."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.resources import files as resources
from pathlib import Path

from synth import disk
from synth.author.asking import plan_question, repair_question, seed_question, there_are
from synth.author.edits import MOST_LINES
from synth.author.plan import PLAN_SCHEMA
from synth.author.seed_json import SEED_SCHEMA
from synth.author.texts import prompt, teaching
from synth.lang.domain import Domain
from synth.model.endpoint import Structured
from synth.model.estimate import tokens
from synth.overlap.hard import rules_of
from synth.seed.read import parse_seed

ROUNDS = 3
MENDED = 45
"""Lines that a model writes anew in one round of repair."""
COMPLAINTS = 14
SENTENCE = "seed.yaml:100:13: tools: expected a field of Owner that is there, one of name, phone and plan, got phon. Did you mean 'phone'."
LIKE = "vet_clinic"
"""The domain whose seed says how long one is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """One part of the work, and its tokens."""

    name: str
    tokens: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """All parts; those that are read and written, once each or once a round, make up the whole."""

    parts: tuple[Part, ...]

    @property
    def whole(self) -> int:
        """Tokens for a plan, a seed and all rounds of repair."""
        return sum(one.tokens for one in self.parts)


def estimate(about: str, tools: int, known: Sequence[Domain] = (), *, structured: Structured = "auto", rounds: int = ROUNDS) -> Estimate:
    """Tokens of a domain with so many tools, rather too many than too few.

    Args:
        known: Domains that a model is told to keep clear of.
        rounds: Of repair, each with as many complaints and lines as may be.
    """
    text = (disk.read_file(Path(str(resources("seeds"))) / f"{LIKE}.yaml") or b"").decode()
    domain = parse_seed(text.encode(), f"{LIKE}.yaml")
    lines, plan = text.splitlines(), _plan_like(domain)
    shown = "\n".join(f"{number}|{line}" for number, line in enumerate(lines[60 : 60 + MOST_LINES], 61))
    plan_schema = "" if structured == "never" else json.dumps(PLAN_SCHEMA, separators=(",", ":"))
    seed_schema = json.dumps(SEED_SCHEMA, separators=(",", ":")) if structured == "seed" else ""
    repair = tokens(prompt("repair.md") + repair_question([SENTENCE] * COMPLAINTS, shown))
    return Estimate(
        parts=(
            Part(name="plan, asked: prompt, schema, what is there", tokens=tokens("\n".join((prompt("plan.md"), plan_schema, there_are(known))))),
            Part(name="plan, asked: keyword", tokens=tokens(plan_question(about, tools))),
            Part(name="plan, written", tokens=tokens(plan)),
            Part(name="seed, asked: the language and an example", tokens=tokens(teaching() + seed_schema)),
            Part(name="seed, asked: plan", tokens=tokens(seed_question(plan, tools))),
            Part(name=f"seed, written: as long for {tools} tools as {LIKE}", tokens=tokens(text) * tools // len(domain.tools)),
            Part(name=f"{rounds} rounds of repair, asked: {COMPLAINTS} complaints, {MOST_LINES} lines each", tokens=rounds * repair),
            Part(name=f"{rounds} rounds of repair, written: {MENDED} lines each", tokens=rounds * tokens("\n".join(lines[60 : 60 + MENDED]))),
        )
    )


def _plan_like(domain: Domain) -> str:
    """The plan that a model might have written for a domain that is there."""
    states = {one.name: [state for field in one.fields if field.lifecycle for state in field.lifecycle.states] for one in domain.entities}
    plan = {
        "id": domain.id,
        "title": domain.title,
        "about": domain.about,
        "entities": [{"name": one.name, "about": one.description, "states": states[one.name]} for one in domain.entities],
        "rules": [{"kind": "require" if one.enforced else "policy", "says": one.sentence} for one in rules_of(domain)],
        "workflows": [one.doc for one in domain.tools if not one.read_only][:6],
        "tools": [one.name for one in domain.tools],
    }
    return json.dumps(plan, ensure_ascii=False)
