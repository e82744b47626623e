"""Changes of one cell that give a question about a set another answer."""

from collections.abc import Iterator
from typing import Any

from registry.package.change import Stored
from synth.reference.values import encoder
from synth.tasks.draft import Draft, Patch
from synth.tasks.play import Play
from synth.tasks.references.lookup import argument_of
from synth.tasks.workshop import Workshop

VALUES = 6


def other_figures(shop: Workshop, draft: Draft) -> Iterator[Patch]:
    """Patches of the column that the answer is read from (for a count, of one that it goes by), in rows of the set: those that decide it first."""
    reading = draft.reading
    assert reading is not None
    assert draft.answer is not None
    right = draft.answer.value
    play = Play(shop.domain, shop.state)
    for call in draft.calls:
        play.repeat(call)
    items = [item for result in play.results[reading.call :] for item in result.get("items", ()) if item["id"] in shop.state.tables[reading.entity]]
    shop.rng.shuffle(items)
    columns = [reading.column] if reading.column else _filtered(shop, draft)
    for item in sorted(items, key=lambda one: not _decides(one.get(reading.column), right)):
        row = shop.state.tables[reading.entity][item["id"]]
        for column in columns:
            for value in _values(shop, reading.entity, column, item["id"]):
                if value is not None and value != row[column]:
                    yield ((reading.entity, item["id"], {**row, column: value}),)


def _filtered(shop: Workshop, draft: Draft) -> list[str]:
    """The columns by which the search of a count leaves rows out."""
    assert draft.reading is not None
    call = draft.calls[draft.reading.call]
    tool = shop.domain.tool(call.tool)
    fields = [one.field for one in tool.search.filters if argument_of(tool, one.param) in call.arguments] if tool.search else []
    return [column.name for name in dict.fromkeys(fields) for column in shop.domain.entity(draft.reading.entity).field(name).columns[:1]]


def _decides(shown: Any, answer: str) -> bool:
    """Whether the row holds the value that is the answer."""
    try:
        return str(shown) == answer or float(shown) == float(answer)
    except (TypeError, ValueError):
        return False


def _values(shop: Workshop, table: str, name: str, key: str) -> Iterator[Stored]:
    """Other values of the column: for a reference, rows that others of the table refer to."""
    entity = shop.domain.entity(table)
    field = next(one for one in entity.fields for column in one.columns if column.name == name)
    if field.role == "reference":
        others = {shop.state.tables[entity.name][one][name] for one in shop.view.keys(entity.name)}
        yield from shop.rng.sample(sorted(str(one) for one in others if one not in (None, shop.state.tables[table][key][name])), VALUES)
        return
    present = shop.view.value(entity.name, key, (field.name,))
    for _ in range(VALUES):
        yield encoder(field.type)(shop.proposer(shop.state).near((entity.name, field.name), present))
