"""The statements of the interpreter with sharper eyes: loops that turn twice, writes that change something."""

from typing import Any

from synth.gate.parts import TURNS
from synth.gate.sharp import SharpExpressions
from synth.gate.watch import WatchedStatements
from synth.lang import nodes as n
from synth.lang.domain import Domain
from synth.reference.run import Code, Run, Scope
from synth.reference.statements import NO_VALUE, Statements, Step


class SharpStatements(WatchedStatements):
    """Notes loops, beside what is watched anyway."""

    def __init__(self, domain: Domain) -> None:
        super().__init__(domain, SharpExpressions(domain))
        self.forms[n.For] = self._parted_for
        self.forms[n.Assign] = self._parted_assign

    def _parted_assign(self, node: n.Assign) -> Step:
        """Notes a write of something else than what is held."""
        plain, read, mark = Statements._assign(self, node), self.expressions.code(node.target), id(node)

        def assign(run: Any, scope: Scope) -> None:
            if run.stopped():
                plain(run, scope)
                return
            held: list[Any] = []
            run.focused(mark, lambda: held.append(_or_none(read, run, scope)))
            plain(run, scope)
            if _or_none(read, run, scope) != held[0]:
                run.trace.parts.add((mark, 0))

        return assign

    def _parted_for(self, node: n.For) -> Step:
        plain, source, mark = Statements._for(self, node), self.expressions.code(node.source), id(node)

        def loop(run: Any, scope: Scope) -> None:
            if not run.stopped() and len(list(source(run, scope))) > 1:
                run.trace.parts.add((mark, TURNS))
            plain(run, scope)

        return loop


def _or_none(read: Code, run: Run, scope: Scope) -> Any:
    try:
        return read(run, scope)
    except NO_VALUE:
        return None
