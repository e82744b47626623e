"""Whether one stored value is as gold wants it."""

from dataclasses import dataclass

from registry.package.change import Stored
from registry.score.columns import Columns, Facts
from registry.score.text import Judged, same_text


@dataclass(frozen=True, slots=True)
class Judge:
    """Compares values by the class of their column.

    `facts` are gold's: what a text at "Table.column" or "Table.key.column" must say.
    """

    columns: Columns
    facts: dict[str, Facts]

    def same(self, table: str, key: str, column: str, expected: Stored, actual: Stored) -> Judged:
        """Whether `actual` counts as `expected`; `key` is the row's key in gold."""
        if expected == actual:
            return Judged(passed=True)
        if self.columns.match(table, column) != "text" or not isinstance(expected, str) or not expected:
            empty = expected in (None, "") and actual in (None, "") and self.columns.match(table, column) == "text"
            return Judged(passed=empty)
        if not isinstance(actual, str):
            return Judged(passed=False, why="no text")
        required = self.facts.get(f"{table}.{key}.{column}", self.facts.get(f"{table}.{column}", ()))
        return same_text(expected, actual, required=required, declared=self.columns.declared(table, column))
