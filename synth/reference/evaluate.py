"""Expressions of the seed language as Python closures over plain rows."""

from collections.abc import Callable, Iterable, Iterator
from typing import Any, ClassVar

from synth.lang import nodes as n
from synth.lang.domain import Domain
from synth.lang.types import Type
from synth.reference import values
from synth.reference.arithmetic import binary, comparison
from synth.reference.exact import total
from synth.reference.fields import Fields
from synth.reference.functions import METHODS, PLAIN
from synth.reference.kept import Keeper
from synth.reference.loops import each, until
from synth.reference.run import Code, Fault, Run, Scope
from synth.reference.state import Ref
from synth.reference.tables import Tables

Form = Callable[[Any], Code]


class Expressions:
    """Makes closures of the expressions of one domain.

    Attributes:
        forms: How each class of nodes becomes a closure; `effects` adds those that write.
        functions: Closures of the functions of the seed, by name; called with a run and the values of all parameters.
        keeper: Remembers results; None where what is read for them is noted.
    """

    noting: ClassVar[bool] = False
    """Whether closures note what they read, so that all has to be read again each time."""

    def __init__(self, domain: Domain) -> None:
        self.domain = domain
        self.tables = Tables(domain)
        self.ranks = {one.name: {word: place for place, word in enumerate(one.words)} for one in domain.enums}
        self.functions: dict[str, Callable[[Run, list[Any]], Any]] = {}
        self.keeper = None if self.noting else Keeper(domain, self.tables)
        self.fields = self.make_fields()
        self._constants = {one.name: one.value for one in domain.constants}
        self._words = {one.name: one.words for one in domain.enums}
        self._called: dict[str, Callable[[Run, Ref], str]] = {}
        self.forms: dict[type, Form] = {
            n.Const: self._const,
            n.Local: self._local,
            n.Given: self._given,
            n.Rows: self._rows,
            n.Single: self._single,
            n.EnumWords: self._enum_words,
            n.Attr: self._attr,
            n.Unary: self._unary,
            n.Binary: self._binary,
            n.Compare: self._compare,
            n.Logic: self._logic,
            n.Choice: self._choice,
            n.Display: self._display,
            n.Record: self._record,
            n.Comprehension: self._comprehension,
            n.Index: self._index,
            n.Head: self._head,
            n.Format: self._format,
            n.Call: self._call,
            n.Method: self._method,
            n.Apply: self._apply,
            n.Lambda: self._lambda,
        }

    def make_fields(self) -> Fields:
        """The reader of attributes."""
        return Fields(self.tables, self.code, self.keeper)

    def code(self, node: n.Node) -> Code:
        """The closure of an expression."""
        return self.forms[type(node)](node)

    def _const(self, node: n.Const) -> Code:
        value = values.constant(node.value, node.type)
        return lambda run, scope: value

    def _local(self, node: n.Local) -> Code:
        name = node.name
        return lambda run, scope: scope[name]

    def _given(self, node: n.Given) -> Code:
        match node.name:
            case "now":
                return lambda run, scope: run.now
            case "today":
                return lambda run, scope: run.today
            case "me":
                return lambda run, scope: run.me
            case name:
                return self.code(self._constants[name])

    def _rows(self, node: n.Rows) -> Code:
        entity = node.entity
        archive = self.tables.entities[entity].archive
        return lambda run, scope: run.state.refs(entity, "", None, archive=archive)

    def _single(self, node: n.Single) -> Code:
        ref = Ref(node.entity, node.entity.lower())
        return lambda run, scope: ref

    def _enum_words(self, node: n.EnumWords) -> Code:
        words = self._words[node.name]
        return lambda run, scope: list(words)

    def _attr(self, node: n.Attr) -> Code:
        base, name = self.code(node.base), node.name
        match node.access:
            case "field" | "reverse" | "links" | "id" | "tree":
                return self.fields.attribute(base, node)
            case "struct" | "record":
                return lambda run, scope: base(run, scope)[name]
            case "part":
                return lambda run, scope: getattr(base(run, scope), name)

    def _unary(self, node: n.Unary) -> Code:
        operand = self.code(node.operand)
        if node.op == "not":
            return lambda run, scope: not operand(run, scope)
        return lambda run, scope: -operand(run, scope)

    def _binary(self, node: n.Binary) -> Code:
        left, right = self.code(node.left), self.code(node.right)
        apply = binary(node.op, node.left.type, node.right.type)
        return lambda run, scope: apply(left(run, scope), right(run, scope))

    def _compare(self, node: n.Compare) -> Code:
        first = self._side(node.left)
        kinds = [node.left.type, *(right.type for _, right in node.rest)]
        rest = [(comparison(op, kind, right.type, self.ranks), self._side(right)) for kind, (op, right) in zip(kinds, node.rest, strict=False)]
        if len(rest) == 1:
            apply, other = rest[0]
            right = node.rest[0][1]
            fixed = literal(right)
            if fixed is not None:
                value = fixed[0]
                return lambda run, scope: apply(first(run, scope), value)
            return lambda run, scope: apply(first(run, scope), other(run, scope))

        def chain(run: Run, scope: Scope) -> bool:
            left = first(run, scope)
            for compare, code in rest:
                right = code(run, scope)
                if not compare(left, right):
                    return False
                left = right
            return True

        return chain

    def _side(self, node: n.Node) -> Code:
        """One side of a comparison; a name that a rule above has shown not to be None has no value if that rule is broken."""
        if not isinstance(node, n.Local) or node.type.optional or node.type.kind == "none":
            return self.code(node)
        name = node.name

        def read(run: Run, scope: Scope) -> Any:
            value = scope[name]
            if value is None:
                raise Fault("a value that must be there is None")
            return value

        return read

    def _logic(self, node: n.Logic) -> Code:
        parts = [self.code(one) for one in node.operands]
        if len(parts) == 2:
            left, right = parts
            if node.op == "and":
                return lambda run, scope: left(run, scope) and right(run, scope)
            return lambda run, scope: left(run, scope) or right(run, scope)
        if len(parts) == 3:
            one, two, three = parts
            if node.op == "and":
                return lambda run, scope: one(run, scope) and two(run, scope) and three(run, scope)
            return lambda run, scope: one(run, scope) or two(run, scope) or three(run, scope)
        if node.op == "and":
            return lambda run, scope: all(part(run, scope) for part in parts)
        return lambda run, scope: any(part(run, scope) for part in parts)

    def _choice(self, node: n.Choice) -> Code:
        condition, then, otherwise = self.code(node.condition), self.code(node.then), self.code(node.otherwise)
        return lambda run, scope: then(run, scope) if condition(run, scope) else otherwise(run, scope)

    def _display(self, node: n.Display) -> Code:
        fixed = literal(node)
        if fixed is not None:
            constants = fixed[0]
            return lambda run, scope: list(constants)
        items = [self.code(one) for one in node.items]
        return lambda run, scope: [item(run, scope) for item in items]

    def _record(self, node: n.Record) -> Code:
        entries = [(self.code(key), self.code(value)) for key, value in node.entries]
        return lambda run, scope: {key(run, scope): value(run, scope) for key, value in entries}

    def _comprehension(self, node: n.Comprehension) -> Code:
        found = self.generator(node)
        if node.key is None:
            return lambda run, scope: list(found(run, scope))
        return lambda run, scope: dict(found(run, scope))

    def generator(self, node: n.Comprehension) -> Callable[[Run, Scope], Iterator[Any]]:
        """The elements of a comprehension one by one; of a map, pairs."""
        element = self.code(node.element)
        if node.key is not None:
            element = _pair(self.code(node.key), element)
        found = self._clause(node.clauses[-1], element, nested=False)
        for clause in reversed(node.clauses[:-1]):
            found = self._clause(clause, found, nested=True)
        return found

    def _clause(self, clause: n.Clause, element: Code, *, nested: bool) -> Callable[[Run, Scope], Iterator[Any]]:
        """The elements of a clause; of one with another one inside, those that this one gives."""
        return each(self.iterable(clause.source), clause.targets, [self.code(one) for one in clause.conditions], element, nested=nested)

    def iterable(self, node: n.Node) -> Callable[[Run, Scope], Iterable[Any]]:
        """The elements of a list, one by one if they are computed."""
        if isinstance(node, n.Comprehension) and node.key is None:
            return self.generator(node)
        return self.code(node)

    def _index(self, node: n.Index) -> Code:
        base, index = self.code(node.base), self.code(node.index)
        return lambda run, scope: _at(base(run, scope), index(run, scope))

    def _head(self, node: n.Head) -> Code:
        base, stop = self.code(node.base), self.code(node.stop)
        return lambda run, scope: base(run, scope)[: stop(run, scope)]

    def _format(self, node: n.Format) -> Code:
        parts = [self._shown_part(part) for part in node.parts]
        return lambda run, scope: "".join([part(run, scope) for part in parts])

    def _shown_part(self, node: n.Node) -> Code:
        code = self.code(node)
        if isinstance(node, n.Const) and node.type.kind == "text":
            return code
        show = self.shown(node.type)
        return lambda run, scope: show(run, code(run, scope))

    def shown(self, of: Type) -> Callable[[Run, Any], str]:
        """How a person reads a value of this type; a row as what it is called."""
        if of.kind == "row":
            return lambda run, value: "none" if value is None else self.called(run, value)
        if of.kind == "list" and of.item is not None:
            item = self.shown(of.item)
            return lambda run, value: "none" if value is None else ", ".join(item(run, one) for one in value)
        plain = values.scalar_shown(of)
        return lambda run, value: plain(value)

    def called(self, run: Run, ref: Ref) -> str:
        """How a person refers to a row."""
        code = self._called.get(ref.entity)
        if code is None:
            code = self._called[ref.entity] = self._called_code(ref.entity)
        return code(run, ref)

    def _called_code(self, entity: str) -> Callable[[Run, Ref], str]:
        node = self.tables.entities[entity].called
        if node is None:
            return lambda run, ref: ref.key
        code = self.code(node)
        return lambda run, ref: str(code(run, {"row": ref}))

    def _call(self, node: n.Call) -> Code:
        special = getattr(self, f"_call_{node.name}", None)
        if special is not None:
            made: Code = special(node)
            return made
        args = [self.code(one) for one in node.args]
        keywords = [(name, self.code(one)) for name, one in node.keywords]
        if node.name not in PLAIN:
            return _generator_call(node.name, args, keywords)
        function = PLAIN[node.name]
        if len(args) == 1:
            only = args[0]
            return lambda run, scope: function(only(run, scope))
        if len(args) == 4:
            a, b, c, d = args
            return lambda run, scope: function(a(run, scope), b(run, scope), c(run, scope), d(run, scope))
        return lambda run, scope: function(*[arg(run, scope) for arg in args])

    def _call_any(self, node: n.Call) -> Code:
        return self.quantifier(node.args[0], wanted=True)

    def _call_all(self, node: n.Call) -> Code:
        return self.quantifier(node.args[0], wanted=False)

    def quantifier(self, node: n.Node, *, wanted: bool) -> Code:
        """`any`, which looks for an element that is true, or `all`, for one that is not."""
        if not isinstance(node, n.Comprehension) or node.key is not None:
            return quantified(self.iterable(node), wanted=wanted)
        found = self.code(node.element)
        for clause in reversed(node.clauses):
            found = until(self.iterable(clause.source), clause.targets, [self.code(one) for one in clause.conditions], found, wanted=wanted)
        return found

    def _call_first(self, node: n.Call) -> Code:
        items = self.iterable(node.args[0])
        return lambda run, scope: next(iter(items(run, scope)), None)

    def _call_sum(self, node: n.Call) -> Code:
        items = self.iterable(node.args[0])
        if node.type.kind == "duration":
            nothing = 0 * values.MINUTE
            return lambda run, scope: sum(items(run, scope), nothing)
        if node.type.kind == "integer":
            return lambda run, scope: sum(items(run, scope))
        return lambda run, scope: total(items(run, scope))

    def _call_avg(self, node: n.Call) -> Code:
        items = self.code(node.args[0])
        divide = binary("/", node.type.required(), Type(kind="integer"))

        def mean(run: Run, scope: Scope) -> Any:
            found = items(run, scope)
            return divide(sum(found[1:], found[0]), len(found)) if found else None

        return mean

    def _call_min(self, node: n.Call) -> Code:
        return self._extreme(node, min)

    def _call_max(self, node: n.Call) -> Code:
        return self._extreme(node, max)

    def _extreme(self, node: n.Call, choose: Callable[..., Any]) -> Code:
        key = self._order(node)
        if len(node.args) == 1:
            items = self.iterable(node.args[0])
            return lambda run, scope: choose(items(run, scope), key=key(run, scope), default=None)
        args = [self.code(one) for one in node.args]
        return lambda run, scope: choose([arg(run, scope) for arg in args], key=key(run, scope))

    def _call_sorted(self, node: n.Call) -> Code:
        items, key = self.iterable(node.args[0]), self._order(node)
        given = dict(node.keywords)
        reverse = self.code(given["reverse"]) if "reverse" in given else lambda run, scope: False
        return lambda run, scope: sorted(items(run, scope), key=key(run, scope), reverse=reverse(run, scope))

    def _order(self, node: n.Call) -> Callable[[Run, Scope], Callable[[Any], Any] | None]:
        """What the elements are ordered by: the key if there is one; enums by their order."""
        key = dict(node.keywords).get("key")
        if isinstance(key, n.Lambda):
            function, rank = self._lambda(key), self.rank(key.body.type, key.body)
            return function if rank is None else _composed(function, rank)
        of = node.args[0].type
        rank = self.rank(of.item if len(node.args) == 1 and of.item else of, None)
        return lambda run, scope: rank

    def rank(self, of: Type, node: n.Node | None) -> Callable[[Any], Any] | None:
        """What to order values of a type by, or None if by themselves."""
        if of.kind == "enum":
            return self.ranks[of.name].__getitem__
        if isinstance(node, n.Display):
            ranks = [self.rank(item.type, item) for item in node.items]
            if any(ranks):
                return lambda items: [rank(item) if rank else item for rank, item in zip(ranks, items, strict=True)]
        return None

    def _call_isa(self, node: n.Call) -> Code:
        base, kind = self.code(node.args[0]), node.args[1]
        entity = kind.entity if isinstance(kind, n.Rows | n.Single) else str(getattr(kind, "value", ""))
        return lambda run, scope: base(run, scope).entity == entity

    def _call_given(self, node: n.Call) -> Code:
        code = self.code(node.args[0])
        return lambda run, scope: code(run, scope) is not values.UNSET

    def _call_tree(self, node: n.Call) -> Code:
        base, below = self.code(node.args[0]), self.fields.below

        def whole(run: Run, scope: Scope) -> list[Ref]:
            root = base(run, scope)
            return [root, *below(run, root)]

        return whole

    def _method(self, node: n.Method) -> Code:
        function, base = METHODS[node.name], self.code(node.base)
        args = [self.code(one) for one in node.args]
        return lambda run, scope: function(base(run, scope), *[arg(run, scope) for arg in args])

    def _apply(self, node: n.Apply) -> Code:
        args, name = [self.code(one) for one in node.args], node.function

        def apply(run: Run, scope: Scope) -> Any:
            run.step()
            return self.functions[name](run, [arg(run, scope) for arg in args])

        return apply

    def _lambda(self, node: n.Lambda) -> Callable[[Run, Scope], Callable[[Any], Any]]:
        body, name = self.code(node.body), node.parameter

        def make(run: Run, scope: Scope) -> Callable[[Any], Any]:
            inner = dict(scope)

            def function(value: Any) -> Any:
                run.step()
                inner[name] = value
                return body(run, inner)

            return function

        return make


def quantified(items: Callable[[Run, Scope], Iterable[Any]], *, wanted: bool) -> Code:
    """`any` or `all` of elements that are made one by one."""
    return (lambda run, scope: any(items(run, scope))) if wanted else (lambda run, scope: all(items(run, scope)))


def _pair(key: Code, value: Code) -> Code:
    return lambda run, scope: (key(run, scope), value(run, scope))


def _composed(make: Callable[[Run, Scope], Callable[[Any], Any]], rank: Callable[[Any], Any]) -> Callable[[Run, Scope], Callable[[Any], Any]]:
    def ranked(run: Run, scope: Scope) -> Callable[[Any], Any]:
        function = make(run, scope)
        return lambda value: rank(function(value))

    return ranked


def _generator_call(name: str, args: list[Code], keywords: list[tuple[str, Code]]) -> Code:
    """A call of a generator of a `data:` block, which the run brings along."""

    def call(run: Run, scope: Scope) -> Any:
        if name not in run.generators:
            raise Fault(f"{name} is no function here")
        return run.generators[name](run, *[arg(run, scope) for arg in args], **{key: code(run, scope) for key, code in keywords})

    return call


def literal(node: n.Node) -> tuple[Any] | None:
    """The value of a literal, or of a display of literals; None if it is neither."""
    if isinstance(node, n.Const):
        return (values.constant(node.value, node.type),)
    if isinstance(node, n.Display) and all(isinstance(one, n.Const) for one in node.items):
        return ([values.constant(one.value, one.type) for one in node.items if isinstance(one, n.Const)],)
    return None


def _at(base: Any, index: Any) -> Any:
    """The element or entry, None when there is none."""
    try:
        return base[index]
    except (IndexError, KeyError):
        return None
