"""The last touch on a message: what a person would not write twice, and small grammar where its parts meet."""

import re
from collections.abc import Sequence
from dataclasses import replace

from synth.tasks.wording.english import article
from synth.tasks.wording.phrase import Mention, Part, Phrase

_ARTICLE = re.compile(r"\b(?:[Tt]he|[Aa]n?|[Ww]hich) $")
OWN = {"it": "its", "them": "their"}
_OF = re.compile(r"(?:^|(?<=\s))the ([a-z]+(?: [a-z]+)?) of $")
"""What is somebody's: `the tier of them` is `their tier`."""
THEN, OTHERWISE = ", ", ". Otherwise, "
"""What stands before the two branches of a request: no pronoun of one means a row of the other."""
_CLAUSE = re.compile(r"(?:^|[.!?:;\n]|(?:^|[.,] )(?:Otherwise,?|If .*,|Also,|Then|And|Next,?|First,?|Second,?|Third,?))\s*$")
_MODALS = frozenset("may can will should must would could".split())
_NO_VERBS = frozenset("as its his plus this always besides across towards".split())
_PLURAL_AFTER = re.compile(r"^ ([a-z]{3,})s\b")


def smooth(message: Phrase) -> Phrase:
    """The message with every fact in it as before, in better English."""
    return Phrase(tuple(_joints(_mentions(message.parts))))


def _mentions(parts: Sequence[Part]) -> list[Part]:
    """A row that was mentioned before is `it`, `them` or `that visit`, where this can mean no other row."""
    seen: list[Mention] = []
    result: list[Part] = []
    owning = ""
    runs = _runs(parts)
    told: list[Mention] = []
    elsewhere: list[Mention] = []
    branch = slice(0, 0)
    for place, run in enumerate(runs):
        row = run[0].row
        if row is None and run[0].text == THEN:
            told, branch = list(seen), slice(len(result), len(result))
        elif row is None and run[0].text == OTHERWISE:  # nothing was said of what stands in the other branch
            elsewhere = [one for one in seen if one not in told]  # but a reader has heard of it, and might take `that visit` for it
            seen, branch = told, slice(branch.start, len(result))
        if row is None:
            result += [replace(run[0], text=run[0].text.removeprefix(owning))]
            owning = ""
        elif row not in seen:
            result += _theirs(run, result[: branch.start] + result[branch.stop :], seen)
            seen.append(row)
        else:
            said = _again(row, [*seen, *elsewhere], "".join(part.text for part in result))
            if said is None and result and not result[-1].tag and result[-1].text.endswith(" the "):  # `the deposit on the {model}`
                said = _again(row, [*seen, *elsewhere], "".join(part.text for part in result).removesuffix("the "))
                said = None if said is None else f"that {row.noun}"
                result[-1] = result[-1] if said is None else replace(result[-1], text=result[-1].text.removesuffix("the "))
            if said == "them" and place + 1 < len(runs) and _is_verb(runs[place + 1][0].text):
                said = f"that {row.noun}"
            row = replace(row, apposed=False)
            owned = place + 1 < len(runs) and runs[place + 1][0].text.startswith("'s")
            owning = "'s" if said in OWN and owned else ""
            if said in OWN and not owned and (its := _OF.search(result[-1].text if result and not result[-1].tag else "")):
                result[-1] = replace(result[-1], text=result[-1].text[: its.start()])
                result.append(Part(f"{OWN[said]} {its.group(1)}", row=row))
                continue
            result += run if said is None else [Part(OWN[said] if owning else said, row=row)]
    return result


def _is_verb(text: str) -> bool:
    """Whether the text begins with a verb of which the person before it is the subject, so that they cannot be `them`."""
    found = re.match(" ([a-z]+)", text)
    word = "" if found is None else found.group(1)
    return word in _MODALS or (word.endswith("s") and word not in _NO_VERBS)


def _theirs(run: Sequence[Part], before: Sequence[Part], seen: Sequence[Mention]) -> list[Part]:
    """The words for a row with `their` for its owner, where the owner was named before and nobody else was."""
    owner = next((part.within for part in run if part.within is not None and part.within.person), None)
    if owner is None or not _only(owner, before, seen):
        return list(run)
    first = next(place for place, part in enumerate(run) if part.within == owner)
    last = next((place for place in range(first, len(run)) if run[place].within != owner), len(run))
    if any(part.text for part in run[:first]) or last == len(run) or not run[last].text.startswith("'s "):
        return list(run)
    known = {(part.tag.rsplit(".", 1)[-1], part.text): part.tag for part in before if part.tag and _names(part, owner)}
    also = tuple((part.tag, known.get((part.tag.rsplit(".", 1)[-1], part.text), "")) for part in run[first:last] if part.tag)
    if not also or not all(same for _, same in also):
        return list(run)
    their = Part("their", row=run[first].row, also=also)
    return [their, replace(run[last], text=run[last].text.removeprefix("'s")), *run[last + 1 :]]


def _names(part: Part, row: Mention) -> bool:
    return any(one is not None and (one.entity, one.key) == (row.entity, row.key) for one in (part.row, part.within))


def _only(owner: Mention, before: Sequence[Part], seen: Sequence[Mention]) -> bool:
    """Whether all people whom the message has named so far are this one."""
    people = {(one.entity, one.key) for part in before for one in (part.row, part.within) if one is not None and one.person}
    unknown = any(one.people and not any(part.row == one and part.within for part in before) for one in seen)
    return people == {(owner.entity, owner.key)} and not unknown


def _runs(parts: Sequence[Part]) -> list[list[Part]]:
    runs: list[list[Part]] = []
    for part in parts:
        if runs and part.row is not None and runs[-1][0].row == part.row:
            runs[-1].append(part)
        else:
            runs.append([part])
    return runs


def _again(row: Mention, seen: Sequence[Mention], before: str) -> str | None:
    """What to say instead of the row's words; None where only they will do."""
    if _ARTICLE.search(before):
        return None
    others = [one for one in seen if one != row]
    if any(row.entity in (one.entity, *one.inside) for one in others):
        return None
    if _CLAUSE.search(before):
        return f"that {row.noun}"
    if row.person:
        return f"that {row.noun}" if any(one.person or one.people for one in others) else "them"
    return f"that {row.noun}" if others or row.inside else "it"


def _joints(parts: Sequence[Part]) -> list[Part]:
    result: list[Part] = []
    for place, part in enumerate(parts):
        if not part.text:
            continue
        before = "".join(one.text for one in result[-3:])
        if result and (closing := result[-1].row) is not None and closing.apposed and part.row != closing and re.match(" [a-z]", part.text):
            result.append(Part(","))
        if result and part.row is not None and _ARTICLE.search(before) and part.text.startswith("the "):
            part = replace(part, text=part.text[4:])
            result = [*result[:-1], _fitting(result[-1], part.text or "".join(one.text for one in parts[place + 1 :]))]
        result.append(replace(part, text=_joint(before, result[-1] if result else None, part.text)) if not part.tag else part)
    return result


def _fitting(before: Part, following: str) -> Part:
    """The part with its indefinite article made to fit."""
    found = re.search(r"\ban? $", before.text)
    if found is None or before.tag:
        return before
    return replace(before, text=before.text[: found.start()] + article(following) + " ")


def _joint(before: str, last: Part | None, text: str) -> str:
    """Untagged text as it reads after what stands before it."""
    if text.startswith("'s") and before.endswith("s"):
        text = "'" + text[2:]
    if text.startswith(".") and re.search(r"[.!?]\"$", before):
        text = text[1:]
    if text.startswith('".') and re.search(r"[.!?]$", before):
        text = '"' + text[2:]
    if last is not None and last.text == "1":
        text = _PLURAL_AFTER.sub(r" \1", text)
    return text
