"""Results of computed fields, functions without effects, and walks of trees, kept with the versions of the tables that they read."""

from collections.abc import Callable, Hashable
from operator import itemgetter
from typing import Any, TypeVar

from synth.lang.domain import Domain, Function
from synth.lang.types import Type
from synth.reference.reads import Reads, reads_of
from synth.reference.run import Run
from synth.reference.state import State
from synth.reference.tables import Tables

Asked = TypeVar("Asked", bound=Hashable)

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

    def field(self, node: object, of: Type, compute: Callable[[Run, Asked], Any]) -> Callable[[Run, Asked], Any]:
        """A field computed by an expression over its row."""
        reads = reads_of(self._domain, self._tables, node)
        return compute if reads is None or not reads.wide else _keeping(reads, of, compute)

    def function(self, function: Function, compute: Callable[[Run, list[Any]], Any]) -> Callable[[Run, list[Any]], Any]:
        """A function, called with the values of all parameters."""
        reads = reads_of(self._domain, self._tables, function.body)
        sure = all(one.type.kind in SURE for one in function.params)
        if reads is None or not reads.wide or not sure or function.result is None:
            return compute
        kept: Callable[[Run, tuple[Any, ...]], Any] = _keeping(reads, function.result, lambda run, asked: compute(run, list(asked)))
        return lambda run, args: kept(run, tuple(args))

    @staticmethod
    def walk(entity: str, of: Type, compute: Callable[[Run, Asked], Any]) -> Callable[[Run, Asked], Any]:
        """The rows above or below a row of a tree."""
        return _keeping(Reads(tables=(entity,), given=False, wide=True), of, compute)


def _keeping(reads: Reads, of: Type, compute: Callable[[Run, Asked], Any]) -> Callable[[Run, Asked], Any]:
    held: dict[Hashable, dict[Asked, tuple[Any, int]]] = {}
    versions: Callable[[dict[str, int]], Hashable] = itemgetter(*reads.tables) if reads.tables else lambda _: ()
    given, is_list = reads.given, of.kind == "list"

    def recall(run: Run, asked: Asked) -> Any:
        state = run.state
        if run.drafts or type(state) is not State:
            return compute(run, asked)
        place = versions(state.versions)
        if given:
            place = (place, run.now, run.me)
        known = held.get(place)
        if known is None:
            if len(held) >= VERSIONS:
                del held[next(iter(held))]
            known = held[place] = {}
        found = known.get(asked)
        if found is None:
            before = run.steps
            value = compute(run, asked)
            found = known[asked] = (value, before - run.steps)
        else:
            run.step(found[1])
        return list(found[0]) if is_list and found[0] is not None else found[0]

    return recall
