"""The plan of a domain: what a model thinks of before it writes the seed."""

import json
import re
from collections.abc import Sequence
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError

from synth.author.familiar import familiar
from synth.author.suspicious import suspicious
from synth.lang.domain import Domain
from synth.model.answer import AnswerUnreadable, json_value

MOST_ALIKE = 0.5
"""Share of the entities of a plan that may be called as in one environment that is there."""
Short = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=80)]
Sentence = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=400)]
Id = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9]*(_[a-z0-9]+)*$", min_length=3, max_length=40)]


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore")


class PlannedEntity(_Part):
    """One kind of record."""

    name: Annotated[str, StringConstraints(pattern=r"^[A-Z][A-Za-z0-9]{1,30}$")]
    about: Sentence = "A record."
    states: tuple[Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_]{0,30}$")], ...] = Field((), max_length=12)


class PlannedRule(_Part):
    """One rule."""

    kind: Literal["require", "policy"]
    says: Sentence


class Plan(_Part):
    """What a domain is to hold."""

    id: Id
    title: Short
    about: Sentence
    entities: tuple[PlannedEntity, ...] = Field(min_length=1, max_length=14)
    roles: tuple[Short, ...] = Field((), max_length=8)
    rules: tuple[PlannedRule, ...] = Field((), max_length=40)
    workflows: tuple[Sentence, ...] = Field((), max_length=20)
    tools: tuple[Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_]{1,39}$")], ...] = Field((), max_length=40)

    @property
    def text(self) -> str:
        """As JSON, for the model that writes the seed and for the file beside it."""
        return json.dumps(self.model_dump(exclude_defaults=True), ensure_ascii=False, sort_keys=False)


_TEXT = {"type": "string"}
_TEXTS = {"type": "array", "items": _TEXT}


def _object(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": list(properties), "additionalProperties": False}


PLAN_SCHEMA = _object(
    id=_TEXT,
    title=_TEXT,
    about=_TEXT,
    entities={"type": "array", "items": _object(name=_TEXT, about=_TEXT, states=_TEXTS)},
    roles=_TEXTS,
    rules={"type": "array", "items": _object(kind={"enum": ["require", "policy"]}, says=_TEXT)},
    workflows=_TEXTS,
    tools=_TEXTS,
)


def read_plan(answer: str) -> Plan:
    """The plan in an answer.

    Raises:
        AnswerUnreadable: There is none; the sentence says what is wrong with it.
    """
    value = json_value(answer)
    try:
        plan = Plan.model_validate(value)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(map(str, first["loc"])) or "plan"
        raise AnswerUnreadable(f"plan: {where[:80]}: {first['msg']}. Write the whole plan again.") from error
    named = (plan.id, *(one.name for one in plan.entities), *plan.tools)
    told = (plan.title, plan.about, *(one.about for one in plan.entities), *(one.says for one in plan.rules), *plan.workflows, *plan.roles)
    for text in (*named, *told):
        got = suspicious(text)
        if got:
            raise AnswerUnreadable(f"plan: expected words of the domain, got {got}. Write the whole plan again, in plain words.")
    return plan


def plan_faults(plan: Plan, known: Sequence[Domain], allowed: frozenset[str]) -> tuple[str, ...]:
    """Why a plan is not to be built, one sentence each.

    Args:
        known: Domains that are there.
        allowed: Public domains that are wanted all the same.
    """
    names = [one.name for one in plan.entities]
    public = familiar(" ".join((plan.id, plan.title, *names, *plan.tools)))
    faults = []
    if public and public not in allowed:
        faults.append(f"plan: expected a domain that no public test uses, got {public}. Choose another one.")
    for domain in known:
        if domain.id == plan.id:
            faults.append(f"plan: id: expected an id of its own, got {plan.id!r}, which is taken. Choose another one.")
        share = alike(names, [one.name for one in domain.entities])
        if share > MOST_ALIKE:
            faults.append(
                f"plan: entities: expected mostly others than in {domain.id}, got {share:.0%} of the same. Choose another angle or other records."
            )
    return tuple(faults)


def alike(names: Sequence[str], others: Sequence[str]) -> float:
    """Share of the smaller set of entities whose names the other one has too."""
    mine, theirs = ({_stem(one) for one in each} for each in (names, others))
    return len(mine & theirs) / max(min(len(mine), len(theirs)), 1)


def _stem(name: str) -> str:
    return re.sub(r"(ies|s)$", "", name.lower())
