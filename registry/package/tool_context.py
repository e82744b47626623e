"""What a compiled tool works with: reads, and effects with their derived refusals."""

from collections.abc import Iterable, Mapping
from typing import Any, TypeVar

from registry.package import positions, refusals
from registry.package.change import Stored
from registry.package.columns import LINK_OTHER, LINK_OWN, Column, Links
from registry.package.compound import joined
from registry.package.errors import ToolRefusal
from registry.package.language import Unset
from registry.package.limits import creation_refusals, update_refusals
from registry.package.reading import Reader
from registry.package.row import Row
from registry.package.schema import Table
from registry.package.searching import Condition, Page, search

R = TypeVar("R", bound=Row)
EMPTY: Mapping[str, Any] = {"bool": False, "list": (), "map": {}}


class ToolContext(Reader):
    """Reads and writes of calls.

    Args:
        store: Rows of the episode in stored form.
        schema: `SCHEMA` of the package's rows.py.
    """

    __slots__ = ()

    def require(self, condition: bool, code: str, sentence: str, *evidence: Any) -> None:  # noqa: FBT001 reads as in the seed
        """Refuses unless the condition holds.

        Raises:
            ToolRefusal: With this code, sentence, and the ids of the evidence.
        """
        if not condition:
            raise self.refuse(code, sentence, *evidence)

    def search(self, row: type[R], *conditions: Condition, sort: tuple[str, ...] = (), limit: int = 20, offset: int = 0) -> Page[R]:
        """One page of the rows that fulfil all conditions."""
        return search(self, row, conditions, sort, limit, offset)

    def insert(self, row: type[R], /, **values: Any) -> R:
        """Adds a row; fields that are not named take their start.

        Raises:
            ToolRefusal: `DUPLICATE` or `LIMIT`.
        """
        table = self.schema.tables[row]
        made = row(self, self._new_id(table, values))
        self._draft(table, made, values)
        for refusal in creation_refusals(self, table, made):
            self.refresh(made)
            raise refusal
        if table.position:
            positions.make_room(self, table, made, values.get("position"))
        self._store(table, made)
        for name, links in table.links.items():
            self.link(made, links, values.get(name, ()))
        return made

    def update(self, row: Row, /, **values: Any) -> None:
        """Writes these fields, one after the other.

        Raises:
            ToolRefusal: `WRONG_STATE`, `DUPLICATE` or `LIMIT`.
        """
        table = self.schema.tables[type(row)]
        before = row._values()
        written = [name for name in values if name in table.fields]
        draft = list(before)
        for name in written:
            table.fields[name].put(draft, values[name])
        self.draft(row, tuple(draft))
        for refusal in update_refusals(self, table, row, before, written):
            self.refresh(row)
            raise refusal
        if table.position:
            positions.move(self, table, row, before, placed="position" in values)
        self._store_changes(table, row, before)
        if len(written) < len(values):
            for name in values:
                if name in table.links:
                    self._replace_links(row, table.links[name], values[name])

    def patch(self, row: Row, /, **values: Any) -> None:
        """Writes the fields whose value was sent.

        Raises:
            ToolRefusal: As for `update`.
        """
        self.update(row, **{name: value for name, value in values.items() if not isinstance(value, Unset)})

    def delete(self, row: Row) -> None:
        """Removes a row and its parts, or archives it.

        Raises:
            ToolRefusal: `IN_USE`.
        """
        table = self.schema.tables[type(row)]
        if table.about.archive:
            self.update(row, archived=True)
            return
        doomed = self._with_parts(row)
        for refusal in self._users(doomed):
            raise refusal
        for one in reversed(doomed):
            self._remove(one)

    def copy(self, row: R, /, **values: Any) -> R:
        """A new row with the same values but those named, with copies of its parts.

        Raises:
            ToolRefusal: `DUPLICATE` or `LIMIT`.
        """
        table = self.schema.tables[type(row)]
        given = {name: getattr(row, name) for name in (*table.fields, *table.links) if name not in ("archived", "position")}
        made = self.insert(type(row), **{**given, **values})
        for child, column in table.children:
            if column.options.get("part"):
                for part in self._children(child, column, row):
                    if not (child.about.archive and part._values()[child.fields["archived"].index]):
                        self.copy(part, **{column.name: made})
        return made

    def link(self, row: Row, links: Links[Any] | str, rows: Iterable[Row] | Row) -> None:
        """Adds rows to a `links` set; those in it stay."""
        held = self._links_of(row, links)
        known = set(self.linked(held, row.id))
        for one in _listed(rows):
            if one.id not in known:
                known.add(one.id)
                self.store.insert(held.table, joined((row.id, one.id)), {held.own: row.id, held.other: one.id})
        self.forget()

    def unlink(self, row: Row, links: Links[Any] | str, rows: Iterable[Row] | Row) -> None:
        """Takes rows out of a `links` set; others are ignored."""
        held = self._links_of(row, links)
        known = set(self.linked(held, row.id))
        for one in _listed(rows):
            if one.id in known:
                known.discard(one.id)
                self.store.delete(held.table, joined((row.id, one.id)))
        self.forget()

    def write(self, row: Row, values: Mapping[str, Stored]) -> None:
        """Writes stored columns of a row without any check."""
        self.store.update(type(row).__name__, row.id, values)
        self._stored(row)

    def _links_of(self, row: Row, links: Links[Any] | str) -> Links[Any]:
        return links if isinstance(links, Links) else self.schema.tables[type(row)].links[links]

    def _replace_links(self, row: Row, links: Links[Any], rows: Iterable[Row]) -> None:
        wanted = _listed(rows)
        kept = {one.id for one in wanted}
        self.unlink(row, links, [links.target(self, key) for key in self.linked(links, row.id) if key not in kept])
        self.link(row, links, wanted)

    def _new_id(self, table: Table, values: Mapping[str, Any]) -> str:
        about = table.about
        if about.identity == "given":
            return str(values["id"])
        if about.identity == "key":
            stored = {name: one for key in about.key for name, one in table.fields[key].encode(values[key]).items()}
            return joined(stored.values())
        if about.identity == "single":
            return table.name.lower()
        parent = values[about.per].id if about.per and values.get(about.per) is not None else ""
        return table.new_id(self.store.next_number(table.name, parent), parent)

    def _draft(self, table: Table, row: Row, values: Mapping[str, Any]) -> None:
        """Puts the row together in the order of its fields; each may look at those before it."""
        draft: list[Stored] = [row.id, *(None for _ in table.columns[1:])]
        for name, column in table.fields.items():
            if name in values:
                column.put(draft, values[name])
        for name, column in table.fields.items():
            if name in values:
                continue
            value = None
            if column.start is not None:
                self.draft(row, tuple(draft))
                value = column.start(row)
            if value is None and not column.optional:
                value = EMPTY.get(column.kind.name)
            column.put(draft, value)
        self.draft(row, tuple(draft))

    def _store(self, table: Table, row: Row) -> None:
        self.store.insert(table.name, row.id, dict(zip(table.columns[1:], row._values()[1:], strict=True)))
        self._stored(row)

    def _store_changes(self, table: Table, row: Row, before: tuple[Stored, ...]) -> None:
        after = row._values()
        if after != before:
            changed = {name: new for name, old, new in zip(table.columns, before, after, strict=True) if old != new}
            self.store.update(table.name, row.id, changed)
        self._stored(row)

    def _stored(self, row: Row) -> None:
        self.refresh(row)
        self.forget()

    def _children(self, child: Table, column: Column[Any], row: Row) -> list[Row]:
        """Rows of a table that refer to a row, archived ones too."""
        found = self.store.having(child.name, column.index, row.id)
        self.store.step(1 + len(found))
        return self.handles(child.row, found)

    def _with_parts(self, row: Row) -> list[Row]:
        found = [row]
        for one in found:
            for child, column in self.schema.tables[type(one)].children:
                if column.options.get("part"):
                    found.extend(part for part in self._children(child, column, one) if part not in found)
        return found

    def _users(self, doomed: list[Row]) -> Iterable[ToolRefusal]:
        for row in doomed:
            table = self.schema.tables[type(row)]
            for child, column in table.children:
                users = [one.id for one in self._children(child, column, row) if one not in doomed]
                if users:
                    yield refusals.in_use(table.name, child.name, users)
                    return
            for use in table.link_uses:
                keys = [str(one[LINK_OWN]) for one in self.store.having(use.links.table, LINK_OTHER, row.id)]
                users = [key for key in keys if use.owner(self, key) not in doomed]
                if users:
                    yield refusals.in_use(table.name, use.owner.__name__, users)
                    return

    def _remove(self, row: Row) -> None:
        table = self.schema.tables[type(row)]
        held = row._values()
        for links in table.links.values():
            self.unlink(row, links, [links.target(self, key) for key in self.linked(links, row.id)])
        self.store.delete(table.name, row.id)
        self._stored(row)
        if table.position:
            positions.close_gap(self, table, held)


def _listed(rows: Iterable[Row] | Row) -> list[Row]:
    return [rows] if isinstance(rows, Row) else list(rows)
