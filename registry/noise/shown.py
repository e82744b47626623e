"""Which rows that a call wrote can be looked at afterwards, so that a lost answer leaves nobody in the dark."""

from collections.abc import Iterator, Mapping
from typing import Any

from registry.dispatch.outcome import Outcome
from registry.package.meta import Meta


class Looks:
    """The tools of one environment that show rows.

    Args:
        meta: Of the environment.
    """

    def __init__(self, meta: Meta) -> None:
        plurals = {table.plural: table.name for table in meta.tables if not table.link}
        self._got = {one.parameters[0].tables[0] for one in meta.tools if one.kind == "get" and one.parameters and one.parameters[0].tables}
        self._found = {plurals[name] for one in meta.tools if one.kind == "search" and (name := one.name.removeprefix("search_")) in plurals}

    def by_result(self, outcome: Outcome) -> bool:
        """Whether the row that the result shows was written, and can be got by its id."""
        row = outcome.result.get("id") if isinstance(outcome.result, dict) else None
        return any(key == row and operation != "delete" and table in self._got for table, operation, key, _ in outcome.writes)

    def by_arguments(self, outcome: Outcome, arguments: Mapping[str, Any]) -> bool:
        """Whether somebody who knows the arguments alone can see that the call was carried out.

        The row of the result was named by an argument and can be got, or is new and its table can be searched.
        """
        row = outcome.result.get("id") if isinstance(outcome.result, dict) else None
        named = row in set(_texts(arguments))
        for table, operation, key, columns in outcome.writes:
            if key == row and operation == "update" and named and columns and table in self._got:
                return True
            if key == row and operation == "insert" and not named and table in self._found:
                return True
        return False


def _texts(arguments: Mapping[str, Any]) -> Iterator[str]:
    for value in arguments.values():
        if isinstance(value, str):
            yield value
