"""The world of a pack as the start of its tasks: what is worked out from it is kept for all of them."""

from dataclasses import dataclass
from functools import cached_property

from registry.environment import Environment
from registry.package.pack import TaskPublic, WorldRow
from registry.packs.reading import Pack, Task
from registry.packs.scenario import scenario_rows
from registry.template import Template

ById = dict[tuple[str, str], WorldRow]
"""Rows by table and id, in the order of both."""


@dataclass
class StartWorld:
    """All rows of one world.

    Attributes:
        name: Of the scenario that has no patch; empty where no task has it.
    """

    environment: Environment
    rows: tuple[WorldRow, ...]
    name: str = ""

    @cached_property
    def by_id(self) -> ById:
        """Its rows by table and id."""
        order = {table.name: index for index, table in enumerate(self.environment.meta.tables)}
        listed = sorted(self.rows, key=lambda one: (order.get(one[0], len(order)), str(one[1]["id"])))
        return {(table, str(row["id"])): (table, row) for table, row in listed}

    @cached_property
    def ids(self) -> dict[str, list[str]]:
        """Ids of each table in order."""
        return self.listed(self.by_id)

    def listed(self, rows: ById) -> dict[str, list[str]]:
        """Ids of each table in order, of these rows."""
        found: dict[str, list[str]] = {table.name: [] for table in self.environment.meta.tables}
        for table, key in rows:
            found[table].append(key)
        return found

    @cached_property
    def template(self) -> Template:
        """The initial state of a task without a patch."""
        return self.environment.scenario_template(self.by_id.values(), self.name)

    def only_replaced(self, task: TaskPublic) -> bool:
        """Whether the patch of a task puts other rows in the place of some, and neither adds nor removes any."""
        return all(values is not None and (table, key) in self.by_id for table, key, values in task.patch)

    def rows_of(self, task: TaskPublic) -> ById:
        """The start state of a task, by table and id."""
        if self.only_replaced(task):
            return self.by_id | {(table, key): (table, {**(values or {}), "id": key}) for table, key, values in task.patch}
        return {(table, str(row["id"])): (table, row) for table, row in scenario_rows(task, self.rows, self.environment.meta)}

    def template_of(self, task: Task) -> Template:
        """The initial state of a task."""
        public = task.public
        if not public.patch:
            return self.template
        if self.only_replaced(public):
            return self.environment.near_template(self.template, public.patch, task.scenario)
        return self.environment.scenario_template(scenario_rows(public, self.rows, self.environment.meta), task.scenario)


def start_worlds(environment: Environment, pack: Pack) -> dict[str, StartWorld]:
    """The worlds of a pack by name."""
    names = {task.public.world: task.scenario for task in pack.tasks.values() if not task.public.patch}
    return {world: StartWorld(environment=environment, rows=rows, name=names.get(world, "")) for world, rows in pack.worlds.items()}
