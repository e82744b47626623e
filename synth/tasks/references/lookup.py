"""From the words of a description to the id of the row: the reads that find it."""

from typing import Any

from registry.package.pack import Source
from registry.package.symbols import symbol
from synth.lang.domain import Domain, Filter, Tool
from synth.reference.values import scalar_json
from synth.tasks.play import Play, Stuck
from synth.tasks.references.describe import Described
from synth.tasks.rows.view import Leaf, View, back, below

MOST_PAGES = 3
PAGE = 20
MOST_WAYS = 4


def tool_of(domain: Domain, kind: str, entity: str) -> Tool | None:
    """The derived tool of this kind for the entity, or None."""
    return next((tool for tool in domain.tools if tool.kind == kind and tool.entity == entity), None)


def argument_of(tool: Tool, param: str) -> str:
    """The name on the wire of a parameter."""
    return next(one.argument for one in tool.params if one.name == param)


def find_row(play: Play, described: Described, spans: dict[str, tuple[int, int]], text: str) -> str:
    """Symbol for the id of the described row; the reads are added to `play`.

    Args:
        spans: Where each tag of the description stands in the instruction.
        text: The whole instruction.

    Raises:
        Stuck: No chain of reads from the description's words leads to this row alone.
    """
    known = play.found.get((described.entity, described.key))
    if known is None:
        search = _Search(play, described, spans, text)
        known = search.find(described.entity, described.key, described.leaves, ())
        play.found[(described.entity, described.key)] = known
    return known


class _Search:
    """One look-up of one description."""

    def __init__(self, play: Play, described: Described, spans: dict[str, tuple[int, int]], text: str) -> None:
        self.play = play
        self.described = described
        self.spans = spans
        self.text = text

    def find(self, entity: str, key: str, leaves: tuple[Leaf, ...], before: tuple[str, ...]) -> str:
        """Symbol of the row; `before` is the path of references from the described row to this one."""
        domain = self.play.domain
        if any(back(leaf.path[0])[0] for leaf in leaves):
            return self._from_child(entity, key, leaves, before)
        search = tool_of(domain, "search", entity)
        if search is not None:
            return self._by_search(search, key, leaves, before)
        listing = tool_of(domain, "list", entity)
        if listing is not None:
            index = self.play.call(listing.name, {}, {})
            return self._pick(index, entity, key, leaves, before)
        return self._as_part(entity, key, leaves, before)

    def _as_part(self, entity: str, key: str, leaves: tuple[Leaf, ...], before: tuple[str, ...]) -> str:
        """The row among the parts of its owner, which a `get` shows; the rows that the words say it refers to are found first."""
        domain, row = self.play.domain, self.play.state.tables[entity][key]
        owner = next((one for one in domain.entity(entity).fields if one.part and one.many and len(one.columns[0].references) == 1), None)
        get = None if owner is None else tool_of(domain, "get", owner.columns[0].references[0])
        if owner is None or get is None or not below(leaves, owner.name):
            raise Stuck(f"no tool finds rows of {entity}")
        shown: dict[str, Any] = {}
        for name in dict.fromkeys(leaf.path[0] for leaf in leaves if len(leaf.path) > 1):
            column = domain.entity(entity).field(name).columns[0]
            self.find(column.references[0], str(row[column.name]), below(leaves, name), (*before, name))
            shown[column.name] = row[column.name]
        found = self.find(owner.columns[0].references[0], str(row[owner.columns[0].name]), below(leaves, owner.name), (*before, owner.name))
        argument = get.params[0].argument
        index = self.play.call(get.name, {argument: found}, {argument: result_source(found)})
        own = {leaf.path[0]: scalar_json(leaf.type)(leaf.value) for leaf in leaves if len(leaf.path) == 1}
        items = self.play.results[index].get(owner.many, [])
        fitting = [item["id"] for item in items if all(item.get(name) == value for name, value in {**shown, **own}.items())]
        if fitting != [key]:
            raise Stuck(f"{len(fitting)} parts fit")
        return symbol(index, owner.many, {"id": key})

    def _from_child(self, entity: str, key: str, leaves: tuple[Leaf, ...], before: tuple[str, ...]) -> str:
        """The row by one that refers to it, which the instruction describes."""
        name = next(leaf.path[0] for leaf in leaves if back(leaf.path[0])[0])
        child, field = back(name)
        facts = below(leaves, name)
        get = tool_of(self.play.domain, "get", entity)
        keys = View(self.play.domain, self.play.state).matching(child, facts)
        if len(keys) != 1 or get is None:
            raise Stuck(f"{len(keys)} rows of {child} fit")
        found = self.find(child, keys[0], facts, (*before, name))
        column = self.play.domain.entity(child).field(field).columns[0].name
        argument = f"{found.removesuffix('.id')}.{column}"
        index = self.play.call(get.name, {get.params[0].argument: argument}, {get.params[0].argument: result_source(argument)})
        if self.play.results[index]["id"] != key:
            raise Stuck(f"{key} is not what {keys[0]} refers to")
        return symbol(index)

    def _by_search(self, tool: Tool, key: str, leaves: tuple[Leaf, ...], before: tuple[str, ...]) -> str:
        if tool.search is None:
            raise Stuck(f"{tool.name} is not a search")
        own = {leaf.path[0]: leaf for leaf in leaves if len(leaf.path) == 1 and not leaf.rank and not leaf.bound}
        bounds = {leaf.name: leaf for leaf in leaves if leaf.bound}
        arguments: dict[str, Any] = {}
        sources: dict[str, Source] = {}
        for one in tool.search.filters:
            if one.field in own:
                self._filter(tool, one, own[one.field], before, arguments, sources)
            elif f"{one.field}.{one.mode}" in bounds:
                self._filter(tool, one, bounds[f"{one.field}.{one.mode}"], before, arguments, sources)
            elif one.mode == "equal":
                self._parent(tool, one, key, leaves, before, arguments, sources)
        return self._page_through(tool, key, leaves, before, (arguments, sources))

    def _filter(self, tool: Tool, one: Filter, leaf: Leaf, before: tuple[str, ...], arguments: dict[str, Any], sources: dict[str, Source]) -> None:
        """Filters by a value that the instruction says."""
        if one.mode == "has":
            return
        name = argument_of(tool, one.param)
        arguments[name] = scalar_json(leaf.type)(leaf.value)
        start, end = self.spans[f"{self.described.prefix}.{'.'.join((*before, leaf.name))}"]
        sources[name] = Source(kind="span", start=start, end=end, text=self.text[start:end])

    def _parent(
        self,
        tool: Tool,
        one: Filter,
        key: str,
        leaves: tuple[Leaf, ...],
        before: tuple[str, ...],
        arguments: dict[str, Any],
        sources: dict[str, Source],
    ) -> None:
        """Filters by a row that the instruction describes in turn."""
        facts = below(leaves, one.field)
        if not facts:
            return
        field = self.play.domain.entity(tool.entity).field(one.field)
        row = self.play.state.row(tool.entity, key)
        target = None if row is None else row[field.columns[0].name]
        if target is None or len(field.columns[0].references) != 1:
            raise Stuck(f"{one.field} of {key} leads nowhere")
        found = self.find(field.columns[0].references[0], str(target), facts, (*before, one.field))
        name = argument_of(tool, one.param)
        arguments[name] = found
        sources[name] = result_source(found)

    def _page_through(
        self, tool: Tool, key: str, leaves: tuple[Leaf, ...], before: tuple[str, ...], given: tuple[dict[str, Any], dict[str, Source]]
    ) -> str:
        arguments, sources = given
        index = self.play.call(tool.name, arguments, sources)
        ranked = any(leaf.rank for leaf in leaves)
        shown = -1
        for _ in range(MOST_PAGES):
            result = self.play.results[index]
            if any(item["id"] == key for item in result["items"]):
                shown = index
            if shown >= 0 and not ranked:
                break
            if result["next_offset"] is None:
                ranked = False
                break
            following = f"${index}.next_offset"
            index = self.play.call(tool.name, {**arguments, "offset": following}, {**sources, "offset": result_source(following)})
        if shown < 0 or ranked:
            raise Stuck(f"{tool.name} does not show {key}, or not all among which it stands out")
        return self._pick(shown, tool.entity, key, leaves, before)

    def _pick(self, index: int, entity: str, key: str, leaves: tuple[Leaf, ...], before: tuple[str, ...]) -> str:
        """The row among the items, by the described values that the items show.

        Of rows on the way to the described one a few may fit: what is found by way of each of them then tells which one is meant.
        """
        items = self.play.results[index]["items"]
        row = next((item for item in items if item["id"] == key), None)
        if row is None:
            raise Stuck(f"{key} is not shown")
        shown = {
            leaf.path[0]: scalar_json(leaf.type)(leaf.value) for leaf in leaves if len(leaf.path) == 1 and leaf.path[0] in row and not leaf.bound
        }
        fitting = [item for item in items if all(item[name] == value for name, value in shown.items())]
        if len(fitting) > (MOST_WAYS if before else 1):
            raise Stuck(f"{len(fitting)} rows of {entity} fit")
        return symbol(index, "items", shown if shown and len(fitting) == 1 else {"id": key})


def result_source(found: str) -> Source:
    """Where a symbol's value comes from."""
    head, _, path = found.partition(".")
    return Source(kind="result", call=int(head[1:]), path=path)
