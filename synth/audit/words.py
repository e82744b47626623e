"""The words of tasks: what they must not tell, and whether two of them say the same."""

import re
from collections.abc import Iterable, Sequence

from registry.package.symbols import is_symbol
from synth.audit.case import Case
from synth.audit.findings import Tally

_FILLING = frozenset("hello hi good morning afternoon evening please also then and or dear thanks thank you".split())
_SHORTEST = 3


def check_words(cases: Sequence[Case], tally: Tally) -> None:
    """No id, name of a tool, code of a rule or value that has to be looked up; no two tasks but twins with the same words."""
    seen: dict[tuple[str, ...], Case] = {}
    for case in cases:
        for leak in leaks(case):
            tally.blame(case.task.public.task, "the instruction leaks", leak)
        key = bag(case.task.public.instruction)
        other = seen.setdefault(key, case)
        if other is not case and other.task.public.task != case.gold.twin:
            tally.blame(
                case.task.public.task, "like another task", f"the words of {other.task.public.task}, but for a greeting or the order of parts"
            )


def bag(instruction: str) -> tuple[str, ...]:
    """The words of an instruction without greetings and conjunctions, in alphabetical order."""
    return tuple(sorted(word for word in re.findall(r"[\w'.:-]*\w", instruction.lower()) if word not in _FILLING))


def leaks(case: Case) -> Iterable[str]:
    """What the instruction tells that only a look-up may tell."""
    text, meta = case.task.public.instruction, case.environment.meta
    words = set(re.findall(r"[\w/-]*\w", text))
    given = {table.name for table in meta.tables if table.id_kind in ("given", "single", "key")}
    ids = {key for table, keys in case.ids.items() if table not in given for key in keys}
    yield from (f"the id {word}" for word in sorted(words & ids))
    yield from (f"the tool {tool.name}" for tool in meta.tools if _stands(tool.name, text))
    yield from (
        f"the code {code}" for code in sorted({code for tool in meta.tools for code in (*tool.requires, *tool.policies)}) if _stands(code, text)
    )
    for call, made in zip(case.gold.calls, case.steps, strict=True):
        for name, source in call.sources.items():
            value = made.arguments[name]
            if source.kind == "result" and isinstance(value, str) and not is_symbol(value) and len(value) >= _SHORTEST and _stands(value, text):
                yield f"{value}, which call {source.call} has to look up"


def _stands(word: str, text: str) -> bool:
    return ("_" in word or word.isupper()) and re.search(rf"(?<!\w){re.escape(word)}(?!\w)", text) is not None
