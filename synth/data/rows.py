"""Makes single rows, by the makers of `data:` and by defaults."""

import datetime as dt
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import product
from typing import Any

from registry.package.errors import ToolRefusal
from synth.data.busy import Busy
from synth.data.counts import Count
from synth.data.defaults import Defaults
from synth.data.draws import Unmade
from synth.data.generators import Generators
from synth.data.packed import PackedRows
from synth.data.pools import Pools
from synth.data.stream import Stream
from synth.errors import WorldError
from synth.lang import nodes as n
from synth.lang.domain import Domain, Entity
from synth.reference.run import STEP_LIMIT, Code, Fault, Run
from synth.reference.state import Ref, State
from synth.reference.statements import Statements
from synth.reference.values import decoder
from synth.reference.writes import Writes

TRIES = 16
"""How often a row is made anew when its fields refuse it, or when another row is called the same."""

EMPTY_TRIES = 4
"""How often a row is begun anew when there was nothing to choose from; other earlier choices may leave something."""

Values = Mapping[str, Any]
"""Values by field, in computed form."""

Wanted = Callable[[Values], bool]


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One binding of a maker: its value, and how a field of that name would store it and give it back."""

    statement: n.Bind
    code: Code
    settle: Callable[[Any], Any] | None


class RowMaker:
    """Makes the rows of one world, one at a time, and puts them into its state.

    Args:
        packed: Hold rows as bytes, for a world of many.
    """

    def __init__(self, domain: Domain, stream: Stream, *, packed: bool = False) -> None:
        self.domain = domain
        self.stream = stream
        self.expressions = Pools(domain, stream)
        self.tables = self.expressions.tables
        self.state = State({name: {} for name in self.tables.names}, hold=PackedRows if packed else dict)
        now = dt.datetime.fromisoformat(domain.now)
        self._generators = Generators(stream, now, Busy(self.tables).stretches)
        self.run = Run(self.state, now, generators=self._generators.table)
        self.statements = Statements(domain, expressions=self.expressions)
        self._writes = Writes(self.expressions)
        self._defaults = Defaults(domain, self._generators, self.expressions)
        self._steps = {
            maker.entity: tuple(self._step(domain.entity(maker.entity), one) for one in maker.body if isinstance(one, n.Bind))
            for maker in domain.makers
        }
        self._called: dict[str, set[str]] = {one.name: set() for one in domain.entities if one.called is not None}

    def _step(self, entity: Entity, statement: n.Bind) -> Step:
        field = self.tables.fields[entity.name].get(statement.name)
        settle: Callable[[Any], Any] | None = None
        if field is not None and field.role == "value" and field.type.kind in ("money", "decimal", "integer", "duration") and field.columns:
            kept, decode = field, decoder(field.columns[0].type)

            def settle(value: Any) -> Any:
                return decode(self._writes.stored(entity, kept, value)[kept.columns[0].name])

        return Step(statement=statement, code=self.expressions.code(statement.value), settle=settle)

    def fill(self, entity: Entity, count: Count, most: int | None = None) -> None:
        """Makes all rows of an entity; those for which there is nothing to choose from are left out.

        Args:
            most: So many rows are enough.
        """
        serial = 0
        for parents in self.parents(entity, count):
            if most is not None and serial >= most:
                return
            for _ in range(self.stream.between(count.low, count.high) if count.parents else count.total):
                serial += 1
                self.make(entity, parents, serial)

    def parents(self, entity: Entity, count: Count) -> Iterator[Values]:
        """Each combination of rows of the parents."""
        pools = [[Ref(one, key) for one in entity.field(name).columns[0].references for key in self.state.keys(one)] for name in count.parents]
        for chosen in product(*pools):
            yield dict(zip(count.parents, chosen, strict=True))

    def make(self, entity: Entity, parents: Values, serial: int, fixed: Values | None = None, wanted: Wanted | None = None) -> Ref | None:
        """Makes one row, or none if there is nothing to choose from or its fields refuse every try.

        Args:
            fixed: Values that stand in for those of the maker.
            wanted: Tells whether to take a row with these values; the last try is taken anyway.
        """
        for attempt in range(TRIES):
            self._generators.begin(entity.name, serial)
            self.run.steps = STEP_LIMIT
            self.state.writes.clear()
            try:
                values = self._values(entity, parents, fixed or {})
                if wanted is not None and attempt < TRIES - 1 and not wanted(values):
                    continue
                ref = self._writes.create(self.run, entity, values)
            except ToolRefusal:
                continue
            except Unmade:
                if attempt + 1 >= EMPTY_TRIES:
                    return None
                continue
            if attempt == TRIES - 1 or self._called_anew(entity, ref):
                return ref
            self.remove(ref)
        return None

    def _values(self, entity: Entity, parents: Values, fixed: Values) -> dict[str, Any]:
        """The values of a new row: those of the maker, in its order, then defaults."""
        scope: dict[str, Any] = dict(parents)
        for step in self._steps.get(entity.name, ()):
            name = step.statement.name
            value = fixed[name] if name in fixed else self._bound(entity, step, scope)
            scope[name] = step.settle(value) if step.settle is not None and value is not None else value
        fields = self.tables.fields[entity.name]
        values = {name: value for name, value in {**fixed, **scope}.items() if (name in fields and fields[name].role != "always") or name == "id"}
        self._defaults.fill(self.run, entity, values)
        if entity.id_kind == "given" and "id" not in values:
            values["id"] = self._given_id(entity, values, scope)
        return values

    def _bound(self, entity: Entity, step: Step, scope: dict[str, Any]) -> Any:
        try:
            return step.code(self.run, scope)
        except (Fault, ArithmeticError, LookupError, AttributeError, TypeError, ValueError) as error:
            where = step.statement.where
            raise WorldError(
                (f"{where}: data.{entity.name}.{step.statement.name}: expected a value, got {type(error).__name__}: {error}. Change the expression.",)
            ) from error

    def _given_id(self, entity: Entity, values: Values, scope: Values) -> str:
        """An id for a row whose ids callers give: made from its name where it has one."""
        name = next((str(values[one]) for one in ("name", "title", "code") if isinstance(values.get(one), str)), "")
        slug = "-".join("".join(one for one in word if one.isascii() and one.isalnum()) for word in name.lower().split())
        return slug.strip("-") or f"{entity.name.lower()}-{self.stream.between(1000, 9999)}"

    def _called_anew(self, entity: Entity, ref: Ref) -> bool:
        """Whether no row made before is called the same."""
        called = self._called.get(entity.name)
        if called is None:
            return True
        text = self.expressions.called(self.run, ref)
        if text in called:
            return False
        called.add(text)
        return True

    def read(self, ref: Ref, field: str) -> Any:
        """The value of a field of a row."""
        return self.expressions.fields.field(ref.entity, field)(self.run, ref)

    def change(self, ref: Ref, field: str, value: Any) -> bool:
        """Gives a field of a row another value; False if the field refuses it."""
        self.run.steps = STEP_LIMIT
        try:
            self._writes.update(self.run, ref, {field: value})
        except ToolRefusal:
            return False
        return True

    def remove(self, ref: Ref) -> None:
        """Takes a row out again to which no other refers."""
        if not self.domain.entity(ref.entity).archive:
            self._writes.delete(self.run, ref)
            return
        for referrer in self.tables.referrers[ref.entity]:
            for key in self.state.where(referrer.table, referrer.column, ref.key):
                self.state.delete(referrer.table, key)
        self.state.delete(ref.entity, ref.key)
