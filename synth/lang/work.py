"""Bounds the work of expressions: about how many steps one evaluation takes, by the declared numbers of rows."""

from synth.lang.domain import Function
from synth.lang.names import Names
from synth.lang.nodes import Apply, Attr, Bind, Call, Clause, Comprehension, Display, EnumWords, For, Head, Local, Node, Return, Rows, Statement
from synth.lang.walk import children

MOST_STEPS = 3_000_000
MOST_STEPS_OF_A_TOOL = 200_000
MOST_STEPS_OF_DATA = 60_000_000
LIST_LENGTH = 12
PARAMETER_LENGTH = 20
SKEW = 2
_LENGTHS = {"slots": 50, "slots_between": 1500, "steps": 100}
_CAP = 10**12
Sizes = dict[str, int]


class Work:
    """Counts steps. Results for functions and computed fields are kept."""

    def __init__(self, names: Names, functions: dict[str, Function]) -> None:
        self.names = names
        self.functions = functions
        self._function_steps: dict[str, int] = {}
        self._function_sizes: dict[str, int] = {}
        self._field_steps: dict[tuple[str, str], int] = {}

    def body(self, body: tuple[Statement, ...], sizes: Sizes | None = None) -> int:
        """Steps of a whole body."""
        known = dict(sizes or {})
        return min(sum(self._statement(one, known) for one in body), _CAP)

    def _statement(self, node: Statement, sizes: Sizes) -> int:
        if isinstance(node, Bind):
            sizes[node.name] = self.size(node.value, sizes)
            return self.steps(node.value, sizes)
        if isinstance(node, For):
            times = self.size(node.source, sizes)
            return self.steps(node.source, sizes) + times * self.body(node.body, sizes)
        total = 1
        for one in children(node):
            if isinstance(one, Statement):
                total += self._statement(one, sizes)
            elif isinstance(one, Node):
                total += self.steps(one, sizes)
        return total

    def steps(self, node: Node, sizes: Sizes) -> int:
        """Steps of one evaluation of an expression."""
        if isinstance(node, Comprehension):
            return self._comprehension(node, sizes)
        total = 1
        if isinstance(node, Apply):
            total += self._apply(node.function)
        if isinstance(node, Attr):
            total += self._attribute(node)
        if isinstance(node, Rows | Attr | Call):
            total += self.size(node, sizes) if node.type.kind == "list" else 0
        for one in children(node):
            if isinstance(one, Node):
                total += self.steps(one, sizes)
        return min(total, _CAP)

    def _comprehension(self, node: Comprehension, sizes: Sizes) -> int:
        inner = dict(sizes)
        total, times = 0, 1
        for clause in node.clauses:
            total += times * self.steps(clause.source, inner)
            times *= self._clause_size(clause, inner)
            total += times * sum(self.steps(one, inner) for one in clause.conditions)
        total += times * self.steps(node.element, inner)
        if node.key is not None:
            total += times * self.steps(node.key, inner)
        return min(total, _CAP)

    def _clause_size(self, clause: Clause, sizes: Sizes) -> int:
        return max(self.size(clause.source, sizes), 1)

    def _apply(self, name: str) -> int:
        if name not in self._function_steps:
            function = self.functions.get(name)
            self._function_steps[name] = 1
            self._function_steps[name] = self.body(function.body) if function is not None else 1
        return self._function_steps[name]

    def _attribute(self, node: Attr) -> int:
        total = 0
        for entity in node.base.type.entities:
            if (entity, node.name) not in self._field_steps:
                self._field_steps[entity, node.name] = 1
                field = self.names.field(entity, node.name)
                always = field.always if field is not None else None
                self._field_steps[entity, node.name] = self.steps(always, {}) if always is not None else 1
            total = max(total, self._field_steps[entity, node.name])
        return total

    def size(self, node: Node, sizes: Sizes) -> int:
        """About how many elements a list has."""
        if isinstance(node, Rows):
            return self.names.size(node.entity)
        if isinstance(node, Attr):
            return self._reverse(node)
        if isinstance(node, Comprehension):
            inner, times = dict(sizes), 1
            for clause in node.clauses:
                times *= self._clause_size(clause, inner)
            return min(times, _CAP)
        if isinstance(node, Display):
            return len(node.items)
        if isinstance(node, Local):
            return sizes.get(node.name, PARAMETER_LENGTH)
        if isinstance(node, Head):
            return self.size(node.base, sizes)
        if isinstance(node, EnumWords):
            return len(self.names.enums[node.name].words) if node.name in self.names.enums else LIST_LENGTH
        return self._called(node, sizes)

    def _reverse(self, node: Attr) -> int:
        item = node.type.item
        if node.access == "tree" and item is not None:
            return max(self.names.size(item.entities[0]) // 2, 1)
        if node.access != "reverse" or item is None:
            return LIST_LENGTH
        parents = max(self.names.size(one) for one in node.base.type.entities)
        return max(SKEW * self.names.size(item.entities[0]) // max(parents, 1), SKEW)

    def _called(self, node: Node, sizes: Sizes) -> int:
        if isinstance(node, Call):
            if node.name in _LENGTHS:
                return _LENGTHS[node.name]
            if node.name == "tree":
                return max(self.names.size(node.args[0].type.entities[0]) // 2, 1)
            return self.size(node.args[0], sizes) if node.args else LIST_LENGTH
        if isinstance(node, Apply):
            return self._function_size(node.function)
        return LIST_LENGTH

    def _function_size(self, name: str) -> int:
        if name not in self._function_sizes:
            self._function_sizes[name] = LIST_LENGTH
            function = self.functions.get(name)
            last = function.body[-1] if function is not None and function.body else None
            known: Sizes = {}
            for one in function.body if function is not None else ():
                if isinstance(one, Bind):
                    known[one.name] = self.size(one.value, known)
            self._function_sizes[name] = self.size(last.value, known) if isinstance(last, Return) else LIST_LENGTH
        return self._function_sizes[name]
