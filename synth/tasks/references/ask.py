"""How a call is asked for: a wording of its tool with rows described and values said."""

import re
from dataclasses import dataclass
from typing import Any

from synth.lang.domain import Param, Tool, Wording
from synth.reference.state import Ref
from synth.tasks.chance import Chance
from synth.tasks.references.describe import Described, describe
from synth.tasks.references.refer import refer
from synth.tasks.rows.propose import Proposal
from synth.tasks.rows.view import View
from synth.tasks.wording.english import STIFF, article, quoted, say
from synth.tasks.wording.phrase import Phrase, as_phrase, fact, joined

_REASON = re.compile(r"(?<!\{)\b(?:reason|ground|source|cause)\b")
NEAR = 25
LONG = 8
"""After a row for which it takes more words, the others of the same call are called by their usual names."""
MOST = 12
"""A row for which it takes more stands at the end of the sentence, or is called by its usual name."""
SHORT_OBJECT = 4
"""Objects of more words stand behind the particle of their verb: `take back the item of …`."""
_SEPARABLE = re.compile(
    r"\b(?:take|taken|bring|brought|send|sent|hand|handed|give|given|call|write|turn|pick|switch|shut|strike|lay|sign|pay|open|close|lock|hold"
    r"|leave) $"
)
_PARTICLE = re.compile(r" (?:back|off|away|out|up|down|over)(?= and | as |[.,;]|$)")
_TAIL = re.compile(r"(?! (?:and|for|as|because|from|until|so|to|by) )(?: [a-z]+){1,5}(?=[.,;]|$| and )")
_INDICATIVE = re.compile(r"(?:we|I|new|a payment|nobody|the|they|note|mail|email|it|there|today)\b|on \{[a-z_]+\} \{")
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


def imperative(wording: Wording) -> bool:
    """Whether the wording asks for something to be done, and does not tell that something has happened: only then may an `if` stand before it."""
    text = wording.text.removeprefix("please ")
    return " should " in text or not (text.startswith("{") or _INDICATIVE.match(text))


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
        winding = any(len(str(one.phrase).split()) > LONG for _, several in rows for one in several)
        described = _described(view, value, f"{prefix}.{found.group(1)}", rng, known, wording.text[at:], plain=winding)
        if described is None:
            if _is_rows(value):
                return None
            phrase = say_parameter(view, phrase, proposal, wording.text, (found.start(), at, found.group(1)), prefix)
            continue
        if found.group(2):
            return None
        words = joined(one.phrase for one in described)
        if wording.text[at : at + 2] == "'s" and ("'s" in str(words) or any(one.extra for one in described)):
            return None
        rows.append((found.group(1), described))
        particle = _PARTICLE.match(wording.text[at:]) if len(str(words).split()) > SHORT_OBJECT and _SEPARABLE.search(str(phrase)) else None
        if particle is not None:
            phrase = phrase + particle.group().strip() + " "
            at += particle.end()
        phrase = phrase + words
    return Asked(phrase=phrase + wording.text[at:], prefix=prefix, proposal=proposal, rows=tuple(rows))


def slot_places(text: str) -> list[tuple[int, int, str]]:
    """Where the slots of a wording stand, and the parameter that each names."""
    return [(found.start(), found.end(), found.group(1)) for found in _SLOT.finditer(text)]


def say_parameter(view: View, before: Phrase, proposal: Proposal, text: str, place: tuple[int, int, str], prefix: str) -> Phrase:
    """The words so far with a value that is no row, tagged `{prefix}.{parameter}`.

    Args:
        text: The wording.
        place: As `slot_places` gives it.
    """
    start, end, name = place
    param = next(one for one in proposal.tool.params if one.name == name)
    entered = text[end:].strip() == "" and text[:start].endswith(("put down ", "enter ", "note ", "reason: "))
    about_why = (
        entered or text[:start].endswith((" of the kind ", " severity ")) or _REASON.search(text[max(0, start - NEAR) : end + NEAR]) is not None
    )
    return _with_article(before, _said(view, param, proposal.values[name], f"{prefix}.{name}", about_why=about_why))


def _is_rows(value: Any) -> bool:
    return isinstance(value, Ref) or (isinstance(value, list) and bool(value) and isinstance(value[0], Ref))


def _described(
    view: View, value: Any, prefix: str, rng: Chance, known: dict[Ref, Described], after: str, *, plain: bool
) -> tuple[Described, ...] | None:
    """Words for the rows.

    Args:
        after: The wording behind them.
        plain: Whether they are to be called by their usual names, as are several rows in a list.
    """
    if not _is_rows(value):
        return None
    result = []
    rows = value if isinstance(value, list) else [value]
    for index, one in enumerate(rows):
        if one not in known:
            words = (describe if plain or len(rows) > 1 else refer)(view, one.entity, one.key, f"{prefix}{index}", rng)
            if words is not None and _too_long(words, after):
                words = describe(view, one.entity, one.key, f"{prefix}{index}", rng) or words
            if words is None:
                return None
            known[one] = words
        result.append(known[one])
    return tuple(result)


def _too_long(words: Described, after: str) -> bool:
    """Whether a few words that belong to the verb stand behind a long object, as in `put … on hold`: nobody would see what they belong to."""
    length = len(str(words.phrase).split())
    return (length > MOST and "{" in after) or (bool(_TAIL.match(after)) and not _PARTICLE.match(after) and length > SHORT_OBJECT)


def _with_article(before: Phrase, said: Phrase) -> Phrase:
    """The two joined; an indefinite article at the end of the first is made to fit the second."""
    for wrong in (" a ", " an "):
        if str(before).endswith(wrong):
            return before.stripped(wrong) + f" {article(str(said))} " + said
    return before + said


def _said(view: View, param: Param, value: Any, tag: str, *, about_why: bool) -> Phrase:
    """The value; free texts, and words to be entered as they are, in quotation marks."""
    text = say(value, param.type, view.today)
    free = param.of is not None and view.domain.entity(param.of[0]).field(param.of[1]).match == "text"
    if param.type.kind == "text" and (free or len(text.split()) > 3):
        return as_phrase('"') + fact(text, tag) + '"'
    if param.type.kind == "enum" and (about_why or text in STIFF):
        return fact(quoted(text), tag)
    return fact(text, tag)
