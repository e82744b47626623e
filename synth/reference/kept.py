"""Results of computed fields, functions without effects, and walks of trees, kept with the versions of the tables that they read."""

from collections.abc import Callable, Hashable
from operator import itemgetter
from typing import Any, Generic, TypeVar

from synth.lang.domain import Domain, Function
from synth.lang.types import Type
from synth.reference.reads import Reads, reads_of
from synth.reference.run import Run
from synth.reference.state import State
from synth.reference.tables import Tables

Asked = TypeVar("Asked", bound=Hashable)
Held = TypeVar("Held")

VERSIONS = 128
"""Results in so many states of the tables are kept of each field or function, then the oldest are forgotten."""

SURE = ("row", "text", "enum", "bool", "date", "time", "datetime", "integer")
"""Kinds of values of which equal ones are the same."""


class Keeper:
    """Makes what computes a value remember it.

    A result is one of the versions of all tables that can be read for it (and of the clock and the acting user, if they can), so that it
    holds in every state that has these, of whatever call.
    """

    def __init__(self, domain: Domain, tables: Tables) -> None:
        self._domain = domain
        self._tables = tables

    def worth(self, body: object) -> Reads | None:
        """What is read for an expression or a body of which results are kept; None if it is computed each time."""
        reads = reads_of(self._domain, self._tables, body)
        return reads if reads is not None and reads.wide else None

    def field(self, node: object, of: Type, compute: Callable[[Run, Asked], Any]) -> Callable[[Run, Asked], Any]:
        """A field computed by an expression over its row."""
        reads = self.worth(node)
        return compute if reads is None else self.keep(reads, of, compute)

    def function(self, function: Function, compute: Callable[[Run, list[Any]], Any]) -> Callable[[Run, list[Any]], Any]:
        """A function, called with the values of all parameters."""
        sure = function.result is not None and all(one.type.kind in SURE for one in function.params)
        reads = self.worth(function.body) if sure else None
        if reads is None or function.result is None:
            return compute
        kept: Callable[[Run, tuple[Any, ...]], Any] = self.keep(reads, function.result, lambda run, asked: compute(run, list(asked)))
        return lambda run, args: kept(run, tuple(args))

    def walk(self, entity: str, of: Type, compute: Callable[[Run, Asked], Any]) -> Callable[[Run, Asked], Any]:
        """The rows above or below a row of a tree."""
        return self.keep(Reads(tables=(entity,), given=False, wide=True), of, compute)

    def keep(self, reads: Reads, of: Type, compute: Callable[[Run, Asked], Any]) -> Callable[[Run, Asked], Any]:
        """The same, remembered.

        Args:
            of: The type of the result; of a list that is kept, a copy is given.
        """
        is_list = of.kind == "list"
        shelf: Shelf[Asked, tuple[Any, int]] = Shelf(reads)

        def recall(run: Run, asked: Asked) -> Any:
            known = shelf.of(run)
            if known is None:
                return compute(run, asked)
            found = known.get(asked)
            if found is None:
                before = run.steps
                value = compute(run, asked)
                found = known[asked] = (value, before - run.steps)
            else:
                run.step(found[1])
            return list(found[0]) if is_list and found[0] is not None else found[0]

        return recall


class Shelf(Generic[Asked, Held]):
    """What is kept of one thing, apart for each version of the tables that are read for it.

    Args:
        most: So many versions are kept, then the oldest are forgotten.
    """

    def __init__(self, reads: Reads, most: int = VERSIONS) -> None:
        self._versions: Callable[[dict[str, int]], Hashable] = itemgetter(*reads.tables) if reads.tables else lambda _: ()
        self._given = reads.given
        self._held: dict[Hashable, dict[Asked, Held]] = {}
        self._most = most

    def of(self, run: Run) -> dict[Asked, Held] | None:
        """What is kept for the state of a run; None where nothing can be: something else than a state, or rows that are not in it yet."""
        state = run.state
        if run.drafts or type(state) is not State:
            return None
        place = self._versions(state.versions)
        if self._given:
            place = (place, run.now, run.me)
        known = self._held.get(place)
        if known is None:
            if len(self._held) >= self._most:
                del self._held[next(iter(self._held))]
            known = self._held[place] = {}
        return known
