"""Expressions of `data:` blocks, evaluated so that a world of a hundred thousand rows stays cheap."""

from collections.abc import Callable, Sequence
from typing import Any

from synth.data.stream import Stream
from synth.lang import nodes as n
from synth.lang.domain import Domain
from synth.reference.evaluate import Expressions
from synth.reference.run import Code, Run, Scope
from synth.reference.state import Ref

SMALL = 24
"""A list up to this long is filtered whole; a longer one is tried row by row."""

TRIES = 48


class Pools(Expressions):
    """Evaluates as the reference does, but lists the rows of an entity once, and picks from a filtered list by trying rows of it."""

    def __init__(self, domain: Domain, stream: Stream) -> None:
        self._stream = stream
        self._lists: dict[str, tuple[int, list[Ref]]] = {}
        super().__init__(domain)

    def _rows(self, node: n.Rows) -> Code:
        entity = node.entity
        return lambda run, scope: self.rows(run, entity)

    def rows(self, run: Run, entity: str) -> list[Ref]:
        """All rows of an entity but archived ones, in the order of their ids. Not to be changed."""
        version = run.state.version(entity)
        held = self._lists.get(entity)
        if held is None or held[0] != version:
            held = self._lists[entity] = (version, self._listed(run, entity))
        return held[1]

    def _listed(self, run: Run, entity: str) -> list[Ref]:
        if self.tables.entities[entity].archive:
            return [Ref(entity, str(row["id"])) for row in run.state.rows(entity) if not row["archived"]]
        return [Ref(entity, key) for key in run.state.keys(entity)]

    def _call_pick(self, node: n.Call) -> Code:
        source = node.args[0]
        usual = self._picked(node)
        if len(node.args) > 1 or node.keywords or not isinstance(source, n.Comprehension) or source.key is not None:
            return usual
        clause = source.clauses[0]
        if len(source.clauses) > 1 or len(clause.targets) > 1:
            return usual
        if not clause.conditions:
            return self._chosen(clause, self.code(source.element))
        return self._tried(clause, self.code(source.element), usual)

    def _picked(self, node: n.Call) -> Code:
        args = [self.code(one) for one in node.args]
        keywords = [(name, self.code(one)) for name, one in node.keywords]

        def pick(run: Run, scope: Scope) -> Any:
            return run.generators["pick"](run, *[arg(run, scope) for arg in args], **{name: code(run, scope) for name, code in keywords})

        return pick

    def _chosen(self, clause: n.Clause, element: Code) -> Code:
        """`pick([x.a for x in xs])`: one row is drawn, and only of this one the element is computed."""
        source, target = self.code(clause.source), clause.targets[0]

        def pick(run: Run, scope: Scope) -> Any:
            pool: Sequence[Any] = source(run, scope)
            return element(run, {**scope, target: self._stream.choice(pool)}) if pool else run.generators["pick"](run, pool)

        return pick

    def _tried(self, clause: n.Clause, element: Code, usual: Code) -> Code:
        source, target = self.code(clause.source), clause.targets[0]
        conditions: list[Callable[[Run, Scope], Any]] = [self.code(one) for one in clause.conditions]

        def pick(run: Run, scope: Scope) -> Any:
            pool: Sequence[Any] = source(run, scope)
            if len(pool) > SMALL:
                inner = dict(scope)
                for _ in range(TRIES):
                    inner[target] = self._stream.choice(pool)
                    if all(condition(run, inner) for condition in conditions):
                        return element(run, inner)
            return usual(run, scope)

        return pick
