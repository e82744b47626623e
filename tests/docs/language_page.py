"""The tables of docs/seed-language.md that follow from the code: `python tests/docs/language_page.py` writes them."""

import json
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs/seed-language.md"
sys.path[:0] = [str(ROOT), str(Path(__file__).parent)]

from language_examples import DAY_ATTRIBUTE, EXAMPLES, GENERATORS  # noqa: E402

from synth.lang.builtins import BUILTINS, Builtin  # noqa: E402
from synth.lang.check_operators import RESERVED_LOCALS  # noqa: E402
from synth.lang.check_tools import HARNESS, NEEDED  # noqa: E402
from synth.lang.refused import OPERATORS, REFUSED  # noqa: E402
from synth.lang.rule_calls import RESERVED_CODES  # noqa: E402
from synth.seed.declare import RESERVED_ENTITIES, RESERVED_FIELDS  # noqa: E402


def signature(one: Builtin) -> str:
    """How it is written: `round(of, places?)`."""
    shown = ", ".join(f"{each.name}=" if each.keyword else each.name + ("?" if each.optional else "") for each in one.arguments)
    if one.form == "attribute":
        return f".{one.name}"
    return f".{one.name}({shown})" if one.form == "method" else f"{one.name}({shown})"


def cell(text: str) -> str:
    """Text inside a table."""
    return text.replace("|", "\\|")


def functions() -> str:
    """Functions, methods and attributes that may stand everywhere, with an example each."""
    rows = ["| function | gives | example |", "|---|---|---|"]
    for one in BUILTINS:
        if one.place != "data":
            code, value = DAY_ATTRIBUTE if one.form == "attribute" and one.name == "day" else EXAMPLES[one.name]
            rows.append(f"| `{signature(one)}` | {cell(one.doc)} | `{cell(code)}` → `{json.dumps(value)}` |")
    return "\n".join(rows)


def generators() -> str:
    """Generators of data, with an example each."""
    rows = ["| generator | gives | example |", "|---|---|---|"]
    rows += [f"| `{signature(one)}` | {cell(one.doc)} | `{GENERATORS[one.name]}` |" for one in BUILTINS if one.place == "data"]
    return "\n".join(rows)


def refused() -> str:
    """Syntax that the language leaves out."""
    rows = ["| refused | instead |", "|---|---|"]
    lines = {(expected.removeprefix("no "), fix) for expected, fix in (*REFUSED.values(), *OPERATORS.values()) if expected.startswith("no ")}
    rows += [f"| {cell(what)} | {cell(fix)}. |" for what, fix in sorted(lines)]
    return "\n".join(rows)


def reserved() -> str:
    """Names that a seed may not give to its own things, by what they would name."""
    rows = ["| what | names that it may not have |", "|---|---|"]
    for what, names in (
        ("field of an entity or of a type", RESERVED_FIELDS),
        ("entity, enum, type", RESERVED_ENTITIES),
        ("tool", {*NEEDED, *HARNESS}),
        ("local name, parameter", RESERVED_LOCALS),
        ("code of a rule", RESERVED_CODES),
    ):
        rows.append(f"| {what} | {', '.join(f'`{one}`' for one in sorted(names))} |")
    return "\n".join(rows)


def written(page: str) -> str:
    """The page with its tables written anew."""
    for name, table in (("functions", functions()), ("refused", refused()), ("reserved", reserved()), ("generators", generators())):
        page = re.sub(
            rf"(<!-- {name}: [^\n]*-->\n).*?(<!-- end -->)",
            lambda found, table=table: f"{found[1]}\n{table}\n\n{found[2]}",
            page,
            count=1,
            flags=re.DOTALL,
        )
    return page


if __name__ == "__main__":
    PAGE.write_text(written(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
