"""Checks calls: functions of the language, methods, functions of the seed."""

import ast

from synth.lang.builtins import EFFECTS, FUNCTIONS, METHODS, RULES, Builtin
from synth.lang.check_arguments import argument, keywords, said
from synth.lang.checker import Checker, handles
from synth.lang.coerce import as_map, wanted
from synth.lang.domain import Function, Param
from synth.lang.nodes import Apply, Call, Const, Local, Method, Node
from synth.lang.problems import advice
from synth.lang.rules import ORDERED, decimal, is_unknown, join, mean_type, spoken, sum_type, tuple_of
from synth.lang.signatures import Bound, accepts, result
from synth.lang.types import Type, list_of, row

KEYED = ("sorted", "min", "max")


@handles(ast.Call)
def call(checker: Checker, node: ast.Call) -> Node:
    """Any call inside an expression."""
    for one in node.args:
        if isinstance(one, ast.Starred):
            return checker.expression(one)
    for keyword in node.keywords:
        if keyword.arg is None:
            return checker.add(
                keyword.value, expected="no `**` before a value", got=checker.said(node), fix="Write the arguments out", code="REFUSED"
            )
    if isinstance(node.func, ast.Attribute):
        return _method(checker, node, node.func)
    if not isinstance(node.func, ast.Name):
        return checker.add(node, expected="a function's name before ( )", got=checker.said(node), fix="Call a function by its name", code="REFUSED")
    return _named(checker, node, node.func.id)


def _named(checker: Checker, node: ast.Call, name: str) -> Node:
    names = checker.names
    if name in names.functions:
        return _pure(checker, node, names.functions[name])
    if name in names.broken or name in names.seed_functions:
        return checker.unknown(node)
    if name in EFFECTS:
        fix = "Write it as a statement of its own, `name = create(…)`, or as what is returned"
        return checker.add(node, expected="an expression without effect", got=checker.said(node), fix=fix, code="EFFECT_INSIDE")
    if name in RULES:
        return checker.add(node, expected="an expression", got=f"{name}(…)", fix="Write the rule as a statement of its own", code="RULE_INSIDE")
    known = FUNCTIONS.get(name)
    if known is not None:
        return _builtin(checker, node, known)
    if name in names.entities:
        return checker.add(
            node,
            expected="a function",
            got=f"the entity {name}",
            fix=f"Write create({name}, …) for a new row, {name} for all rows",
            code="UNKNOWN_FUNCTION",
        )
    if name in ("set", "range", "enumerate", "map", "filter", "str", "int", "float", "list", "dict", "print", "eval", "exec", "open", "getattr"):
        return checker.add(node, expected="a function of the language", got=f"Python's {name}", fix=_PYTHON[name], code="UNKNOWN_FUNCTION")
    choices = [*FUNCTIONS, *names.seed_functions, *EFFECTS, *RULES]
    return checker.add(
        node, expected="a function of the language or of this seed", got=name, fix=advice(name, choices, "function"), code="UNKNOWN_FUNCTION"
    )


_PYTHON = {
    "set": "Write distinct(…)",
    "range": "Write steps(first, last, step)",
    "enumerate": "Write zip(steps(0, len(xs), 1), xs)",
    "map": "Write a list comprehension",
    "filter": "Write a list comprehension with `if`",
    "str": "Write an f-string",
    "int": "Write round(x), or x // 1",
    "float": "Numbers are exact: leave it out",
    "list": "Write a list comprehension",
    "dict": "Write a dict display or comprehension",
    "print": "Return the value",
    "eval": "Nothing can evaluate text",
    "exec": "Nothing can evaluate text",
    "open": "A seed sees nothing but its rows",
    "getattr": "Write the field after a dot",
}


def _pure(checker: Checker, node: ast.Call, function: Function) -> Node:
    """A call of a function inside an expression: one without effects and rules."""
    if function.effects or function.name in checker.names.ruled:
        what = "effects" if function.effects else "rules"
        fix = f"Call it in a line of its own, `name = {function.name}(…)`"
        return checker.add(
            node, expected="an expression without effects and rules", got=f"{function.name}, which has {what}", fix=fix, code="EFFECT_INSIDE"
        )
    return apply(checker, node, function)


def _method(checker: Checker, node: ast.Call, func: ast.Attribute) -> Node:
    known = METHODS.get(func.attr)
    if func.attr.startswith("__") or known is None:
        fix = "Names with two underscores are not part of the language"
        if not func.attr.startswith("__"):
            fix = (
                f"Write {func.attr}(…)"
                if func.attr in FUNCTIONS or func.attr in checker.names.seed_functions
                else advice(func.attr, METHODS, "method")
            )
        return checker.add(node, expected="a method of the language", got=f".{func.attr}()", fix=fix, code="UNKNOWN_FUNCTION")
    base = checker.value(func.value)
    args = tuple(checker.value(one) for one in node.args)
    if any(is_unknown(one.type) for one in (base, *args)):
        return checker.unknown(node)
    if not accepts(known.on, base.type):
        return checker.mismatch(func.value, base, f"{said(known.on)} before .{func.attr}()", "Use it on such a value")
    if node.keywords or not _arity(checker, node, known, len(args)):
        return checker.unknown(node)
    for syntax, arg, parameter in zip(node.args, args, known.arguments, strict=False):
        if parameter.constant and not (isinstance(arg, Const) and arg.value):
            fix = "Write the separator itself, such as ','"
            return checker.add(
                syntax, expected=f"a literal for {parameter.name} of .{func.attr}()", got=checker.said(syntax), fix=fix, code="NOT_CONSTANT"
            )
        if not accepts(parameter.accepts, arg.type):
            return checker.mismatch(syntax, arg, f"{said(parameter.accepts)} for {parameter.name} of .{func.attr}()", "Correct the argument")
    return Method(where=checker.where(node), type=result(known.result, {}) or base.type, base=base, name=func.attr, args=args)


def _arity(checker: Checker, node: ast.Call, known: Builtin, count: int) -> bool:
    positional = [one for one in known.arguments if not one.keyword]
    least = sum(1 for one in positional if not one.optional)
    if least <= count <= len(positional) or (known.name in ("min", "max") and count >= 1):
        return True
    shown = ", ".join(one.name for one in positional)
    number = str(least) if least == len(positional) else f"{least} to {len(positional)}"
    noun = "argument" if number == "1" else "arguments"
    checker.add(node, expected=f"{number} {noun}", got=f"{count}", fix=f"Write {known.name}({shown})", code="WRONG_ARGUMENTS")
    return False


def _builtin(checker: Checker, node: ast.Call, known: Builtin) -> Node:
    if known.place == "data" and checker.place != "data":
        return checker.add(
            node,
            expected="a function that may stand here",
            got=f"the generator {known.name}",
            fix="Generators stand only in `data:`",
            code="WRONG_PLACE",
        )
    if known.name == "given":
        return _given(checker, node)
    if known.name == "isa":
        return _isa(checker, node)
    if not _arity(checker, node, known, len(node.args)):
        return checker.unknown(node)
    args = tuple(checker.value(one) for one in node.args)
    if any(is_unknown(one.type) for one in args):
        return checker.unknown(node)
    if known.name == "lookup":
        args = (as_map(args[0]), *args[1:])
    bound: Bound = {}
    for number, (syntax, arg) in enumerate(zip(node.args, args, strict=True)):
        if not argument(checker, (syntax, arg), known, number, args, bound):
            return checker.unknown(node)
    named = keywords(checker, node, known, args)
    if named is None:
        return checker.unknown(node)
    kind = _result(checker, node, known, args, bound)
    return checker.unknown(node) if kind is None else Call(where=checker.where(node), type=kind, name=known.name, args=args, keywords=named)


def _result(checker: Checker, node: ast.Call, known: Builtin, args: tuple[Node, ...], bound: Bound) -> Type | None:
    """The type of a call; None after a problem."""
    name = known.name
    if name in KEYED and not _ordered(checker, node, known, args):
        return None
    if name in ("min", "max") and len(args) > 1:
        kind: Type | None = args[0].type
        for one in args[1:]:
            kind = join(kind, one.type) if kind is not None else None
        return kind
    if name in ("sum", "avg"):
        return _total(checker, node, name, args[0])
    if known.result == "same":
        return args[0].type
    if known.result == "list[same]":
        return _tree(checker, node, args[0])
    if known.result == "rounded":
        return _rounded(args)
    if known.result == "list[pair]":
        return list_of(tuple_of(*(one.type.item or one.type for one in args)))
    kind = result(known.result, bound)
    return kind if kind is not None or known.result not in ("T", "T?") else Type(kind="none", optional=True)


def _ordered(checker: Checker, node: ast.Call, known: Builtin, args: tuple[Node, ...]) -> bool:
    """Whether the elements have an order, of themselves or by a key."""
    if any(one.arg == "key" for one in node.keywords) or len(args) > 1:
        return True
    item = args[0].type.item
    if item is None or is_unknown(item) or (item.kind in ORDERED and not item.optional):
        return True
    code = "ROW_ORDER" if item.kind == "row" else "WRONG_TYPE"
    got = f"{checker.said(node.args[0])}, a list of {spoken(item)}"
    checker.add(node, expected=f"elements that have an order, or a key, for {known.name}()", got=got, fix="Add key=lambda x: x.field", code=code)
    return False


def _total(checker: Checker, node: ast.Call, name: str, arg: Node) -> Type | None:
    item = arg.type.item
    if item is None or is_unknown(item):
        return Type(kind="integer")
    kind = sum_type(item) if name == "sum" else mean_type(item)
    if kind is None:
        got = f"{checker.said(node.args[0])}, a list of {spoken(item)}"
        fix = "Leave elements that are None out, with `if x is not None`" if item.optional else "Name the number: sum(x.amount for x in …)"
        checker.add(node, expected=f"numbers for {name}()", got=got, fix=fix, code="WRONG_TYPE")
    return kind


def _tree(checker: Checker, node: ast.Call, arg: Node) -> Type | None:
    entities = arg.type.entities
    if len(entities) == 1 and "descendants" in checker.names.members(entities[0]):
        return list_of(arg.type)
    checker.mismatch(node.args[0], arg, "a row of an entity with a `tree: true` reference", "Declare the reference to its own entity with tree: true")
    return None


def _rounded(args: tuple[Node, ...]) -> Type:
    places = args[1].value if len(args) > 1 and isinstance(args[1], Const) else 0
    if args[0].type.kind == "money" and places:
        return args[0].type
    return decimal(places) if isinstance(places, int) and places else Type(kind="integer")


def _given(checker: Checker, node: ast.Call) -> Node:
    only = node.args[0] if len(node.args) == 1 and not node.keywords else None
    known = checker.scope.names.get(only.id) if isinstance(only, ast.Name) else None
    if not isinstance(only, ast.Name) or known is None or not known.unset:
        fix = "Ask it of a parameter that is written with `= unset`"
        return checker.add(node, expected="a parameter that may be left unsent", got=checker.said(node), fix=fix, code="WRONG_ARGUMENTS")
    local = Local(where=checker.where(only), type=known.type, name=only.id)
    return Call(where=checker.where(node), type=Type(kind="bool"), name="given", args=(local,))


def _isa(checker: Checker, node: ast.Call) -> Node:
    if len(node.args) != 2 or node.keywords:
        return checker.add(node, expected="a row and an entity", got=checker.said(node), fix="Write isa(row, Entity)", code="WRONG_ARGUMENTS")
    one, kind = checker.value(node.args[0]), node.args[1]
    if is_unknown(one.type):
        return one
    if one.type.kind != "row":
        return checker.mismatch(node.args[0], one, "a row for isa()", "Write isa(row, Entity)")
    entity = kind.id if isinstance(kind, ast.Name) else ""
    if entity not in one.type.entities:
        got, fix = checker.said(kind), f"Write one of {', '.join(one.type.entities)}"
        return checker.add(kind, expected=f"an entity that {checker.said(node.args[0])} may belong to", got=got, fix=fix, code="UNKNOWN_NAME")
    named = Const(where=checker.where(kind), type=row(entity), value=entity)
    return Call(where=checker.where(node), type=Type(kind="bool"), name="isa", args=(one, named))


def apply(checker: Checker, node: ast.Call, function: Function) -> Apply | Node:
    """A call of a function of the seed, with one expression per parameter."""
    given: dict[str, ast.expr] = {}
    for parameter, value in zip(function.params, node.args, strict=False):
        given[parameter.name] = value
    names = [one.name for one in function.params]
    for keyword in node.keywords:
        if keyword.arg in given or keyword.arg not in names:
            return _wrong_call(checker, node, function, f"{keyword.arg}=")
        given[keyword.arg] = keyword.value
    if len(node.args) > len(names):
        return _wrong_call(checker, node, function, f"{len(node.args)} arguments")
    args: list[Node] = []
    for parameter in function.params:
        filled = _filled(checker, parameter, given.get(parameter.name))
        if filled is None:
            return _wrong_call(checker, node, function, f"no {parameter.name}")
        args.append(filled)
    if function.result is None and not function.effects and function.name not in checker.names.ruled:
        return checker.unknown(node)
    if any(is_unknown(one.type) for one in args):
        return checker.unknown(node)
    kind = function.result or Type(kind="none", optional=True)
    return Apply(where=checker.where(node), type=kind, function=function.name, args=tuple(args))


def _filled(checker: Checker, parameter: Param, value: ast.expr | None) -> Node | None:
    if value is not None:
        return wanted(checker, value, parameter.type, f"the parameter {parameter.name}")
    return parameter.default


def _wrong_call(checker: Checker, node: ast.Call, function: Function, got: str) -> Node:
    shown = ", ".join(one.name if one.required else f"{one.name}=…" for one in function.params)
    return checker.add(node, expected=f"{function.name}({shown})", got=got, fix="Call it with its parameters", code="WRONG_ARGUMENTS")
