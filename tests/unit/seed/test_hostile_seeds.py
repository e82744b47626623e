"""Seeds that mean harm, or are just too much, are refused at once and in words."""

import time
from pathlib import Path

import pytest

from synth.seed.read import check_seed

SMALL = (Path(__file__).resolve().parents[2] / "data/small_seed.yaml").read_text(encoding="utf-8")
MARK = "      owner.credit = 0\n"
CPU_SECONDS = 5.0


def body(line):
    return SMALL.replace(MARK, f"      {line}\n", 1)


HOSTILE = {
    "ten megabytes": (SMALL + "#" * 10_000_000, "TOO_LARGE"),
    "ten megabytes of keys": ("".join(f"k{number}: v\n" for number in range(900_000)), "TOO_LARGE"),
    "a hundred thousand values": (SMALL + "policies: [" + "a, " * 100_000 + "a]\n", "TOO_LARGE"),
    "deep lists": ("id: " + "[" * 100_000, "YAML_SYNTAX|TOO_DEEP"),
    "deep mappings": ("id: " + "{a: " * 20_000, "TOO_DEEP"),
    "deep indents": ("".join(" " * number + "a:\n" for number in range(1200)), "TOO_DEEP"),
    "a bomb of anchors": (  # each letter holds the one before twice
        "a: &a [x, x]\n" + "".join(f"{chr(98 + n)}: &{chr(98 + n)} [*{chr(97 + n)}, *{chr(97 + n)}]\n" for n in range(20)),
        "YAML_ALIAS",
    ),
    "a tag that makes objects": ('id: !!python/object/apply:os.system ["true"]\n', "YAML_TAG"),
    "no UTF-8": (b"id: \xff\xfe\n", "BAD_ENCODING"),
    "a zero byte": (b"id: a\x00b\n", "YAML_SYNTAX"),
    "a lone surrogate": ('id: "\\ud800"\n', "YAML_SYNTAX|BAD_CHARACTER"),
    "nothing": ("", "WRONG_SHAPE"),
    "a list": ("- a\n", "WRONG_SHAPE"),
    "a scalar": ("hello", "WRONG_SHAPE"),
    "only an id": ("id: a\n", "MISSING_KEY"),
    "import by hand": (body("x = __import__('os').system('true')"), "UNKNOWN_FUNCTION"),
    "the way to all classes": (body("x = ().__class__.__bases__[0].__subclasses__()"), "UNKNOWN_FUNCTION"),
    "an attribute in an f-string": (body("x = f'{owner.__dict__}'"), "REFUSED"),
    "evaluation": (body("x = eval('1')"), "UNKNOWN_FUNCTION"),
    "a huge power": (body("x = 9 ** 9 ** 9 ** 9"), "REFUSED"),
    "a huge shift": (body("x = 1 << 10000000000"), "REFUSED"),
    "a huge constant": (body("x = " + "9" * 100_000), "SYNTAX"),
    "a long text times a number": (body("x = 'a' * 1000000000"), "WRONG_TYPE"),
    "a huge range": (body("x = [i for i in steps(0, 1000000000000, 1)]"), "UNBOUNDED"),
    "an unbounded comprehension": (body("x = [1 for a in Visit for b in Visit for c in Visit for d in Visit]"), "UNBOUNDED"),
    "an unbounded comprehension in functions": (
        body("x = len(a1())").replace(
            "functions: |\n",
            "functions: |\n"
            + "".join(f"  def a{n}():\n      return [v for v in Visit for w in a{n + 1}()]\n\n" for n in range(1, 9))
            + "  def a9():\n      return [v for v in Visit]\n\n",
        ),
        "UNBOUNDED",
    ),
    "deep parentheses": (body("x = " + "(" * 5000 + "1" + ")" * 5000), "SYNTAX"),
    "deep signs": (body("x = " + "-" * 50_000 + "1"), "TOO_DEEP"),
    "deep sums": (body("x = " + "1 + " * 20_000 + "1"), "TOO_DEEP"),
    "deep attributes": (body("x = owner" + ".friend" * 20_000), "TOO_DEEP"),
    "deep conditions": (body("x = " + "not " * 5_000 + "True"), "TOO_DEEP"),
    "deep functions": (
        body("if number > 0:\n" + "".join("      " + " " * n + "if number > 0:\n" for n in range(1, 99)) + " " * 120 + "owner.credit = 0"),
        "SYNTAX",
    ),
    "a slow regular expression": (body("x = matches(owner.name, '(a|a)*(a|a)*(a|a)*b')\n      owner.credit = 0"), "BAD_PATTERN"),
    "a nest of functions without end": (
        body("x = late(visit)").replace("return visit.starts_at < now", "return [late(v) for v in visit.owner.visits]"),
        "RECURSION",
    ),
    "a function without end": (SMALL.replace(MARK, "".join(f"      x{n} = unknown{n}\n" for n in range(5000)), 1), "TOO_DEEP"),
    "many mistakes": (
        SMALL.replace(
            "tools: |\n", "tools: |\n" + "".join(f"  def t{n}():\n" + "".join(f"      x{m} = unknown{m}\n" for m in range(100)) for n in range(100))
        ),
        "UNKNOWN_NAME",
    ),
    "a long unknown name": (body("x = " + "a" * 100_000), "UNKNOWN_NAME"),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_seed_is_refused_quickly(name):
    text, code = HOSTILE[name]
    content = text if isinstance(text, bytes) else text.encode()
    start = time.process_time()
    domain, problems = check_seed(content, "hostile.yaml")
    took = time.process_time() - start
    assert domain is None
    assert set(code.split("|")) & {one.code for one in problems}, [str(one)[:200] for one in problems][:5]
    assert took < CPU_SECONDS
    assert all(len(str(one)) < 1000 for one in problems)
    assert len(problems) <= 200
