"""The page of all domains and the picture of how alike they are, written from the seeds: `make docs` puts them into docs/."""

import sys
from functools import cache
from html import escape
from pathlib import Path

from synth.overlap.alike import MOST_ALIKE
from synth.overlap.catalog import catalog, pairs
from synth.seed.read import read_seed
from tests import made_once
from tests.seeds import ALL, path_of

DOCS = Path(__file__).resolve().parents[2] / "docs"
PAGE, PICTURE = DOCS / "domains.md", DOCS / "domains.svg"
HEAD = """# Domains

<!-- Written by `make docs` from the seeds. Do not edit. -->

What ships in `seeds/`. `envfarm catalog` prints the same for what is built, with rows, density of the graph and tasks; `envfarm catalog seeds`
for seed files. *Alike* compares shapes of tools, tables, rules and graph without any name: 0 is nothing in common, 1 the same but for nouns. No
two may be more alike than {most}.

"""
CELL, LEFT, TOP = 34, 150, 140


@cache
def found():
    domains = [read_seed(path_of(name)) for name in ALL]
    alike = made_once.value("pairs-of-all", lambda: pairs(domains))
    return catalog(domains, {one.id: 0 for one in domains}, alike), alike


def write() -> str:
    """The whole page."""
    entries, _ = found()
    rows = "".join(
        f"| [{one.title}](#{one.title.lower().replace(' ', '-')}) | {one.tools} ({one.writing}) | {one.tables} | {one.requires} + {one.policies} "
        f"| {one.invariants} | {named(one.nearest)}, {one.alike:.2f} |\n"
        for one in entries
    )
    head = "| domain | tools (that write) | tables | rules: enforced + told | invariants | most alike |\n|---|---|---|---|---|---|\n"
    return (
        HEAD.format(most=f"{MOST_ALIKE:.2f}") + head + rows + "\n![How alike every two domains are](domains.svg)\n" + "".join(map(section, entries))
    )


def named(name: str) -> str:
    return next(one.title for one in found()[0] if one.id == name)


def section(entry) -> str:
    """What one domain is, who works in it, what makes it hard."""
    hard = "".join(f"- {phrase}\n" for phrase in entry.hard)
    return f"\n## {entry.title}\n\n`{entry.id}`. {entry.about}\n\n**Who works in it:** {entry.who}\n\n**What makes it hard:**\n\n{hard}"


def picture() -> str:
    """A square of squares: the darker, the more alike."""
    entries, alike = found()
    names = [one.id for one in entries]
    width, height = LEFT + CELL * len(names) + 10, TOP + CELL * len(names) + 10
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" font-family="sans-serif" font-size="11">']
    for place, name in enumerate(names):
        middle = TOP + CELL * place + CELL // 2 + 4
        parts.append(f'<text x="{LEFT - 6}" y="{middle}" text-anchor="end">{escape(name)}</text>')
        across = LEFT + CELL * place + CELL // 2 + 4
        parts.append(f'<text transform="translate({across},{TOP - 6}) rotate(-60)">{escape(name)}</text>')
        for other_place, other in enumerate(names[:place]):
            value = alike[tuple(sorted((name, other)))].whole
            x, y = LEFT + CELL * other_place, TOP + CELL * place
            shade = 255 - round(200 * value)
            parts.append(f'<rect x="{x}" y="{y}" width="{CELL - 2}" height="{CELL - 2}" fill="rgb({shade},{shade},255)"/>')
            parts.append(f'<text x="{x + CELL // 2 - 1}" y="{y + CELL // 2 + 3}" text-anchor="middle" font-size="10">{value:.2f}</text>')
    return "\n".join([*parts, "</svg>"]) + "\n"


if __name__ == "__main__":
    PAGE.write_text(write(), encoding="utf-8")
    PICTURE.write_text(picture(), encoding="utf-8")
    sys.stdout.write(f"{PAGE}\n{PICTURE}\n")
