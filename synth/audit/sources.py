"""Whether every argument of gold comes from somewhere: the words, the policy, a result, or what the user told."""

from registry.dispatch.harness import ASK
from registry.package.pack import GoldCall, Source
from registry.package.symbols import is_symbol
from synth.audit.case import Case
from synth.audit.findings import Tally


def check_sources(case: Case, tally: Tally) -> None:
    """Each argument names its source, and the source says it."""
    for number, call in enumerate(case.gold.calls):
        for argument in call.arguments:
            wrong = _wrong(case, number, call, argument)
            if wrong:
                tally.blame(case.task.public.task, "an argument has no source", f"call {number} ({call.tool}), {argument}: {wrong}")


def _wrong(case: Case, number: int, call: GoldCall, argument: str) -> str:
    """Empty, or what is wrong with the source of an argument."""
    source = call.sources.get(argument)
    if source is None:
        return "none is named"
    if source.kind == "span":
        said = case.task.public.instruction[source.start : source.end]
        return "" if said == source.text != "" else f"the words say {said!r}, not {source.text!r}"
    if source.kind in ("result", "answer") and not 0 <= source.call < number:
        return f"call {source.call} comes no earlier"
    if source.kind == "answer":
        return _told(case, source)
    return _shown(call.arguments[argument], source) if source.kind == "result" else ""


def _told(case: Case, source: Source) -> str:
    """Whether the user was asked, told it, and does not take it back."""
    result = case.truth.results[source.call]
    if case.gold.calls[source.call].tool != ASK or not isinstance(result, dict):
        return f"call {source.call} does not ask the user"
    if any(one.then and source.text in one.answer and source.text not in one.then for one in case.task.public.held_back):
        return f"the user takes {source.text!r} back"
    return "" if source.text and source.text in result["answer"] else f"the user says {result['answer']!r}, not {source.text!r}"


def _shown(value: object, source: Source) -> str:
    """Whether the argument is a symbol for something in the result that is its source."""
    symbols = value if isinstance(value, list) else [value]
    return "" if all(is_symbol(one) for one in symbols) else f"the value does not refer to the result of call {source.call}"
