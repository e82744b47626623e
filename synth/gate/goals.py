"""What procedural testing must show of a tool: successes, rules alone, branches, boundaries."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from synth.gate.watch import is_boundary, is_measured
from synth.lang import nodes as n
from synth.lang.domain import Domain, Tool
from synth.lang.visit import inside, through

GoalKind = Literal["success", "rule", "branch", "boundary", "part", "argument", "search", "derived"]
SUCCESSES = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Goal:
    """One thing to show.

    Attributes:
        mark: Identity of the node that it is about (see `watch.Trace`), or 0.
        number: Of a branch; for a boundary -1, 0 or 1: below, at, above.
        code: Of a rule.
        shared: Lies in a function of the seed, so that it is enough if one of the tools that call it shows it.
        names: Parameters and bindings that it depends on; `marks` the comparisons.
        rules: Rules of which one may be broken when it shows, by the ids of their nodes; any other broken rule would hide it.
        within: The `if` whose condition it lies in, by the id of its node: what it decides must matter.
        through: An operand of an `and` or `or` that hands it on: id of the node, place of the operand, number of operands. No other one may decide.
        joint: An `and` or `or` of which all operands must agree, by the id of its node, with their number.
        told: One of them must be broken: it lies in what the refusal says.
        written: It is about a write or loop, so that whole statements do nothing until it shows.
        optional: Shown where it can be: the value of a boundary that does not touch its decision (N-1 of `x > N`).
        hashed: Its hash, since goals are looked up at every call that is looked at.
    """

    tool: str
    kind: GoalKind
    where: n.Where
    mark: int = 0
    number: int = 0
    code: str = ""
    enforced: bool = True
    optional: bool = False
    shared: bool = False
    names: tuple[str, ...] = ()
    marks: tuple[int, ...] = ()
    rules: tuple[int, ...] = ()
    told: bool = False
    written: bool = False
    within: int = 0
    through: tuple[int, int, int] | None = None
    joint: tuple[int, int] | None = None
    hashed: int = field(init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "hashed", hash((self.tool, self.kind, self.mark, self.number, self.code, self.told)))

    def __hash__(self) -> int:
        return self.hashed

    def __str__(self) -> str:
        match self.kind:
            case "success":
                return f"{self.tool} succeeds"
            case "rule":
                return f"{self.tool} breaks {self.code} alone"
            case "branch":
                return f"{self.tool} takes branch {self.number + 1} of the choice at line {self.where.line}"
            case "boundary":
                return f"{self.tool} is {('just below', 'at', 'just above')[self.number + 1]} the boundary at line {self.where.line}"
            case _:
                return f"{self.tool} shows {self.kind} {self.number} at line {self.where.line}"


Bound = Mapping[str, n.Node]


def goals(domain: Domain, tool: Tool) -> tuple[Goal, ...]:
    """Everything to show of one tool, each once, in order of its body."""
    found = {Goal(tool=tool.name, kind="success", where=tool.where): None}
    walk = _Walk(domain, tool.name)
    found.update(dict.fromkeys(walk.body(tool.body, {})))
    return tuple(found)


class _Walk:
    """Goes through a body and the functions with effects that it calls."""

    def __init__(self, domain: Domain, tool: str) -> None:
        self._tool = tool
        self._domain = domain
        self._functions = {one.name: one for one in domain.functions}
        self._around: tuple[str, ...] = ()
        self._rules: tuple[int, ...] = ()
        self._depth = 0

    def body(self, statements: tuple[n.Statement, ...], bound: Bound) -> Iterator[Goal]:
        """Goals of statements."""
        bound = dict(bound)
        for one in statements:
            match one:
                case n.Bind():
                    bound[one.name] = one.value
                    yield from self._effects(one.value)
                case n.Rule():
                    yield self._goal(
                        kind="rule",
                        where=one.where,
                        mark=id(one),
                        code=one.code,
                        enforced=one.enforced,
                        joint=_joint(one.condition, bound, "or"),
                        **depends(self._domain, one.condition, bound),
                    )
                    self._rules = (id(one),)
                    yield from self._boundaries(one.condition, bound)
                    self._rules = ()
                case n.If():
                    yield from self._if(one, bound)
                case n.For():
                    yield from self.body(one.body, bound)
                case n.Assign() | n.Do() | n.Return():
                    yield from self._effects(one.value)
                    yield from self._choices(one.value)
                case n.Patch():
                    for _, value in one.values:
                        yield from self._choices(value)

    def _goal(self, **fields: Any) -> Goal:
        return Goal(tool=self._tool, shared=self._depth > 0, **fields)

    def _if(self, node: n.If, bound: Bound) -> Iterator[Goal]:
        closed = node.branches[-1][0] is None
        tested = tuple(condition for condition, _ in node.branches if condition is not None)
        for number, (condition, inner) in enumerate(node.branches):
            joint = _joint(condition, bound, "and") if condition is not None else None
            yield self._goal(kind="branch", where=node.where, mark=id(node), number=number, joint=joint, **depends(self._domain, tested, bound))
            if condition is not None:
                yield from self._boundaries(condition, bound)
            yield from self.body(inner, bound)
        if not closed:
            yield self._goal(kind="branch", where=node.where, mark=id(node), number=len(node.branches), **depends(self._domain, tested, bound))

    def _effects(self, value: n.Node) -> Iterator[Goal]:
        """Goals inside functions with effects that an expression calls."""
        for node in inside(value):
            if isinstance(node, n.Apply) and acts(self._domain, node):
                self._depth += 1
                yield from self.body(self._functions[node.function].body, {})
                self._depth -= 1

    def _choices(self, value: n.Node) -> Iterator[Goal]:
        """Both sides of a choice in a value that is written or given back."""
        for node in inside(value):
            if isinstance(node, n.Choice):
                for number in (0, 1):
                    yield self._goal(kind="branch", where=node.where, mark=id(node), number=number)

    def _boundaries(self, node: n.Node, bound: Bound) -> Iterator[Goal]:
        """Boundaries of the comparisons that decide a condition."""
        match node:
            case n.Compare() if is_boundary(node):
                far = -1 if node.rest[0][0] in (">", "<=") else 1
                for side in (-1, 0, 1):
                    if side != far or _possible(node, side):
                        yield self._goal(
                            kind="boundary",
                            where=node.where,
                            mark=id(node),
                            number=side,
                            optional=side == far,
                            rules=self._rules,
                            names=depends(self._domain, node, bound)["names"] + self._around,
                            marks=(id(node),),
                        )
            case n.Local() if node.name in bound:
                yield from self._boundaries(bound[node.name], {name: value for name, value in bound.items() if name != node.name})
            case n.Unary():
                yield from self._boundaries(node.operand, bound)
            case n.Logic():
                for one in node.operands:
                    yield from self._boundaries(one, bound)
            case n.Choice():
                for one in (node.condition, node.then, node.otherwise):
                    yield from self._boundaries(one, bound)
            case n.Apply():
                outer, self._around = self._around, self._around + depends(self._domain, node, bound)["names"]
                self._depth += 1
                yield from self._inside_function(node)
                self._depth -= 1
                self._around = outer

    def _inside_function(self, node: n.Apply) -> Iterator[Goal]:
        local: dict[str, n.Node] = {}
        for one in self._functions[node.function].body:
            if isinstance(one, n.Bind):
                local[one.name] = one.value
            elif isinstance(one, n.Return):
                yield from self._boundaries(one.value, local)


def _joint(node: n.Node, bound: Bound, op: str) -> tuple[int, int] | None:
    """A condition that turns only when all its operands agree: an `or` that is to fail, an `and` that is to hold."""
    if isinstance(node, n.Local) and node.name in bound:
        node = bound[node.name]
    return (id(node), len(node.operands)) if isinstance(node, n.Logic) and node.op == op else None


def depends(domain: Domain, node: Any, bound: Bound) -> dict[str, Any]:
    """Names in an expression and in what they are bound to, and all comparisons that have a distance."""
    names: dict[str, None] = {}
    marks: dict[int, None] = {}
    pending = [node]
    while pending:
        for one in through(domain, pending.pop()):
            if isinstance(one, n.Local) and one.name not in names:
                names[one.name] = None
                if one.name in bound:
                    pending.append(bound[one.name])
            elif (isinstance(one, n.Compare) and is_measured(one)) or (isinstance(one, n.Call) and one.name in ("overlaps", "max", "min")):
                marks[id(one)] = None
    return {"names": tuple(names), "marks": tuple(marks)}


def acts(domain: Domain, node: n.Apply) -> bool:
    """Whether a function that is called has effects or rules."""
    function = domain.function(node.function)
    return function.effects or any(isinstance(one, n.Rule) for one in function.body)


def _possible(node: n.Compare, side: int) -> bool:
    """Whether a count may be one more or less than the constant that it is compared with: there is no list of -1 elements."""
    counted, other = node.left, node.rest[0][1]
    if isinstance(other, n.Call) and other.name in ("len", "count"):
        counted, other, side = other, counted, -side
    counts = isinstance(counted, n.Call) and counted.name in ("len", "count")
    return not (counts and isinstance(other, n.Const) and isinstance(other.value, int) and other.value + side < 0)


def kinds(found: tuple[Goal, ...]) -> dict[str, Any]:
    """How many goals there are of each kind."""
    return {kind: sum(one.kind == kind for one in found) for kind in ("success", "rule", "branch", "boundary")}
