"""Texts of a seed that speak to a model rather than of the domain: agents read titles, descriptions and rules."""

import re
import unicodedata

_SPEAKS = re.compile(
    r"""
    \b(ignore|disregard|forget|override)\b[^.\n]{0,40}\b(instruction|instructions|prompt|prompts|rules\ above|told)\b
    | \bsystem\s+(prompt|message)\b
    | \b(you\ are|act\ as|pretend\ to\ be)\b[^.\n]{0,30}\b(ai|assistant|language\ model|chatbot|dan)\b
    | <\|[^|\n]{1,40}\|> | </?(system|assistant|user|tool_call|function_calls?|instructions?)>
    | \[/?INST\] | ^\s*\#{2,}\s*(system|instruction)
    | \bhttps?:// | \bjavascript: | <script\b | \bdata:text/
    """,
    re.IGNORECASE | re.VERBOSE,
)
_APART = re.compile(r"_+|(?<=[a-z])(?=[A-Z])")
"""Where words of a name are joined."""
_HIDDEN = ("Cf", "Cc", "Co", "Cs", "Cn")


def suspicious(line: str) -> str:
    """What in a line does not belong into a seed, as it would be named in a sentence; empty for nothing."""
    found = _SPEAKS.search(line) or _SPEAKS.search(_APART.sub(" ", line))
    if found:
        return f"text that speaks to a model or leads elsewhere ({' '.join(found[0].split())[:40]!r})"
    hidden = None if line.isprintable() else next((one for one in line if one != "\t" and unicodedata.category(one) in _HIDDEN), None)
    return f"the invisible character U+{ord(hidden):04X}" if hidden is not None else ""
