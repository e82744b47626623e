"""Writes the cassettes of this folder: `python -m tests.data.cassettes.write`. A scripted endpoint answers; no model is asked.

Needed again when prompts change, since an exchange is found by what was asked.
"""

import json
import tempfile
from pathlib import Path

from synth.author.authoring import Authored, Order, Places, author
from synth.mine.mining import mine
from synth.mine.tasks import read_tasks
from synth.model.cassette import Recorder
from synth.model.endpoint import Access, Endpoint
from synth.model.meter import Meter
from tests.endpoint import Said, scripted

FOLDER = Path(__file__).resolve().parent
KEYWORD = "allotment gardens of a city district"
MODEL = "scripted"
PLAN = (FOLDER / "plan.json").read_text(encoding="utf-8")
GOOD = (FOLDER / "allotment_gardens.yaml").read_text(encoding="utf-8")

MISTAKES = {
    "a field that is not there": ("require(gardener.paid, NOT_PAID", "require(gardener.payed, NOT_PAID"),
    "a word that is no state": ("require(plot.status == 'let', NOT_LET", "require(plot.status == 'rented', NOT_LET"),
    "a value that may be None": ('is {plot.status}.")', "is {plot.holder.name.lower()}'s.\")"),
    "a rule after an effect": (
        "      plot.status = 'free'\n      plot.holder",
        "      plot.status = 'free'\n      require(plot.name != '', NAMELESS, \"No.\")\n      plot.holder",
    ),
    "a key that does not exist": ('rows: "14", about:', 'rows: "14", describe:'),
    "an effect that breaks an invariant": ("      plot.holder = None\n", ""),
}
"""What the first seed has in the place of what is right. The last one shows only when the seed is built and tried."""


def wrong(seed: str, names: tuple[str, ...]) -> str:
    for name in names:
        right, mistake = MISTAKES[name]
        assert seed.count(right) == 1, name
        seed = seed.replace(right, mistake)
    return seed


def edits(before: str, after: str) -> str:
    """The edits that make one text of another, as a model writes them."""
    from difflib import SequenceMatcher

    old, new = before.splitlines(), after.splitlines()
    blocks = []
    for kind, a, b, c, d in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if kind == "equal":
            continue
        head = f"@@ {a}+" if kind == "insert" else f"@@ {a + 1}-{b}"
        blocks.append("\n".join([head, *new[c:d]]))
    return "\n".join(blocks) + "\n"


def counted(text: str, tokens_in: int) -> Said:
    """An answer of which the endpoint counts the tokens."""
    return Said(text, usage={"prompt_tokens": tokens_in, "completion_tokens": len(text) // 3})


FIRST = wrong(GOOD, tuple(MISTAKES))
SAYS, PROMISES = '"""Let a free plot to a gardener."""', '"""Let any plot to a gardener, whoever holds it."""'
PROMISING = GOOD.replace(SAYS, PROMISES)
"""It passes the gate; only who reads what a tool says of itself finds the mistake."""
CALLS = json.dumps(
    [
        {"tool": "search_plots", "arguments": {"status": "let"}, "expect": "plots that are let"},
        {"tool": "let_plot", "arguments": {"plot_id": "PLOT-99", "gardener_id": "GRD-001"}, "expect": "there is no such plot"},
    ]
)
DOUBTED = json.dumps([{"call": 1, "right": True, "why": "rows"}, {"call": 2, "right": False, "why": "any plot is promised, and a rule refuses some"}])
PRAISED = json.dumps([{"call": 1, "right": True, "why": "rows"}, {"call": 2, "right": True, "why": "there is no such plot"}])
GARDEN = mine(read_tasks(FOLDER / "garden_tasks.jsonl")).domains[0]
SECOND = wrong(GOOD, ("an effect that breaks an invariant",))
SCRIPTS: dict[str, tuple[Said, ...]] = {
    "repaired": (
        counted(f"Here is my plan.\n```json\n{PLAN}```", 700),
        counted(f"```yaml\n{FIRST}```", 3200),
        counted(edits(FIRST, SECOND), 1500),
        counted(f"```\n{edits(SECOND, GOOD)}```", 900),
    ),
    "quarantined": (
        counted(PLAN, 700),
        counted(FIRST, 3200),
        counted(edits(FIRST, wrong(GOOD, ("a field that is not there",))), 1500),
        counted("I think that the seed is right as it is.", 900),
    ),
    "budget": (counted(PLAN, 700), counted(FIRST, 3200), counted("@@ 1-1\nid: allotment_gardens\n", 4000)),
    "tried": (
        counted(PLAN, 700),
        counted(PROMISING, 3200),
        counted(CALLS, 1200),
        counted(DOUBTED, 1500),
        counted(edits(PROMISING, GOOD), 900),
        counted(CALLS, 1200),
        counted(PRAISED, 1500),
    ),
    "mined": (counted(PLAN, 900), counted(GOOD, 3400)),
}
ORDERS = {
    "repaired": Order(about=KEYWORD, model=MODEL, tools=6, attempts=4),
    "quarantined": Order(about=KEYWORD, model=MODEL, tools=6, attempts=3),
    "budget": Order(about=KEYWORD, model=MODEL, tools=6, attempts=9),
    "tried": Order(about=KEYWORD, model=MODEL, tools=6, attempts=4, trial=2),
    "mined": Order(about=GARDEN.name, model=MODEL, tools=6, tasks=tuple(one.text for one in GARDEN.tasks)),
}
BUDGETS = {"budget": 9_700}


def places(home: Path) -> Places:
    return Places(environments=home / "environments", quarantine=home / "quarantine", authored=home / "authored", trials=home / "trials")


def write(name: str) -> Authored:
    with scripted(SCRIPTS[name]) as endpoint, tempfile.TemporaryDirectory() as home:
        recorder = Recorder(
            Endpoint(Access(url=endpoint.url)), FOLDER / f"{name}.jsonl", made_by="a scripted endpoint of the tests; no model was asked"
        )
        return author(ORDERS[name], Meter(recorder, budget=BUDGETS.get(name, 30_000)), places(Path(home)))


if __name__ == "__main__":
    for script in SCRIPTS:
        done = write(script)
        print(json.dumps([script, done.status, done.attempts, done.tokens, done.repaired, done.reasons]))
