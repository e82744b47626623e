"""What it costs to look at a seed: one that means harm, and the largest one that ships."""

import time
from collections.abc import Callable, Iterator
from functools import partial

from bench.figures import Figure, at_most
from synth.build import shipped_seeds
from synth.lint.lint import lint_seed
from synth.seed.read import check_seed

ROUNDS = 3
_DEF = '  def z():\n      """Do."""\n'


def _seed(body: str) -> bytes:
    return f"format: 1\nid: harm\ntitle: Harm\nentities:\n  Thing:\n    fields:\n      size: integer\ntools: |\n{body}".encode()


def _many(count: int, text: str) -> str:
    return "".join(text.replace("#", str(number)) for number in range(count))


HOSTILE = {
    "ten megabytes": _seed(_DEF) + b"#" * 10_000_000,
    "deep nesting": b"id: " + b"{a: " * 1_200,
    "a bomb of anchors": b"a: &a [x, x]\n" + b"".join(b"%c: &%c [*%c, *%c]\n" % (98 + n, 98 + n, 97 + n, 97 + n) for n in range(20)),
    "an import": _seed(_DEF + "      x = __import__('os').system('true')\n"),
    "an attribute that is not of the seed": _seed(_DEF + "      x = ().__class__.__bases__[0].__subclasses__()\n"),
    "a huge power": _seed(_DEF + "      x = 9 ** 9 ** 9 ** 9\n"),
    "an unbounded comprehension": _seed(_DEF + "      x = [1 for a in Thing for b in Thing for c in Thing for d in Thing]\n"),
    "thousands of unknown keys": _seed(_DEF) + _many(4_000, "k#: v\n").encode(),
    "thousands of unknown names": _seed("".join(f"  def t{n}():\n{_many(70, '      x# = unknown#' + chr(10))}" for n in range(100))),
    "a function of thousands of statements": _seed(_DEF + _many(8_000, "      x# = #\n")),
    "thousands of lines that are no function": _seed(_many(9_000, "  x# = #\n")),
}
"""Bytes of a seed by what is wrong with it: the dearest of those that the tests refuse."""


def seed_figures() -> Iterator[Figure]:
    """CPU seconds, the best of a few rounds, in a process that has read a seed before."""
    costs = {name: _best(partial(_refuse, content)) for name, content in HOSTILE.items()}
    yield at_most("hostile seed refused, slowest", max(costs.values()), "CPU s", 1)
    largest = max(shipped_seeds(), key=lambda path: path.stat().st_size)
    content = largest.read_bytes()
    yield at_most(f"lint of the largest shipped seed ({largest.stem})", _best(lambda: lint_seed(content, largest.name)), "CPU s", 1)


def _refuse(content: bytes) -> None:
    domain, _ = check_seed(content, "hostile.yaml")
    if domain is not None:
        raise RuntimeError("bench: expected the seed to be refused, got a domain. See tests/unit/seed/test_hostile_seeds.py.")


def _best(work: Callable[[], object]) -> float:
    spent = []
    for _ in range(ROUNDS):
        before = time.process_time()
        work()
        spent.append(time.process_time() - before)
    return min(spent)
