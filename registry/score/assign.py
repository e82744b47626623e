"""The cheapest one-to-one assignment between two small lists."""

from collections.abc import Sequence


def assign(costs: Sequence[Sequence[float]]) -> tuple[int, ...]:
    """The column given to each row so that the sum of costs is least; -1 for rows left over when there are fewer columns.

    Shortest augmenting paths with potentials, O(rows² · columns). Ties fall to the lowest column, so the answer is the same everywhere.

    Args:
        costs: One list per row, all of the same length.

    Source: H. W. Kuhn, The Hungarian method for the assignment problem (1955); potentials after R. Jonker and A. Volgenant (1987).
    """
    rows = len(costs)
    if not rows or not costs[0]:
        return (-1,) * rows
    width = len(costs[0])
    if rows > width:
        turned = assign([[costs[row][column] for row in range(rows)] for column in range(width)])
        return tuple(turned.index(row) if row in turned else -1 for row in range(rows))
    owner = _owners(costs, rows, width)
    result = [-1] * rows
    for column in range(1, width + 1):
        if owner[column]:
            result[owner[column] - 1] = column - 1
    return tuple(result)


def _owners(costs: Sequence[Sequence[float]], rows: int, width: int) -> list[int]:
    """For each column (from 1) the row (from 1) that owns it, 0 for none."""
    row_potential, column_potential = [0.0] * (rows + 1), [0.0] * (width + 1)
    owner = [0] * (width + 1)
    for row in range(1, rows + 1):
        owner[0] = row
        least, came, done = [float("inf")] * (width + 1), [0] * (width + 1), [False] * (width + 1)
        column = 0
        while owner[column]:
            done[column] = True
            column = _step(costs, owner[column], column, least, came, done, row_potential, column_potential, owner)
        while column:
            owner[column] = owner[came[column]]
            column = came[column]
    return owner


def _step(
    costs: Sequence[Sequence[float]],
    row: int,
    column: int,
    least: list[float],
    came: list[int],
    done: list[bool],
    row_potential: list[float],
    column_potential: list[float],
    owner: list[int],
) -> int:
    """Extends the alternating tree by the cheapest column and moves the potentials."""
    best, chosen = float("inf"), 0
    for other in range(1, len(least)):
        if done[other]:
            continue
        reduced = costs[row - 1][other - 1] - row_potential[row] - column_potential[other]
        if reduced < least[other]:
            least[other], came[other] = reduced, column
        if least[other] < best:
            best, chosen = least[other], other
    for other in range(len(least)):
        if done[other]:
            row_potential[owner[other]] += best
            column_potential[other] -= best
        else:
            least[other] -= best
    return chosen
