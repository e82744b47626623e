"""A task's initial state as whole rows."""

from collections.abc import Iterable

from registry.package.errors import PackageError
from registry.package.meta import Meta
from registry.package.pack import TaskPublic, WorldRow


def scenario_rows(task: TaskPublic, world: Iterable[WorldRow], meta: Meta) -> tuple[WorldRow, ...]:
    """The world with the task's patch, ordered by table (as in the environment), then key.

    Args:
        task: `patch` replaces, adds or (null) deletes rows.
        world: All rows of the world that the task names.
        meta: Of the environment.

    Raises:
        PackageError: A row belongs to no table, or the patch deletes a row that is not there.
    """
    order = {table.name: index for index, table in enumerate(meta.tables)}
    rows = {(table, str(values["id"])): values for table, values in world}
    for table, key, values in task.patch:
        if values is not None:
            rows[table, key] = {**values, "id": key}
        elif rows.pop((table, key), None) is None:
            raise PackageError(f"task {task.task}: expected its patch to delete a row of world {task.world}, got {table} {key}. Rebuild the pack.")
    strangers = sorted({table for table, _ in rows} - order.keys())
    if strangers:
        raise PackageError(f"task {task.task}: expected rows of tables of {task.environment}, got table {strangers[0]}. Rebuild the pack.")
    return tuple((table, values) for (table, _), values in sorted(rows.items(), key=lambda row: (order[row[0][0]], row[0][1])))
