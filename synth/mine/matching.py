"""Whether a task can be expressed in a domain: what it asks for against tools, and what it is about against entities."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from synth.lang.domain import Domain, Tool
from synth.mine.words import groups, nouns, stem, verbs

LEAST_KNOWN = 0.4
"""Share of the nouns of a task that the domain must know; the others may be values."""
_VAGUE = frozenset(
    stem(one)
    for one in "change update move set add make put give take get have has is are do be enter record mark note check see know ask end open close "
    "send pay remove delete create find list show look who which what when where how count does book place let".split()
)
"""Verbs that are said of anything."""
_DERIVED = {"create": "make", "update": "change", "delete": "end", "search": "read", "get": "read", "list": "read", "calculator": "read"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Match:
    """What a task comes to in a domain.

    Attributes:
        tool: The tool that fits best; empty for none.
        known: Share of the task's nouns that the domain knows.
        telling: Whether the tool is named by a verb of the task that means one thing only, so that all nouns may be values.
        missing: Nouns that it does not know.
    """

    tool: str
    known: float
    telling: bool = False
    missing: tuple[str, ...] = ()

    @property
    def expressible(self) -> bool:
        """Whether there is a tool for it, and the domain speaks of what it is about."""
        return bool(self.tool) and (self.telling or self.spoken_of)

    @property
    def spoken_of(self) -> bool:
        """Whether the domain speaks of what the task is about, whatever its verb tells."""
        return self.known >= LEAST_KNOWN


@dataclass(frozen=True, slots=True)
class _Vocabulary:
    """What a tool does and to what; all as stems."""

    name: str
    kinds: frozenset[str]
    actions: frozenset[str]
    things: frozenset[str]


class Matcher:
    """Holds the words of one domain."""

    def __init__(self, domain: Domain) -> None:
        self.id = domain.id
        said = [word for name, words in domain.glossary for word in (name.partition(".")[0], *words)]
        entities = [word for one in domain.entities for word in (one.name, one.description, one.plural, *(field.name for field in one.fields))]
        states = [word for one in domain.enums for word in one.words]
        self._known = _stems([domain.title, domain.about, *said, *entities, *states])
        self._tools = tuple(_vocabulary(domain, one) for one in domain.tools)
        self._known |= frozenset().union(*(one.things for one in self._tools), *(one.actions for one in self._tools))

    def match(self, task: str) -> Match:
        """The tool that fits a task best."""
        asked, about = verbs(task), nouns(task)
        wanted, kinds = {stem(one) for one in asked}, groups(asked)
        question = "?" in task or bool(re.match(r"(please )?(tell me |show |list |find |which |who |how many )", task.lower()))
        if question:
            kinds = frozenset({"read"})
        missing = tuple(dict.fromkeys(one for one in about if one not in self._known))
        known = 1 - sum(one in missing for one in about) / len(about) if about else 0.0
        able = [one for one in self._tools if not question or "read" in one.kinds]
        whole = bool(about) and not missing
        best = max(((_fit(one, wanted, kinds, set(about), whole=whole), one.name, one) for one in able), key=lambda one: one[:2], default=None)
        if best is None or best[0] <= 0:
            return Match(tool="", known=known, missing=missing)
        return Match(tool=best[1], known=known, telling=bool(best[2].actions & wanted - _VAGUE) and not question, missing=missing)


def _fit(tool: _Vocabulary, wanted: set[str], kinds: frozenset[str], about: set[str], *, whole: bool) -> float:
    """0 where verb or noun do not meet at all; the verb itself counts more than its kind.

    Args:
        whole: Whether the domain knows all that the task is about, so that a verb said of anything tells something too.
    """
    things = len(tool.things & about)
    if not things:
        return 1.0 if tool.actions & wanted - _VAGUE else 0.5 if whole and tool.actions & wanted else 0.0
    if tool.actions & wanted:
        return 2.0 + things
    return 1.0 + things / 2 if tool.kinds & kinds else 0.0


def _vocabulary(domain: Domain, tool: Tool) -> _Vocabulary:
    wordings = [one.text for one in (*tool.asked, *tool.bulk, *(word for _, words in tool.asked_fields for word in words))]
    bare = [wording.replace("{", " ").replace("}", " ") for wording in wordings]
    spoken = tuple(word for one in (tool.name.replace("_", " "), *bare) for word in verbs(one))
    types = [one.type.name for one in tool.params if one.type.name] + ([tool.entity] if tool.entity else [])
    kinds = {_DERIVED[tool.kind]} if tool.kind in _DERIVED else (frozenset({"read"}) if tool.read_only else groups(spoken) - {"read"})
    said = [word for name, words in domain.glossary if name.partition(".")[0] in types for word in words]
    if tool.search is not None or tool.kind in ("get", "list"):
        said += [field.name for one in domain.entities if one.name == tool.entity for field in one.fields]
    things = _stems([tool.name.replace("_", " "), tool.doc, *bare, *types, *said, *(one.name for one in tool.params)])
    return _Vocabulary(tool.name, frozenset(kinds), frozenset(stem(one) for one in spoken), things)


def _stems(texts: Sequence[str]) -> frozenset[str]:
    found = set()
    for text in texts:
        apart = re.sub(r"([a-z])([A-Z])", r"\1 \2", text).replace("_", " ").lower()
        found |= {stem(one) for one in re.findall(r"[a-z]{3,}", apart)}
    return frozenset(found)
