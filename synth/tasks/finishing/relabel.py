"""Gives the rows of a pack's world their final ids, in the world and in all that gold says."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from registry.package.change import ColumnChange, RowChange
from registry.package.compound import renamed
from registry.package.pack import Alternative, Declined, GoldCall, Reason, Source
from synth.data.renumber import NewIds, renumber
from synth.data.stream import Stream
from synth.lang.domain import Domain
from synth.reference.interpret import reference
from synth.reference.state import Ref, Row, State
from synth.reference.tables import Tables
from synth.tasks.draft import Draft, Gathered, Patch, Wanted, start_of
from synth.tasks.rows.propose import Proposal
from synth.tasks.solving.recheck import refreshed, same_outcome

_NAMED = re.compile(r"\[id=([^\],]+)\]")


def relabel(domain: Domain, state: State, drafts: tuple[Draft, ...], stream: Stream) -> tuple[State, tuple[Draft, ...]]:
    """The state with ids in an order that tells nothing of how a row was made, and the tasks that hold in it, with those ids.

    Pages of results are ordered by id, so a look-up may come to another page, and rows made for one task may be in the way of another: a
    task that is not right any more is dropped, with its twin; sums and counts are taken again. In the new order
    the rows of as few tasks as can be come first or last in their tables, where they are guessed.
    """
    rows, ids = renumber(domain, state.world_rows(), stream, lambda there: guessable(drafts, there))
    labels = _Labels(domain, {old: new for (_, old), new in ids.items()})
    renamed = reference(domain).state(rows)
    moved = tuple(labels.draft(draft) for draft in drafts)
    there = [refreshed(domain, renamed, draft) if _alone(domain, renamed, draft.patch) else None for draft in moved]
    right = tuple(draft if one is None else one for draft, one in zip(moved, there, strict=True))
    return renamed, kept(right, [one is not None and not _alike(right, one) for one in there])


def guessable(drafts: tuple[Draft, ...], ids: NewIds) -> int:
    """How many tasks are about nothing but the first rows of tables, or nothing but the last ones."""
    ends = {entity: (min(new.values()), max(new.values())) for entity, new in ids.items() if new}
    return sum(any(_at_an_end(rows, ids, ends) for rows in _decisive(draft, ids)) for draft in drafts)


def _decisive(draft: Draft, ids: NewIds) -> Iterator[list[Ref]]:
    """Rows such that whoever finds them has found what is right: those of the operations, of either one where a fact decides, or the grounds."""
    if draft.declined is not None:
        for reason in draft.declined.reasons:
            yield [Ref(entity, key) for key in reason.required for entity, new in ids.items() if key in new]
    elif draft.outcome == "done" and draft.gathered is None:
        rows = [[one for value in operation.values.values() for one in _listed(value) if isinstance(one, Ref)] for operation in draft.operations]
        yield from rows if draft.condition is not None else [[one for several in rows for one in several]]


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def _at_an_end(rows: list[Ref], ids: NewIds, ends: Mapping[str, tuple[str, str]]) -> bool:
    return bool(rows) and any(all(ids[one.entity].get(one.key) == ends[one.entity][end] for one in rows) for end in (0, 1))


def _alike(drafts: tuple[Draft, ...], draft: Draft) -> bool:
    """Whether the draft and its twin come to the same by now: rows made for another task may decide a greatest or a least in both."""
    twin = None if draft.twin is None else drafts[draft.twin]
    return twin is not None and same_outcome(twin, draft)


def _alone(domain: Domain, state: State, patch: Patch) -> bool:
    """Whether no other row holds a value that must be unique in a row of the patch: one that was made for another task might."""
    start = start_of(state, patch)
    for table, key, row in patch:
        for field in domain.entity(table).fields:
            for column in field.columns if field.unique and row is not None else ():
                value = (row or {})[column.name]
                if value is not None and start.where(table, column.name, value) != (key,):
                    return False
    return True


def kept(drafts: tuple[Draft, ...], good: list[bool]) -> tuple[Draft, ...]:
    """The drafts that are good and whose twin is, with the places of twins set anew."""
    stays = [fine and (draft.twin is None or (draft.twin < len(good) and good[draft.twin])) for draft, fine in zip(drafts, good, strict=True)]
    places = {old: new for new, old in enumerate(place for place, fine in enumerate(stays) if fine)}
    return tuple(draft if draft.twin is None else replace(draft, twin=places[draft.twin]) for draft, fine in zip(drafts, stays, strict=True) if fine)


class _Labels:
    """New ids by old ones, applied to gold."""

    def __init__(self, domain: Domain, new: Mapping[str, str]) -> None:
        self.tables: Tables = reference(domain).tables
        self.new = new

    def key(self, old: str) -> str:
        """The new id of a row; ids joined of others part by part."""
        return renamed(old, self.new)

    def draft(self, draft: Draft) -> Draft:
        """The draft with new ids."""
        reading = draft.reading
        return replace(
            draft,
            calls=tuple(self._call(call) for call in draft.calls),
            other_calls=tuple(self._call(call) for call in draft.other_calls),
            accepted=tuple(Alternative(changes=self._changes(one.changes), reason=one.reason) for one in draft.accepted),
            declined=None if draft.declined is None else self._declined(draft.declined),
            facts={self._fact(name): groups for name, groups in draft.facts.items()},
            rows=tuple(replace(one, key=self.key(one.key)) for one in draft.rows),
            operations=tuple(self._proposal(one) for one in draft.operations),
            reading=None if reading is None else replace(reading, key=self.key(reading.key)),
            condition=None if draft.condition is None else (draft.condition[0], self.key(draft.condition[1]), draft.condition[2]),
            mistake=None if draft.mistake is None else (draft.mistake[0], self.key(draft.mistake[1]), draft.mistake[2]),
            undone=None if draft.undone is None else (draft.undone[0], self.key(draft.undone[1]), draft.undone[2]),
            gathered=None if draft.gathered is None else self._gathered(draft.gathered),
            clones=tuple((table, self.key(one), self.key(other)) for table, one, other in draft.clones),
            patch=tuple((table, self.key(key), None if row is None else self.row(table, row)) for table, key, row in draft.patch),
        )

    def _gathered(self, gathered: Gathered) -> Gathered:
        columns = {column.name for column in self.tables.columns[gathered.entity] if column.references}

        def moved(one: Wanted) -> Wanted:
            return (one[0], self.key(str(one[1]))) if one[0] in columns else one

        return replace(
            gathered,
            wanted=tuple(map(moved, gathered.wanted)),
            proposal=self._proposal(gathered.proposal),
            shared={name: self._argument(value) for name, value in gathered.shared.items()},
            sources=self._sources(gathered.sources),
            near=tuple((moved(one), self.key(key)) for one, key in gathered.near),
        )

    def row(self, table: str, row: Row) -> Row:
        """A row with its own id and its references renamed."""
        columns = {column.name for column in self.tables.columns[table] if column.references}
        return {name: self.key(value) if (name == "id" or name in columns) and isinstance(value, str) else value for name, value in row.items()}

    def _changes(self, changes: tuple[RowChange, ...]) -> tuple[RowChange, ...]:
        moved = [self._change(change) for change in changes]
        return tuple(sorted(moved, key=lambda change: (change.table, change.op == "insert", change.key)))

    def _change(self, change: RowChange) -> RowChange:
        columns = {column.name for column in self.tables.columns[change.table] if column.references}
        values = {name: self._column(value) if name in columns else value for name, value in change.values.items()}
        return change.model_copy(update={"key": self.key(change.key), "values": values})

    def _column(self, value: ColumnChange) -> ColumnChange:
        before, after = (self.key(one) if isinstance(one, str) else one for one in (value.before, value.after))
        return value.model_copy(update={"before": before, "after": after})

    def _call(self, call: GoldCall) -> GoldCall:
        arguments = {name: self._argument(value) for name, value in call.arguments.items()}
        return call.model_copy(update={"arguments": arguments, "sources": self._sources(call.sources)})

    def _sources(self, sources: Mapping[str, Source]) -> dict[str, Source]:
        return {name: one.model_copy(update={"path": self._named(one.path)}) for name, one in sources.items()}

    def _argument(self, value: Any) -> Any:
        if isinstance(value, list):
            return [self._argument(one) for one in value]
        if not isinstance(value, str) or not value.startswith("$"):
            return value
        return self._named(value)

    def _named(self, path: str) -> str:
        return _NAMED.sub(lambda found: f"[id={self.key(found.group(1))}]", path)

    def _declined(self, declined: Declined) -> Declined:
        arguments = {name: self._literal(value) for name, value in declined.arguments.items()}
        reasons = tuple(
            Reason(code=one.code, required=tuple(map(self.key, one.required)), optional=tuple(map(self.key, one.optional)))
            for one in declined.reasons
        )
        return Declined(tool=declined.tool, arguments=arguments, reasons=reasons)

    def _literal(self, value: Any) -> Any:
        if isinstance(value, list):
            return [self._literal(one) for one in value]
        return self.new.get(value, value) if isinstance(value, str) else value

    def _proposal(self, proposal: Proposal) -> Proposal:
        def moved(one: Any) -> Any:
            return Ref(one.entity, self.key(one.key)) if isinstance(one, Ref) else one

        values = {name: [moved(one) for one in value] if isinstance(value, list) else moved(value) for name, value in proposal.values.items()}
        return replace(proposal, values=values)

    def _fact(self, name: str) -> str:
        table, key, column = name.split(".")
        return f"{table}.{self.key(key)}.{column}"
