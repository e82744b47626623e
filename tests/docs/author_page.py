"""The tables of docs/author.md that follow from prompts, seeds and lists of tasks: `make docs` writes them."""

import re
import sys
from pathlib import Path

from synth.author.cost import estimate
from synth.mine.mining import Mined, mine
from synth.mine.tasks import read_tasks
from tests.made_once import domain_of
from tests.seeds import ALL

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "author.md"
LISTS = ROOT / "tests" / "data" / "task_lists"
_TABLE = r"(<!-- {name}: written by `make docs` -->\n\n).*?(\n\n<!-- end -->)"


def cost() -> str:
    """What a domain of 25 tools costs, part by part."""
    found = estimate("tool library of a city district", 25, [domain_of(one) for one in ALL])
    rows = [f"| {one.name} | {round(one.tokens, -1):,} |" for one in found.parts]
    return "\n".join(["| part | tokens, estimated |", "|---|---|", *rows, f"| together | {round(found.whole, -2):,} |"])


def mined() -> dict[str, Mined]:
    """Each list of tasks, sorted out, and held against all that ships."""
    known = [domain_of(one) for one in ALL]
    return {path.stem: mine(read_tasks(path), known) for path in sorted(LISTS.glob("*.jsonl"))}


def shares() -> str:
    """Each list with its domains, their names, and the share of tasks that can be expressed."""
    rows = ["| list | tasks | need no records | domains (tasks) | nearest environment | expressible | of the list |", "|---|---|---|---|---|---|---|"]
    for name, found in mined().items():
        whole = sum(len(one.tasks) for one in found.domains) + len(found.alone) + len(found.stateless)
        domains = "; ".join(f"{one.name} ({len(one.tasks)})" for one in found.domains)
        near = "; ".join(one.nearest for one in found.domains)
        each = "; ".join(f"{one.expressible:.0%}" for one in found.domains)
        rows.append(f"| {name} | {whole} | {len(found.stateless)} | {domains} | {near} | {each} | {found.expressible:.0%} |")
    return "\n".join(rows)


def put(page: str, name: str, table: str) -> str:
    """The page with a table in its place."""
    return re.sub(_TABLE.format(name=name), lambda found: found[1] + table + found[2], page, flags=re.DOTALL)


def table(page: str, name: str) -> list[list[str]]:
    """The rows of a table of the page, as cells."""
    (found,) = re.findall(_TABLE.format(name=name).replace(".*?", "(.*?)"), page, flags=re.DOTALL)
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in found[1].splitlines()[2:]]


if __name__ == "__main__":
    PAGE.write_text(put(put(PAGE.read_text(encoding="utf-8"), "cost", cost()), "mined", shares()), encoding="utf-8")
    sys.stdout.write(f"{PAGE}\n")
