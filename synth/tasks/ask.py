"""How a call is asked for: a wording of its tool with rows described and values said."""

import re
from dataclasses import dataclass
from typing import Any

from synth.lang.domain import Param, Tool, Wording
from synth.reference.state import Ref
from synth.tasks.chance import Chance
from synth.tasks.describe import Described, describe
from synth.tasks.english import article, say
from synth.tasks.phrase import Phrase, as_phrase, fact, joined
from synth.tasks.propose import Proposal
from synth.tasks.view import View

_SLOT = re.compile(r"\{([a-z_][a-z0-9_]*)(?:\.([a-z_][a-z0-9_.]*))?\}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A call in words.

    Attributes:
        phrase: Scalars are tagged `{prefix}.{parameter}`, facts of rows as their description tags them.
        rows: The descriptions, by parameter, in order.
    """

    phrase: Phrase
    prefix: str
    proposal: Proposal
    rows: tuple[tuple[str, tuple[Described, ...]], ...]

    def tag(self, parameter: str) -> str:
        """The tag of a scalar parameter's words."""
        return f"{self.prefix}.{parameter}"


def slots(wording: Wording) -> frozenset[str]:
    """Parameters that a wording names (a bulk wording names `appointments` for the parameter `appointment`)."""
    return frozenset(found.group(1) for found in _SLOT.finditer(wording.text))


def wordings(tool: Tool) -> list[Wording]:
    """Wordings for one call that name every required parameter and nothing else."""
    required = {param.name for param in tool.params if param.required}
    names = {param.name for param in tool.params}
    offered = [*tool.asked, *(one for _, several in tool.asked_fields for one in several)]
    return [one for one in offered if required <= slots(one) <= names]


def ask(view: View, wording: Wording, proposal: Proposal, prefix: str, rng: Chance, known: dict[Ref, Described]) -> Asked | None:
    """The call in the words of `wording`; None when a row cannot be described or the words would clash.

    Args:
        known: Descriptions made before in the same instruction; new ones are added.
    """
    phrase = as_phrase("")
    rows: list[tuple[str, tuple[Described, ...]]] = []
    at = 0
    for found in _SLOT.finditer(wording.text):
        phrase = phrase + wording.text[at : found.start()]
        at = found.end()
        value = proposal.values[found.group(1)]
        described = _described(view, value, f"{prefix}.{found.group(1)}", rng, known)
        if described is None:
            param = next(one for one in proposal.tool.params if one.name == found.group(1))
            if _is_rows(value):
                return None
            phrase = _with_article(phrase, _said(view, param, value, f"{prefix}.{param.name}"))
            continue
        if found.group(2):
            return None
        words = joined(one.phrase for one in described)
        if wording.text[at : at + 2] == "'s" and ("'s" in str(words) or any(one.extra for one in described)):
            return None
        rows.append((found.group(1), described))
        phrase = phrase + words + ("," if any(one.extra for one in described) and wording.text[at : at + 1] == " " else "")
    return Asked(phrase=phrase + wording.text[at:], prefix=prefix, proposal=proposal, rows=tuple(rows))


def _is_rows(value: Any) -> bool:
    return isinstance(value, Ref) or (isinstance(value, list) and bool(value) and isinstance(value[0], Ref))


def _described(view: View, value: Any, prefix: str, rng: Chance, known: dict[Ref, Described]) -> tuple[Described, ...] | None:
    if not _is_rows(value):
        return None
    result = []
    for index, one in enumerate(value if isinstance(value, list) else [value]):
        if one not in known:
            words = describe(view, one.entity, one.key, f"{prefix}{index}", rng)
            if words is None:
                return None
            known[one] = words
        result.append(known[one])
    return tuple(result)


def _with_article(before: Phrase, said: Phrase) -> Phrase:
    """The two joined; an indefinite article at the end of the first is made to fit the second."""
    for wrong in (" a ", " an "):
        if str(before).endswith(wrong):
            return before.stripped(wrong) + f" {article(str(said))} " + said
    return before + said


def _said(view: View, param: Param, value: Any, tag: str) -> Phrase:
    text = say(value, param.type, view.today)
    if param.type.kind == "text" and len(text.split()) > 3:
        return as_phrase('"') + fact(text, tag) + '"'
    return fact(text, tag)
