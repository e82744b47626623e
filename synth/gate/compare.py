"""Whether what a compiled tool did is what the interpreter predicts."""

from collections.abc import Callable, Iterable
from typing import Any

from registry.dispatch.outcome import Outcome
from registry.errors import EpisodeCorrupt
from registry.package import trial
from registry.package.change import RowChange
from synth.reference import statements as reference
from synth.reference.prediction import Prediction


def disagreements(outcome: Outcome, predicted: Prediction) -> list[str]:
    """What differs between one call and its prediction, one sentence each; empty when they agree."""
    if outcome.kind != predicted.kind:
        return [f"expected {_told(predicted)}, got {outcome.kind}: {outcome.text[:300]}"]
    if outcome.kind == "defect":
        return [f"a defect, which the interpreter predicts too: {predicted.text}"]
    if outcome.kind == "refused":
        pairs: tuple[tuple[str, Any, Any], ...] = (
            ("text", f"{predicted.code}: {predicted.text}", outcome.text),
            ("evidence", list(predicted.evidence), list(outcome.evidence)),
        )
        return [_differs(name, expected, got) for name, expected, got in pairs if expected != got]
    if outcome.kind == "ok" and outcome.result != predicted.result:
        return [_differs("result", *_first_difference(predicted.result, outcome.result))]
    return []


def broken_disagree(expected: Iterable[reference.Broken], find: Callable[[], Iterable[trial.Broken]]) -> list[str]:
    """What differs between the broken rules that the interpreter finds and those that checks.py finds.

    Args:
        find: Asks checks.py.
    """
    try:
        got = list(find())
    except Exception as error:  # noqa: BLE001 whatever generated code raises is what is looked for here
        return [f"broken rules: expected an answer of checks.py, got {type(error).__name__}: {error}"]
    left = sorted((one.code, one.evidence, one.enforced) for one in expected)
    right = sorted((one.code, one.evidence, one.enforced) for one in got)
    return [_differs("broken rules", left, right)] if left != right else []


def changes_disagree(expected: Iterable[RowChange], find: Callable[[], Iterable[RowChange]]) -> list[str]:
    """What differs between two net changes, one sentence each.

    Args:
        find: Asks the episode, whose database may refuse what a tool wrote.
    """
    try:
        got = list(find())
    except EpisodeCorrupt as error:
        return [f"changes: expected rows that the database takes, got others: {error}"]
    left = {(one.table, one.key): one for one in expected}
    right = {(one.table, one.key): one for one in got}
    return [
        _differs(f"change of {place[0]} {place[1]}", _said(left.get(place)), _said(right.get(place)))
        for place in sorted(left.keys() | right.keys())
        if left.get(place) != right.get(place)
    ]


def _told(predicted: Prediction) -> str:
    if predicted.kind == "refused":
        return f"refused {predicted.code}: {predicted.text}"
    return f"{predicted.kind} {predicted.text}".strip()


def _differs(name: str, expected: Any, got: Any) -> str:
    return f"{name}: expected {expected!r}, got {got!r}"


def _said(change: RowChange | None) -> str:
    return "no change" if change is None else change.model_dump_json(by_alias=True)


def _first_difference(expected: Any, got: Any, path: str = "") -> tuple[Any, Any]:
    """The smallest part in which two JSON values differ."""
    if isinstance(expected, dict) and isinstance(got, dict) and expected.keys() == got.keys():
        for name, value in expected.items():
            if value != got[name]:
                return _first_difference(value, got[name], f"{path}.{name}")
    if isinstance(expected, list) and isinstance(got, list) and len(expected) == len(got):
        for index, (one, other) in enumerate(zip(expected, got, strict=True)):
            if one != other:
                return _first_difference(one, other, f"{path}[{index}]")
    return (path, expected), (path, got)
