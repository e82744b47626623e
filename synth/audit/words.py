"""The words of tasks: what they must not tell, and whether two of them say the same."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import lru_cache
from math import log

from registry.package.symbols import is_symbol
from registry.score.answers import parse_number
from synth.audit.case import Case
from synth.audit.findings import Tally

_FILLING = frozenset("hello hi good morning afternoon evening please also then and or dear thanks thank you".split())
_SHORTEST = 3
_NUMBERS = re.compile(r"(?<![\w.,:-])\d[\d,]*(?:\.\d+)?(?![\w:-]|[.,]\d)")
ALIKE = 0.92
"""Share of the weight of the shorter text's words that the longer one may have in common with it."""


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
    different = list(seen.values())
    for one, another in alike([case.task.public.instruction for case in different]):
        blamed, like = different[another], different[one]
        if like.task.public.task != blamed.gold.twin:
            tally.blame(blamed.task.public.task, "like another task", f"nearly all telling words of {like.task.public.task}")


def alike(texts: Sequence[str]) -> list[tuple[int, int]]:
    """Places of pairs of texts that share nearly all their telling words; a word tells the more, the fewer texts it stands in."""
    words = [Counter(bag(text)) for text in texts]
    frequency = Counter(word for one in words for word in one)
    weight = {word: log((1 + len(texts)) / count) for word, count in frequency.items()}
    whole = [sum(weight[word] * count for word, count in one.items()) for one in words]
    found = []
    for first, one in enumerate(words):
        for second in range(first):
            shared = sum(weight[word] * min(count, words[second][word]) for word, count in one.items() if word in words[second])
            if shared >= ALIKE * min(whole[first], whole[second]):
                found.append((second, first))
    return found


@lru_cache(maxsize=1 << 12)
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
            if source.kind == "result" and isinstance(value, str) and not is_symbol(value) and tells(text, value):
                yield f"{value}, which call {source.call} has to look up"
    if case.gold.answer is not None and tells(text, case.gold.answer.value):
        yield f"the answer {case.gold.answer.value}"


def tells(text: str, value: str) -> bool:
    """Whether the text holds the value as a whole: a number however it is written, anything else of some length to the letter."""
    number = parse_number(value)
    if number is not None:
        return any(parse_number(found) == number for found in _NUMBERS.findall(text))
    return len(value) >= _SHORTEST and re.search(rf"(?<![\w-]){re.escape(value.replace('_', ' '))}(?![\w-])", text, re.IGNORECASE) is not None


def _stands(word: str, text: str) -> bool:
    return ("_" in word or word.isupper()) and word in text and re.search(rf"(?<!\w){re.escape(word)}(?!\w)", text) is not None
