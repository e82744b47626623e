"""Tasks of kind `do-if-else`: what to do depends on a fact that must be looked up."""

import datetime as dt

from registry.package.pack import Alternative
from synth.lang.types import Type
from synth.reference.state import Ref
from synth.tasks.chain import CLOSING, Story, Workshop, next_step
from synth.tasks.describe import Described, describe
from synth.tasks.draft import Draft, Script, accepted_change
from synth.tasks.english import enum_words, say_date, say_number
from synth.tasks.nouns import field_words
from synth.tasks.phrase import Phrase, as_phrase, fact
from synth.tasks.play import Stuck
from synth.tasks.textfacts import facts_of_changes


def make_branch(shop: Workshop) -> Draft | None:
    """A request with a condition on a row near its operations; both branches can be done and differ. None when this try fails."""
    story = Story(state=shop.state, steps=[], known={})
    first = next_step(shop, story, "s0")
    if first is None:
        return None
    story.steps.append(first[0])
    story.near = _near(shop, first[0].proposal.values.values())
    second = next_step(shop, story, "s1")
    if second is None:
        return None
    story.steps.append(second[0])
    condition = _condition(shop, story)
    if condition is None:
        return None
    subject, words, holds = condition
    yes, no = story.steps
    message = as_phrase("If ") + words + ", " + yes.phrase.stripped(".") + ". Otherwise " + no.phrase.stripped(".") + "." + CLOSING
    return _finish(shop, story, subject, message, holds=holds)


def _near(shop: Workshop, values: object) -> frozenset[tuple[str, str]]:
    found: frozenset[tuple[str, str]] = frozenset()
    for value in values:  # type: ignore[attr-defined]
        for one in value if isinstance(value, list) else [value]:
            if isinstance(one, Ref):
                found = found | shop.kinship.of(one.entity, one.key)
    return found


def _condition(shop: Workshop, story: Story) -> tuple[Described, Phrase, bool] | None:
    """A described row near the story, a statement about it, and whether it is true."""
    rows = sorted(story.near)
    shop.rng.shuffle(rows)
    for entity, key in rows:
        ref = Ref(entity, key)
        described = story.known.get(ref) or describe(shop.view, entity, key, "c", shop.rng)
        if described is None or described.extra or "'s" in str(described.phrase):
            continue
        stated = {leaf.path[0] for leaf in described.leaves if len(leaf.path) == 1}
        for field in shop.rng.sample(shop.domain.entity(entity).fields, len(shop.domain.entity(entity).fields)):
            if field.name in stated or field.role != "value" or field.match != "exact" or field.type.optional:
                continue
            value = shop.view.value(entity, key, (field.name,))
            statement = _statement(shop, field.name, field.type, value)
            if statement is not None:
                text, holds = statement
                return described, described.phrase + f"'s {field_words(shop.domain, entity, field)} is " + fact(text, "c.value"), holds
    return None


def _statement(shop: Workshop, name: str, kind: Type, value: object) -> tuple[str, bool] | None:
    """`premium` or `at least 100`: words after `is`, and whether they are true of `value`."""
    holds = shop.rng.random() < 0.5
    if kind.kind == "enum":
        words = next((one.words for one in shop.domain.enums if one.name == kind.name), ())
        others = [word for word in words if word != value]
        if not others:
            return None
        return enum_words(str(value) if holds else shop.rng.choice(others)), holds
    if kind.kind == "money" and value is not None:
        amount = int(value)  # type: ignore[call-overload]
        step = max(5, amount // 4 // 5 * 5)
        bound = max(5, (amount // 5) * 5) if holds else (amount // 5 + 1) * 5 + step
        return f"at least {say_number(bound, 0)}", value >= bound
    if isinstance(value, dt.date) and not isinstance(value, dt.datetime):
        bound_day = value + dt.timedelta(days=shop.rng.randint(1, 9) if holds else -shop.rng.randint(0, 9))
        return f"before {say_date(bound_day, shop.view.today)}", holds
    if kind.kind == "integer" and isinstance(value, int) and value > 0:
        least = value if holds else value + shop.rng.randint(1, 3)
        return f"at least {say_number(least, 0)}", holds
    return None


def _finish(shop: Workshop, story: Story, subject: Described, words: Phrase, *, holds: bool) -> Draft | None:
    script = Script(shop.domain, shop.state, words)
    chosen, other = story.steps if holds else reversed(story.steps)
    try:
        script.find(subject)
        script.find_all(chosen)
        script.perform(chosen)
        against = Script(shop.domain, shop.state, words)
        against.find_all(other)
        against.perform(other)
    except Stuck:
        return None
    accepted = accepted_change(shop.domain, shop.state, script.play.state)
    wrong: Alternative = accepted_change(shop.domain, shop.state, against.play.state)
    if accepted == wrong:
        return None
    return Draft(
        kind="do-if-else",
        instruction=str(words),
        calls=tuple(script.play.calls),
        outcome="done",
        accepted=(accepted,),
        tools=tuple(dict.fromkeys(call.tool for call in script.play.calls)),
        facts=facts_of_changes(shop.domain, accepted),
        conditions=1,
    )
