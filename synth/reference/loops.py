"""Turns of comprehensions as closures: all elements one by one, or only whether one of them is what is looked for."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from synth.reference.run import Code, Fault, Run, Scope

Source = Callable[[Run, Scope], Iterable[Any]]
"""What a loop goes through."""


def each(
    source: Source, targets: tuple[str, ...], conditions: Sequence[Code], element: Code, *, nested: bool
) -> Callable[[Run, Scope], Iterator[Any]]:
    """The elements of a clause; of one with another one inside (`nested`), those that this one gives."""
    name, bind = sole(targets), binder(targets)

    def elements(run: Run, scope: Scope) -> Iterator[Any]:
        inner = dict(scope)
        for value in source(run, scope):
            run.steps -= 1
            if run.steps < 0:
                raise Fault("too many steps")
            if name:
                inner[name] = value
            else:
                bind(inner, value)
            for condition in conditions:
                if not condition(run, inner):
                    break
            else:
                if nested:
                    yield from element(run, inner)
                else:
                    yield element(run, inner)

    return elements


def until(source: Source, targets: tuple[str, ...], conditions: Sequence[Code], element: Code, *, wanted: bool) -> Code:
    """`wanted` if an element of a clause is it, else the opposite: `any` and `all`. No generator is made, as most rules ask for little else."""
    name, bind = sole(targets), binder(targets)

    def look(run: Run, scope: Scope) -> bool:
        inner = dict(scope)
        for value in source(run, scope):
            run.steps -= 1
            if run.steps < 0:
                raise Fault("too many steps")
            if name:
                inner[name] = value
            else:
                bind(inner, value)
            for condition in conditions:
                if not condition(run, inner):
                    break
            else:
                if bool(element(run, inner)) is wanted:
                    return wanted
        return not wanted

    return look


def sole(targets: tuple[str, ...]) -> str:
    """The one name that a loop binds; empty if it unpacks."""
    return targets[0] if len(targets) == 1 else ""


def binder(targets: tuple[str, ...]) -> Callable[[Scope, Any], None]:
    """Puts the value of one turn of a loop into the scope; more than one target unpacks."""
    if len(targets) == 1:
        name = targets[0]

        def bind(scope: Scope, value: Any) -> None:
            scope[name] = value

        return bind

    def unpack(scope: Scope, value: Any) -> None:
        for target, item in zip(targets, value, strict=True):
            scope[target] = item

    return unpack
