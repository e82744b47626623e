"""Tasks of kind `do-if-else`: what to do depends on a fact that must be looked up."""

import datetime as dt
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple

from registry.package.change import Stored
from synth.lang.domain import Domain, Field, Tool
from synth.lang.types import Type
from synth.reference.state import Ref
from synth.reference.values import encoder
from synth.tasks.draft import Draft, Patch, accepted_change, done_draft
from synth.tasks.kinds.chain import Story, described_rows, next_step, refs
from synth.tasks.play import Stuck
from synth.tasks.references.ask import Asked
from synth.tasks.references.describe import Described, describe
from synth.tasks.solving.allow import changed_rows
from synth.tasks.wording.english import STIFF, be, enum_words, is_plural, of_or_own, quoted, say_date, say_number
from synth.tasks.wording.nouns import field_words, is_noun, measure_words
from synth.tasks.wording.phrase import Phrase, as_phrase, fact
from synth.tasks.wording.smooth import OTHERWISE, THEN, smooth
from synth.tasks.wording.style import CLOSING
from synth.tasks.workshop import Workshop

RELATED_TRIES = 2
MOST_FACTS = 12
_A_PLURAL = re.compile(r"\b([a-z]{2,})s\b")
DATED = ("date", "datetime")
"""Types of facts on which less depends than on an amount; states come last, as what can be done depends on them too."""
LEADS = (
    "What I need next depends on something else. If ",
    "It depends on how things stand elsewhere. If ",
    "Please look something up first, as it decides what to do. If ",
    "What is to be done hangs on another matter. If ",
)
LEADS_HERE = ("It depends. If ", "Please check this first. If ", "Have a look first, please. If ")
"""The same where the condition is about a row of one of the branches."""


@dataclass(frozen=True, slots=True)
class Fits:
    """Whether a stored value is this word, so much at least, or before this day; no closure, so that drafts can be kept."""

    how: Literal["is", "at least", "before"]
    value: str | int

    def __call__(self, stored: Stored) -> bool:
        """Of a value that may be None or of another kind."""
        if self.how == "is":
            return stored == self.value
        if self.how == "before":
            return str(stored) < str(self.value)
        return isinstance(stored, int) and isinstance(self.value, int) and stored >= self.value


class Statement(NamedTuple):
    """Words after `is`, whether they are true of a stored value, and whether they are as things are."""

    text: str
    true_of: Callable[[Stored], bool]
    holds: bool


def make_branch(shop: Workshop) -> Draft | None:
    """A request with a condition on a row near its operations; both branches can be done and differ. None when this try fails."""
    story = Story(state=shop.state, steps=[], known={})
    first = next_step(shop, story, "s0", conditional=True, fits=lambda tool: bool(_entities(tool)))
    if first is None:
        return None
    story.steps.append(first[0])
    story.near = _near(shop, first[0].proposal.values.values())
    second = _akin_step(shop, story)
    if second is None:
        return None
    story.steps.append(second)
    condition = _condition(shop, story)
    if condition is None:
        return None
    subject, words, column, statement = condition
    yes, no = story.steps
    message = (
        as_phrase(_lead_in(shop, story, subject)) + words + THEN + yes.phrase.stripped(".") + OTHERWISE + no.phrase.stripped(".") + "." + CLOSING
    )
    return _finish(shop, story, subject, column, smooth(message), statement)


def _akin_step(shop: Workshop, story: Story) -> Asked | None:
    """The other branch: rather one that has to do with the rows of the first."""
    known, close = dict(story.known), {entity for entity, _ in story.near}
    for _ in range(RELATED_TRIES):
        step = next_step(shop, story, "s1", conditional=True, fits=lambda tool: bool(_entities(tool) & close))
        if step is not None and story.near & _near(shop, step[0].proposal.values.values()):
            return step[0]
        story.known = dict(known)
    step = next_step(shop, story, "s1", conditional=True)
    return None if step is None else step[0]


def _entities(tool: Tool) -> set[str]:
    """The entities of which a call of the tool names rows."""
    kinds = [param.type.item or param.type for param in tool.params]
    return {entity for kind in kinds if kind.kind == "row" for entity in kind.entities}


def _touched(story: Story) -> dict[tuple[str, str], int]:
    """How many of the branches name each row."""
    found: dict[tuple[str, str], int] = {}
    for asked in story.steps:
        for one in set(refs(asked.proposal)):
            found[one.entity, one.key] = found.get((one.entity, one.key), 0) + 1
    return found


def _lead_in(shop: Workshop, story: Story, subject: Described) -> str:
    """`If `, after a sentence that makes ready for a condition on something that has nothing to do with one of the branches."""
    named = [_near(shop, asked.proposal.values.values()) for asked in story.steps]
    if all((subject.entity, subject.key) in rows for rows in named):
        return "If "
    return shop.rng.choice(LEADS if (subject.entity, subject.key) not in _touched(story) else LEADS_HERE)


def _near(shop: Workshop, values: object) -> frozenset[tuple[str, str]]:
    found: frozenset[tuple[str, str]] = frozenset()
    for value in values:  # type: ignore[attr-defined]
        for one in value if isinstance(value, list) else [value]:
            if isinstance(one, Ref):
                found = found | shop.kinship.of(one.entity, one.key)
    return found


def _condition(shop: Workshop, story: Story) -> tuple[Described, Phrase, str, Statement] | None:
    """A described row near the story, words for a condition on it, the column that it speaks of, and the statement."""
    touched = _touched(story)
    rows = sorted(story.near | touched.keys())
    shop.rng.shuffle(rows)
    for entity, key in sorted(rows, key=lambda row: -touched.get(row, 0)):
        ref = Ref(entity, key)
        described = story.known.get(ref) or describe(shop.view, entity, key, "c", shop.rng)
        if described is None or ((described.extra or "'s" in str(described.phrase)) and not _a_query(described, ref, touched)):
            continue
        stated = {leaf.path[0] for leaf in described.leaves if len(leaf.path) == 1}
        fields = shop.rng.sample(shop.domain.entity(entity).fields, len(shop.domain.entity(entity).fields))
        for field in sorted(fields, key=lambda one: (one.lifecycle is not None, one.type.kind in DATED)):
            if field.name in stated or field.role != "value" or field.match != "exact" or field.type.optional or field.name == "position":
                continue
            if not is_noun(shop.domain, entity, field) or tells(shop.domain, field.type, described.phrase):
                continue
            value = shop.view.value(entity, key, (field.name,))
            statement = statement_of(shop, field, value)
            if statement is not None:
                words = condition_words(shop.domain, entity, field, described.phrase, statement.text)
                return described, words, field.columns[0].name, statement
    return None


def _a_query(described: Described, ref: Ref, touched: dict[tuple[str, str], int]) -> bool:
    """Whether the words for a row of a branch can stand behind `the status of`: `the item with the lowest value among those of …`."""
    return (ref.entity, ref.key) in touched and ", " not in str(described.phrase)


def condition_words(domain: Domain, entity: str, field: Field, row: Phrase, stated: str) -> Phrase:
    """`Ruth Moore's plan is "basic"`, `the status of the case about … is open`, `Harrowgate farm has at least 20 pallet places`."""
    named = field_words(domain, entity, field)
    counted = is_plural(named) and field.type.kind == "integer"
    things = measure_words(domain, entity, field).removeprefix("number of ")
    if counted and things != measure_words(domain, entity, field):
        things = _A_PLURAL.sub(r"\1", things, count=1) if stated.endswith(" 1") else things
        return row + " has " + fact(stated, "c.value") + f" {things}"
    return _subject(measure_words(domain, entity, field) if counted else named, row) + fact(stated, "c.value")


def _subject(named: str, row: Phrase) -> Phrase:
    """`Ruth Moore's plan is `, `the status of the case about … is `."""
    if of_or_own(named, str(row)):
        return as_phrase(f"the {named} of ") + row + f" {be(named)} "
    return row + f"'s {named} {be(named)} "


def tells(domain: Domain, kind: Type, row: Phrase) -> bool:
    """Whether the words for a row hold a word of the enum, as in `Harrowgate farm`, and so may give its value away."""
    words = next((one.words for one in domain.enums if one.name == kind.name), ()) if kind.kind == "enum" else ()
    said = {one.removesuffix("s") for one in re.findall(r"[a-z]+", str(row).lower())}
    return any({one.removesuffix("s") for one in enum_words(word).lower().split()} & said for word in words)


def statement_of(shop: Workshop, field: Field, value: object) -> Statement | None:
    """`booked`, `"premium"` or `at least 100`: a statement that is true or false of `value`, by chance; nobody says `at least -20`."""
    holds, kind = shop.rng.random() < 0.5, field.type
    if kind.kind == "enum":
        words = next((one.words for one in shop.domain.enums if one.name == kind.name), ())
        others = [word for word in words if word != value]
        if not others:
            return None
        word = str(value) if holds else shop.rng.choice(others)
        said = enum_words(word)
        bare = field.lifecycle is not None and said not in STIFF and " " not in said
        return Statement(said if bare else quoted(said), Fits("is", word), holds)
    if kind.kind == "money" and value is not None and value > 0:  # type: ignore[operator]
        amount = int(value)  # type: ignore[call-overload]
        step = max(5, amount // 4 // 5 * 5)
        bound = max(5, (amount // 5) * 5) if holds else (amount // 5 + 1) * 5 + step
        return Statement(f"at least {say_number(bound, 0)}", Fits("at least", bound * 100), bool(value >= bound))
    if isinstance(value, dt.date) and not isinstance(value, dt.datetime):
        bound_day = value + dt.timedelta(days=shop.rng.randint(1, 9) if holds else -shop.rng.randint(0, 9))
        return Statement(f"before {say_date(bound_day, shop.view.today)}", Fits("before", bound_day.isoformat()), holds)
    if kind.kind == "integer" and isinstance(value, int) and value > 0:
        least = value if holds else value + shop.rng.randint(1, 3)
        return Statement(f"at least {say_number(least, 0)}", Fits("at least", least), holds)
    return None


def otherwise(shop: Workshop, draft: Draft) -> Iterator[Patch]:
    """Patches of the fact that decides: the nearest values first that some row has and under which the other branch is due, with what goes with them.

    Last the row exchanges the fact with another one, where it has to be as often in the end.
    """
    if draft.condition is None or draft.statement is None:
        return
    table, key, column = draft.condition
    entity, row = shop.domain.entity(table), shop.state.tables[table][key]
    field = next(one for one in entity.fields if any(each.name == column for each in one.columns))
    rows = [*changed_rows(shop, entity, field, Ref(table, key), None, most=MOST_FACTS), *({**row, column: one} for one in _facts(shop, table, field))]
    other = [one for one in rows if one[column] is not None and draft.statement(one[column]) != draft.holds]
    present = row[column]
    if isinstance(present, int):
        other.sort(key=lambda one: abs(int(one[column] or 0) - present))
    yield from (((table, key, one),) for one in other)
    for there in shop.rng.sample(shop.view.keys(table), MOST_FACTS):
        held = shop.state.tables[table][there]
        if held[column] is not None and draft.statement(held[column]) != draft.holds:
            yield ((table, key, {**row, column: held[column]}), (table, there, {**held, column: present}))


def _facts(shop: Workshop, table: str, field: Field) -> list[Stored]:
    """Values that the fact might have, each once: those of other rows, all words of an enum."""
    words = next((one.words for one in shop.domain.enums if one.name == field.type.name), ()) if field.type.kind == "enum" else ()
    drawn = [encoder(field.type)(shop.proposer(shop.state).like((table, field.name))) for _ in range(MOST_FACTS)]
    return list(dict.fromkeys([*shop.rng.sample(words, len(words)), *(one for one in drawn if one is not None)]))


def _finish(shop: Workshop, story: Story, subject: Described, column: str, words: Phrase, statement: Statement) -> Draft | None:
    script = shop.script(shop.state, words)
    chosen, other = story.steps if statement.holds else reversed(story.steps)
    try:
        script.find(subject)
        script.find_all(chosen)
        script.perform(chosen)
        against = shop.script(shop.state, words)
        against.find(subject)
        against.find_all(other)
        against.perform(other)
    except Stuck:
        return None
    if accepted_change(shop.domain, shop.state, script.play.state) == accepted_change(shop.domain, shop.state, against.play.state):
        return None
    return replace(
        done_draft(script, "do-if-else", described_rows(story.steps), tuple(asked.proposal for asked in story.steps)),
        condition=(subject.entity, subject.key, column),
        statement=statement.true_of,
        holds=statement.holds,
        other_calls=tuple(against.play.calls),
    )
