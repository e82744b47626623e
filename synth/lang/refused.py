"""What the language leaves out, and what to write instead."""

import ast

_LISTS = "a list comprehension, sum(…), or a for loop over a list that exists"

REFUSED: dict[type[ast.AST], tuple[str, str]] = {
    ast.While: ("no `while`", "Write `for x in list:` over a list that exists, such as steps(…)"),
    ast.Break: ("no `break`", "Filter the list before the loop"),
    ast.Continue: ("no `continue`", "Put the rest of the body under an `if`, or filter the list before the loop"),
    ast.Try: ("no `try`", "Test the condition before; a rule that fails is a require(…)"),
    ast.Raise: ("no `raise`", 'Write require(condition, CODE, "The rule as a sentence.")'),
    ast.Assert: ("no `assert`", 'Write require(condition, CODE, "The rule as a sentence.")'),
    ast.Delete: ("no `del`", "Write delete(row)"),
    ast.Import: ("no `import`", "Use the functions of the language; docs/seed-language.md lists them"),
    ast.ImportFrom: ("no `import`", "Use the functions of the language; docs/seed-language.md lists them"),
    ast.ClassDef: ("no `class`", "Declare an entity or a struct in YAML"),
    ast.With: ("no `with`", "Leave it out: a refused call undoes everything by itself"),
    ast.AsyncFunctionDef: ("no `async`", "Write a plain `def`"),
    ast.AsyncFor: ("no `async`", "Write a plain `for`"),
    ast.AsyncWith: ("no `async`", "Leave it out"),
    ast.Await: ("no `await`", "Leave it out: calls are plain"),
    ast.Yield: ("no `yield`", "Return a list comprehension"),
    ast.YieldFrom: ("no `yield`", "Return a list"),
    ast.NamedExpr: ("no `:=`", "Bind the name in a line of its own before"),
    ast.Starred: ("no `*` before a value", "Write the arguments or elements out"),
    ast.Global: ("no `global`", "Return the value, or keep it in a row of an entity with `single: true`"),
    ast.Nonlocal: ("no `nonlocal`", "Return the value"),
    ast.Set: ("no sets", "Write a list, with distinct(…) where repeats matter"),
    ast.SetComp: ("no sets", "Write distinct([…])"),
    ast.FunctionDef: ("no function inside a function", "Move it to `functions:`"),
    ast.Lambda: ("`lambda` only as key= of sorted, min or max", "Move it to `functions:`, or write the expression itself"),
    ast.Pass: ("no `pass`", "Leave it out"),
    ast.AnnAssign: ("no annotation on a binding", "Write `name = value`"),
    ast.Match: ("no `match` statement", "Write if / elif / else"),
    ast.Slice: ("only xs[:n]", "Write xs[:n] for the first n elements; sort the list the other way round for the last ones"),
    ast.GeneratorExp: ("a list", "Write it in brackets"),
}

OPERATORS: dict[type[ast.AST], tuple[str, str]] = {
    ast.Pow: ("no `**`", "Multiply"),
    ast.MatMult: ("no `@`", "Write sum(a * b for a, b in zip(xs, ys))"),
    ast.LShift: ("no `<<`", "Multiply"),
    ast.RShift: ("no `>>`", "Divide with //"),
    ast.BitOr: ("no `|`", "Write `or` between conditions, `+` between lists"),
    ast.BitAnd: ("no `&`", "Write `and` between conditions"),
    ast.BitXor: ("no `^`", "Write `!=` between conditions"),
    ast.Invert: ("no `~`", "Write `not`"),
    ast.UAdd: ("no `+` sign", "Leave it out"),
}


def refused(node: ast.AST) -> tuple[str, str]:
    """What is expected in place of a piece of syntax that the language does not have, and what to do."""
    if type(node) in REFUSED:
        return REFUSED[type(node)]
    return "an expression of the language", f"Write it with what docs/seed-language.md lists: {_LISTS}"
