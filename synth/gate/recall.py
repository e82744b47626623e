"""Results of computed fields and functions that the watching interpreter keeps, together with what was seen for them."""

from collections.abc import Callable
from typing import Any

from synth.gate.parts import ordered
from synth.gate.watch import Trace, is_measured
from synth.lang import nodes as n
from synth.lang.types import Type
from synth.reference.kept import Asked, Keeper, Shelf
from synth.reference.reads import Reads
from synth.reference.run import Run

VERSIONS = 32
"""Results in so many states of the tables are kept of each field or function: with what was seen, each is large."""


class Recaller(Keeper):
    """Makes what computes a value remember it with what was seen: the same notes are made of a call that finds it and of one that computes it.

    That holds where notes follow from the rows alone and say the same when made twice. So nothing is kept of what has a comparison with a
    distance (of those a limited number is noted, and the last one matters) or statements that note what they read.
    """

    def worth(self, body: object) -> Reads | None:
        """What is read for an expression or a body of which results are kept; None if it is computed each time."""
        reads = super().worth(body)
        return reads if reads is not None and all(_repeats(one) for one in reads.nodes) else None

    def keep(self, reads: Reads, of: Type, compute: Callable[[Run, Asked], Any]) -> Callable[[Run, Asked], Any]:
        """The same, remembered."""
        is_list = of.kind == "list"
        shelf: Shelf[Asked, tuple[Any, int, Trace]] = Shelf(reads, VERSIONS)

        def recall(run: Any, asked: Asked) -> Any:
            known = shelf.of(run)
            if known is None:
                return compute(run, asked)
            found = known.get(asked)
            if found is None:
                found = known[asked] = _observed(run, asked, compute)
            else:
                run.trace.add(found[2])
                run.step(found[1])
            return list(found[0]) if is_list and found[0] is not None else found[0]

        return recall


def _observed(run: Any, asked: Asked, compute: Callable[[Run, Asked], Any]) -> tuple[Any, int, Trace]:
    """A value, the steps that it took and all that was seen for it, as if nothing had been seen before; the run has seen it too."""
    before, outer, computed = run.steps, run.trace, (run.computed, run.computed_in)
    run.trace, run.computed, run.computed_in = Trace(), {}, (None, 0)
    try:
        value = compute(run, asked)
        return value, before - run.steps, run.trace
    finally:
        outer.add(run.trace)
        run.trace, (run.computed, run.computed_in) = outer, computed


def _repeats(node: n.Node | n.Statement) -> bool:
    """Whether what is noted of a node may be noted again without harm, and follows from its values alone."""
    match node:
        case n.Compare():
            return len(node.rest) == 1 and not is_measured(node) and not ordered(node)
        case n.Call():
            return node.name not in ("min", "max", "within", "overlaps")
        case n.Statement():
            return isinstance(node, n.Return)
        case _:
            return True
