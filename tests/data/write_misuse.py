"""Writes the sentences of misuse.yaml anew from what the checker says: `python tests/data/write_misuse.py`, then read the difference."""

import sys
from pathlib import Path

import yaml

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from synth.seed.read import check_seed  # noqa: E402

HERE = Path(__file__).parent
PAGE = HERE / "misuse.yaml"
MARK = "      owner.credit = 0\n"


def edited(case: dict) -> str:
    """The small seed with one mistake."""
    base = (HERE / "small_seed.yaml").read_text(encoding="utf-8")
    if "body" in case:
        lines = "".join(f"      {line}\n" for line in case["body"].rstrip("\n").split("\n"))
        return base.replace(MARK, lines, 1)
    assert base.count(case["instead of"]) > 0, case
    return base.replace(case["instead of"], case["write"], 1)


def sentences(case: dict) -> list[str]:
    """What the checker says, without the file's name."""
    _, problems = check_seed(edited(case).encode(), "small.yaml")
    return [str(one).removeprefix("small.yaml:") for one in problems]


class _Dumper(yaml.SafeDumper):
    pass


_Dumper.add_representer(str, lambda dumper, text: dumper.represent_scalar("tag:yaml.org,2002:str", text, style="|" if "\n" in text else None))

if __name__ == "__main__":
    cases = yaml.safe_load(PAGE.read_text(encoding="utf-8"))
    for one in cases:
        one["says"] = sentences(one)
    PAGE.write_text(yaml.dump(cases, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=10_000), encoding="utf-8")
