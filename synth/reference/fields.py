"""Attributes of rows: stored and computed fields, references, reverse sets, links, trees."""

from collections.abc import Callable
from functools import lru_cache
from typing import Any

from synth.lang.domain import Field
from synth.lang.nodes import Attr, Local, Node
from synth.lang.types import list_of, row
from synth.reference.kept import Keeper
from synth.reference.run import Code, Fault, Run, Scope, there
from synth.reference.state import Ref, handle
from synth.reference.tables import Tables
from synth.reference.values import as_it_is, decoder

Read = Callable[[Run, Ref], Any]
"""Reads one attribute of a row."""


class Fields:
    """Makes readers of attributes.

    Args:
        code: Makes the closure of an expression (for fields that are computed at each read).
        keeper: Remembers what was computed, if anything does.
    """

    def __init__(self, tables: Tables, code: Callable[[Node], Code], keeper: Keeper | None = None) -> None:
        self._keeper = keeper
        self._tables = tables
        self._code = code
        self._readers: dict[tuple[str, str], Read] = {}

    def attribute(self, base: Code, node: Attr) -> Code:
        """The closure of an attribute of a row."""
        if node.access == "id":
            return lambda run, scope: base(run, scope).key
        entities = node.base.type.entities
        if len(entities) != 1:
            return self._of_either(base, node)
        field = self._tables.fields[entities[0]].get(node.name) if node.access == "field" else None
        needed = field is not None and field.type.optional and not node.type.optional
        decode = self._decoder(field) if field is not None else None
        if field is not None and decode is not None:
            name = node.base.name if isinstance(node.base, Local) else ""
            return self.stored(base, name, field, None if decode is as_it_is else decode, needed=needed)
        read = self._reader(entities[0], node.name, node.access)
        made = _of(base, read, node)
        return there(made) if needed else made

    @staticmethod
    def _decoder(field: Field) -> Callable[[Any], Any] | None:
        """From the one column of a field to its value; None for a field that is not kept in one column."""
        if field.always is not None or field.type.kind == "struct":
            return None
        if field.role == "value":
            return decoder(field.columns[0].type)
        targets = field.columns[0].references if field.role == "reference" else ()
        return _handles(targets[0]) if len(targets) == 1 else None

    def stored(self, base: Code, local: str, field: Field, decode: Callable[[Any], Any] | None, *, needed: bool) -> Code:
        """A stored value in one step: by far the commonest attribute.

        Args:
            local: Name that stands for the row, if it is but a name.
            decode: To the computed form, where that is another one.
            needed: A rule has shown that it is there.
        """
        column = field.columns[0].name
        if local and not needed:
            return _as_stored(local, column) if decode is None else _decoded(local, column, decode)

        def read(run: Run, scope: Scope) -> Any:
            ref = scope[local] if local else base(run, scope)
            if run.drafts:
                value = run.row(ref)[column]
            else:
                try:
                    value = run.state.tables[ref[0]][ref[1]][column]
                except KeyError:
                    raise Fault(f"{ref.entity} {ref.key} is gone") from None
            if value is None and needed:
                raise Fault("a value that must be there is None")
            return value if decode is None else decode(value)

        return read

    def _of_either(self, base: Code, node: Attr) -> Code:
        """An attribute of a row of one of two kinds; which one shows only when it is read."""

        def read(run: Run, scope: Scope) -> Any:
            ref = base(run, scope)
            return self._reader(ref.entity, node.name, node.access)(run, ref)

        return read

    def _reader(self, entity: str, name: str, access: str) -> Read:
        read = self._readers.get((entity, name))
        if read is None:
            read = self._readers[entity, name] = self._make(entity, name, access)
        return read

    def _make(self, entity: str, name: str, access: str) -> Read:
        if access == "reverse":
            return self.many(entity, name)
        if access == "tree":
            read: Read = self.ancestors if name == "ancestors" else self.descendants
            return read if self._keeper is None else self._keeper.walk(entity, list_of(row(entity)), read)
        return self.field(entity, name)

    def field(self, entity: str, name: str) -> Read:
        """Reads a declared field."""
        field = self._tables.fields[entity][name]
        if field.always is not None:
            read = self._always(field.always)
            return read if self._keeper is None else self._keeper.field(field.always, field.type, read)
        if field.role == "links":
            return self._links(entity, name)
        decode = self._decoder(field)
        if field.role == "reference" and decode is None:
            targets, own = field.columns[0].references, field.columns[0].name
            return lambda run, ref: resolve(run, targets, run.row(ref)[own])
        if field.type.kind == "struct":
            return self._struct(field)
        column, convert = field.columns[0].name, decode or as_it_is
        return lambda run, ref: convert(run.row(ref)[column])

    def _always(self, node: Node) -> Read:
        made: list[Code] = []

        def read(run: Run, ref: Ref) -> Any:
            if not made:
                made.append(self._code(node))
            run.step()
            return made[0](run, {"row": ref})

        return read

    def _struct(self, field: Field) -> Read:
        parts = [(column.name[len(field.name) + 1 :], column.name, decoder(column.type)) for column in field.columns]

        def read(run: Run, ref: Ref) -> dict[str, Any] | None:
            row = run.row(ref)
            found = {name: decode(row[column]) for name, column, decode in parts}
            return found if not field.type.optional or any(value is not None for value in found.values()) else None

        return read

    def _links(self, entity: str, name: str) -> Read:
        link = self._tables.links[entity, name]

        def read(run: Run, ref: Ref) -> list[Ref]:
            held = run.state.tables[link.table]
            keys = sorted(str(held[one][link.target]) for one in run.state.where(link.table, link.own, ref.key))
            return [handle(link.entity, key) for key in keys]

        return read

    def many(self, entity: str, name: str) -> Read:
        """Reads a reverse set."""
        referrer = self._tables.reverse[entity, name]
        table, column, owner = referrer.table, referrer.column, referrer.owner
        archive = self._tables.entities[owner].archive
        if referrer.links:
            own = self._tables.links[owner, referrer.field].own

            def linked(run: Run, ref: Ref) -> list[Ref]:
                keys = sorted(str(run.state.tables[table][one][own]) for one in run.state.where(table, column, ref.key))
                return [handle(owner, key) for key in keys if not (archive and run.state.tables[owner][key]["archived"])]

            return linked

        return lambda run, ref: run.state.refs(table, column, ref.key, archive=archive)

    def below(self, run: Run, ref: Ref) -> list[Ref]:
        """The rows below a row of a tree, as `.descendants` gives them."""
        found: list[Ref] = self._reader(ref.entity, "descendants", "tree")(run, ref)
        return found

    def _parent_column(self, entity: str) -> str:
        for field in self._tables.fields[entity].values():
            if field.tree:
                return field.columns[0].name
        raise Fault(f"{entity} is no tree")

    def ancestors(self, run: Run, ref: Ref) -> list[Ref]:
        """The rows above a row of a tree, nearest first; each once, also in a state that is not sound, where rows are above each other."""
        column, found = self._parent_column(ref.entity), dict[Ref, None]()
        above = run.row(ref)[column]
        while above is not None and (at := handle(ref.entity, str(above))) not in found:
            run.step()
            found[at] = None
            above = run.row(at)[column]
        return list(found)

    def descendants(self, run: Run, ref: Ref) -> list[Ref]:
        """The rows below a row of a tree, each before those below it; each once, as for `ancestors`."""
        found = dict[Ref, None]()
        self._below(run, self._parent_column(ref.entity), ref, found)
        return list(found)

    def _below(self, run: Run, column: str, ref: Ref, found: dict[Ref, None]) -> None:
        for key in run.state.where(ref.entity, column, ref.key):
            run.step()
            child = handle(ref.entity, key)
            if child not in found and not run.row(child).get("archived"):
                found[child] = None
                self._below(run, column, child, found)


def _as_stored(local: str, column: str) -> Code:
    """What a column of a named row holds. Most attributes that are read are this or `_decoded`, so that nothing is asked that is known before."""

    def read(run: Run, scope: Scope) -> Any:
        ref = scope[local]
        if run.drafts:
            return run.row(ref)[column]
        try:
            return run.state.tables[ref[0]][ref[1]][column]
        except KeyError:
            raise Fault(f"{ref.entity} {ref.key} is gone") from None

    return read


def _decoded(local: str, column: str, decode: Callable[[Any], Any]) -> Code:
    """The same in its computed form."""

    def read(run: Run, scope: Scope) -> Any:
        ref = scope[local]
        if run.drafts:
            return decode(run.row(ref)[column])
        try:
            value = run.state.tables[ref[0]][ref[1]][column]
        except KeyError:
            raise Fault(f"{ref.entity} {ref.key} is gone") from None
        return decode(value)

    return read


def _of(base: Code, read: Read, node: Attr) -> Code:
    """What a reader gives for the row that an expression gives."""
    if isinstance(node.base, Local):
        name = node.base.name
        return lambda run, scope: read(run, scope[name])
    return lambda run, scope: read(run, base(run, scope))


def _handles(entity: str) -> Callable[[Any], Any]:
    """From an id, or None, to a row."""
    return lru_cache(maxsize=1 << 13)(lambda key: None if key is None else Ref(entity, str(key)))


def resolve(run: Run, entities: tuple[str, ...], key: object) -> Ref | None:
    """The row with this id among several entities, the first that has it."""
    for entity in entities:
        if key is not None and str(key) in run.state.tables[entity]:
            return handle(entity, str(key))
    return None
