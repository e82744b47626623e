"""Seeds that mean harm, or are just too much, are refused at once and in words."""

from pathlib import Path

import pytest
import yaml

from synth.seed.read import check_seed
from tests.calls import calls

SMALL = (Path(__file__).resolve().parents[2] / "data/small_seed.yaml").read_text(encoding="utf-8")
MARK = "      owner.credit = 0\n"
MOST_CALLS = 700_000
MOST_EVENTS = 30_000


def body(line):
    return SMALL.replace(MARK, f"      {line}\n", 1)


def block(name, text):
    return SMALL.replace(f"{name}: |\n", f"{name}: |\n{text}", 1)


def many(count, text):
    """So many copies of a text, each with its number."""
    return "".join(text.replace("#", str(number)) for number in range(count))


HOSTILE = {
    "ten megabytes": (SMALL + "#" * 10_000_000, "TOO_LARGE"),
    "ten megabytes of keys": ("".join(f"k{number}: v\n" for number in range(900_000)), "TOO_LARGE"),
    "a hundred thousand values": (SMALL + "policies: [" + "a,\n " * 100_000 + "a]\n", "TOO_LARGE"),
    "deep lists": ("id: " + "[\n " * 4_000, "YAML_SYNTAX|TOO_DEEP"),
    "deep mappings": ("id: " + "{a: " * 1_200, "TOO_DEEP"),
    "deep indents": ("".join(" " * number + "a:\n" for number in range(800)), "TOO_DEEP"),
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
    "a huge constant": (body("x = " + "9" * 4_800), "SYNTAX"),
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
    "deep parentheses": (body("x = " + "(\n      " * 5000 + "1" + ")" * 4000), "SYNTAX"),
    "deep signs": (body("x = " + "-" * 4_800 + "1"), "TOO_DEEP"),
    "deep sums": (body("x = " + "1 + " * 1_200 + "1"), "TOO_DEEP"),
    "deep attributes": (body("x = owner" + ".friend" * 690), "TOO_DEEP"),
    "deep conditions": (body("x = " + "not " * 1_200 + "True"), "TOO_DEEP"),
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
            "tools: |\n", "tools: |\n" + "".join(f"  def t{n}():\n" + "".join(f"      x{m} = unknown{m}\n" for m in range(70)) for n in range(100))
        ),
        "UNKNOWN_NAME",
    ),
    "a long unknown name": (body("x = " + "a" * 4_900), "UNKNOWN_NAME"),
    "a line without end": (body("x = " + "a" * 100_000), "TOO_LONG_LINE"),
    "thousands of unknown keys": (SMALL + many(4_000, "k#: v\n"), "UNKNOWN_KEY"),
    "one key again and again": (SMALL + "id: v\n" * 4_000, "DUPLICATE_KEY"),
    "thousands of keys": (SMALL + many(11_000, "k#: v\n"), "TOO_LARGE"),
    "thousands of enums": (SMALL.replace("enums:\n", "enums:\n" + many(3_000, "  E#: [a]\n"), 1), "TOO_MANY"),
    "an enum of thousands of words": (SMALL.replace("enums:\n", "enums:\n  Big:\n" + many(5_000, "    - w#\n"), 1), "TOO_MANY"),
    "thousands of fields": (SMALL.replace("fields:\n", "fields:\n" + many(4_000, "      f#: text\n"), 1), "TOO_MANY"),
    "thousands of entities": (SMALL.replace("entities:\n", "entities:\n" + many(900, "  M#:\n    fields:\n      f: text\n"), 1), "TOO_MANY"),
    "thousands of functions": (block("functions", many(9_000, "  def q#():\n      return 1\n\n")), "TOO_MANY"),
    "thousands of tools": (block("tools", many(590, '  def q#():\n      """Do."""\n      return #\n\n')), "TOO_MANY_TOOLS"),
    "thousands of broken functions": (block("tools", many(20_000, "  def q#(:\n")), "TOO_MANY"),
    "hundreds of broken functions": (block("tools", many(590, "  def q#(:\n")), "SYNTAX"),
    "thousands of statements": (block("tools", '  def z():\n      """Do."""\n' + many(18_000, "      x# = #\n") + "\n"), "TOO_MANY"),
    "a function of thousands of statements": (block("tools", '  def z():\n      """Do."""\n' + many(8_000, "      x# = #\n") + "\n"), "TOO_DEEP"),
    "thousands of lines that are no function": (block("tools", many(9_000, "  x# = #\n")), "NOT_A_FUNCTION"),
    "hundreds of rules": (body(many(900, 'require(number > #, A#, "No.")\n      ')), "BAD_SENTENCE"),
    "a condition of hundreds of parts": (body("require(" + many(290, "number > # and ") + "True, A, 'No.')"), "BAD_SENTENCE"),
    "hundreds of branches": (
        body("if number == 0:\n          owner.credit = 0" + many(900, "\n      elif number == #:\n          owner.credit = 0")),
        "TOO_DEEP",
    ),
    "a chain of fields that double their work": (
        SMALL.replace(
            "entities:\n",
            'entities:\n  Many:\n    id: "M-{n:03}"\n    fields:\n      f0: integer\n'
            + "".join(f'      f{n}: {{type: integer, always: "f{n - 1} + f{n - 1}"}}\n' for n in range(1, 110)),
            1,
        ),
        "UNBOUNDED",
    ),
    "an id of a million digits": (SMALL.replace("{n:0", "{n:0999999", 1), "BAD_ID"),
    "more rows than there is memory": (SMALL.replace('rows: "', 'rows: "99999999', 1), "WRONG_SHAPE"),
    "documents without end": ("---\n" * 90_000, "TOO_LARGE|YAML_DOCUMENTS"),
    "line ends without end": ("\r" * 390_000, "WRONG_SHAPE|TOO_LONG_LINE"),
}


def refused(name):
    """Refuses a hostile seed, in words."""
    text, code = HOSTILE[name]
    domain, problems = check_seed(text if isinstance(text, bytes) else text.encode(), "hostile.yaml")
    assert domain is None
    assert set(code.split("|")) & {one.code for one in problems}, [str(one)[:200] for one in problems][:5]
    assert all(len(str(one)) < 1000 for one in problems)
    assert len(problems) <= 200


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_seed_is_refused_within_a_budget_of_calls(name):
    assert calls(lambda: refused(name)) < MOST_CALLS


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_seed_is_refused_within_a_budget_of_events_by_the_scanner_in_python(name, monkeypatch):
    monkeypatch.delattr(yaml, "CSafeLoader", raising=False)
    parse, events = yaml.parse, 0

    def counted(*args, **named):
        nonlocal events
        for event in parse(*args, **named):
            events += 1
            yield event

    monkeypatch.setattr(yaml, "parse", counted)
    refused(name)
    assert events < MOST_EVENTS
