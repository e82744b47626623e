"""Makes folders as `envfarm eval` writes them, with runs that pass and runs that fail in every way."""

import json
import random
from pathlib import Path

ENVIRONMENTS = {
    "vet_clinic": (
        "Appointment",
        "APT",
        "cancel_appointment",
        "search_appointments",
        {"status": ("booked", "cancelled"), "cancel_reason": (None, "cost")},
    ),
    "tool_library": ("Loan", "LOA", "return_tool", "search_loans", {"status": ("out", "returned"), "returned_at": (None, "2026-03-02T09:00:00")}),
    "water_billing": ("Invoice", "INV", "record_payment", "search_invoices", {"paid": (0, 2000)}),
    "cold_freight": ("Shipment", "SHP", "reroute_shipment", "list_shipments", {"port": ("Rotterdam", "Antwerp")}),
}
KINDS = ("do", "do-if-else", "answer", "decline", "repair", "bulk", "multi-turn")
FAILURES = (
    "ran out",
    "format",
    "never looked",
    "gave up",
    "rule broken",
    "distractor chosen",
    "wrong row",
    "wrong answer",
    "wrong value",
    "collateral",
    "stopped early",
)
FITTING = {"answer": ("wrong answer", "format"), "decline": ("rule broken",)}
OTHERS = tuple(one for one in FAILURES if one not in ("wrong answer", "format", "rule broken"))
NAMES = ("Ruth Moore", "Nikos Zervas", "Dylan Llewellyn", "Amina Çelik", "Jo O'Neill")


class Story:
    """One run: what was due, what happened, as the log and the report have it."""

    def __init__(self, environment, kind, number, failure=""):
        self.environment, self.kind, self.failure = environment, kind, failure
        self.table, self.prefix, self.tool, self.search, self.columns = ENVIRONMENTS[environment]
        if failure in ("wrong answer", "format"):
            self.kind = "answer"
        elif failure == "rule broken":
            self.kind = "decline"
        elif failure and self.kind in ("answer", "decline"):
            self.kind = "do"
        self.right, self.like, self.far, self.second = (f"{self.prefix}-{number * 10 + step:05d}" for step in range(1, 5))
        self.name = NAMES[number % len(NAMES)]
        self.instruction = f"{self.name} cannot make it on Thursday: please {self.tool.replace('_', ' ')}, and take care of the usual rules."
        self.calls, self.stopped, self.final = [], "finished", "All done."

    def call(self, tool, arguments, outcome="ok", result=None, changes=(), refusal=None):
        seq = len(self.calls) + 1
        self.calls.append(
            {
                "seq": seq,
                "tool": tool,
                "arguments": arguments,
                "outcome": outcome,
                "result": result,
                "refusal": refusal,
                "noise": "",
                "changes": list(changes),
            }
        )

    def look(self, *keys):
        rows = [{"id": key, "owner": self.name, **{column: before for column, (before, _) in self.columns.items()}} for key in keys]
        self.call(self.search, {"owner": self.name}, result={"items": rows, "total": len(rows), "next_offset": None})

    def change(self, key, values=None):
        columns = self.columns if values is None else values
        before, after = ({column: pair[side] for column, pair in columns.items()} for side in (0, 1))
        return {"op": "update", "table": self.table, "key": key, "before": before, "after": after}

    def write(self, key, values=None):
        self.call(self.tool, {"id": key}, result={"id": key}, changes=[self.change(key, values)])

    def submit(self, outcome, **more):
        self.call("submit_answer", {"outcome": outcome, **more}, result={"ok": True})

    def check(self, passed, column, expected, actual, *, key=None, cls="exact", table=None):
        return {
            "table": self.table if table is None else table,
            "key": self.right if key is None else key,
            "column": column,
            "class": cls,
            "expected": expected,
            "actual": actual,
            "passed": passed,
            "counts": cls != "outcome",
            "why": "",
        }

    def rows_checked(self, key, *, passed):
        return [self.check(passed, column, after, after if passed else before, key=key) for column, (before, after) in self.columns.items()]

    def stray(self, key):
        return {"table": self.table, "key": key, "op": "update", "values": {column: pair[1] for column, pair in self.columns.items()}}

    def outcome(self, due, said):
        return self.check(due == said or (due == "done" and said is None), "outcome", due, said, key="", cls="outcome", table="")


def passing(story):
    """Does what is due."""
    story.look(story.right, story.like)
    if story.kind == "answer":
        story.submit("answered", answer="34.50")
        return [story.outcome("answered", "answered"), story.check(True, "answer", "34.50", "34.50", key="", cls="typed", table="")], []
    if story.kind == "decline":
        refusal = {"code": "TOO_LATE", "message": "It starts within a day.", "evidence": [story.right]}
        story.call(story.tool, {"id": story.right}, outcome="refused", refusal=refusal)
        story.submit("declined", reason_code="TOO_LATE", evidence=[story.right])
        checks = [story.outcome("declined", "declined"), story.check(True, "reason_code", "TOO_LATE", "TOO_LATE", key="", cls="decline", table="")]
        return [*checks, story.check(True, "evidence", [story.right], [story.right], key="", cls="decline", table="")], []
    story.write(story.right)
    story.submit("done")
    return [*story.rows_checked(story.right, passed=True), story.outcome("done", "done")], []


def failing(story):
    """Fails in the way that the story names; gives checks and collateral."""
    how = story.failure
    right = story.rows_checked(story.right, passed=True)
    wrong = story.rows_checked(story.right, passed=False)
    if how == "ran out":
        for _ in range(5):
            story.look(story.right, story.like)
        story.stopped, story.final = "max_calls", ""
        return [*wrong, story.outcome("done", None)], []
    if how == "format":
        story.call(story.search, {"nmae": story.name}, outcome="error", result="INVALID_ARGUMENTS: argument 'nmae': expected a known name.")
        story.final = "The sum is 34.50."
        answer = story.check(False, "answer", "34.50", None, key="", cls="typed", table="")
        return [story.outcome("answered", None), answer], []
    if how == "never looked":
        story.write(story.like)
        story.submit("done")
        return [*wrong, story.outcome("done", "done")], [story.stray(story.like)]
    if how == "gave up":
        story.look(story.right)
        story.submit("declined", reason_code="TOO_LATE", evidence=[])
        return [*wrong, story.outcome("done", "declined")], []
    if how == "rule broken":
        story.look(story.right)
        story.write(story.right)
        story.submit("done")
        return [story.outcome("declined", "done")], [story.stray(story.right)]
    if how in ("distractor chosen", "wrong row"):
        used = story.like if how == "distractor chosen" else story.far
        story.look(story.right, story.like)
        story.look(story.far)
        story.write(used)
        story.submit("done")
        return [*wrong, story.outcome("done", "done")], [story.stray(used)]
    if how == "wrong answer":
        story.look(story.right, story.like)
        story.submit("answered", answer="12.00")
        answer = story.check(False, "answer", "34.50", "12.00", key="", cls="typed", table="")
        return [story.outcome("answered", "answered"), answer], []
    if how == "wrong value":
        story.look(story.right)
        column, (before, after) = next(iter(story.columns.items()))
        story.write(story.right, {column: (before, "other")})
        story.submit("done")
        return [story.check(False, column, after, "other"), story.outcome("done", "done")], []
    if how == "collateral":
        story.look(story.right, story.second)
        story.write(story.right)
        story.call("update_note", {"id": story.second}, result={"id": story.second}, changes=[story.change(story.second, {"note": ("", "seen")})])
        story.submit("done")
        extra = {"table": story.table, "key": story.second, "op": "update", "values": {"note": "seen"}}
        return [*right, story.outcome("done", "done")], [extra]
    assert how == "stopped early"
    story.look(story.right, story.second)
    story.write(story.right)
    story.submit("done")
    return [*right, *story.rows_checked(story.second, passed=False), story.outcome("done", "done")], []


def told(story, run, task, epoch):
    """The run's file, and the share of checks passed."""
    checks, collateral = failing(story) if story.failure else passing(story)
    counted = [one for one in checks if one["counts"] or not one["passed"]]
    due = len(counted) + bool(collateral)
    passed = all(one["passed"] for one in checks) and not collateral
    partial = round(sum(one["passed"] for one in counted) / due, 6) if due else 0.0
    report = {
        "verdict": "PASS" if passed else "FAIL",
        "reward": int(passed),
        "partial": partial,
        "checks": checks,
        "collateral": collateral,
        "alternative": 0,
    }
    changes = [] if story.kind in ("answer", "decline") else [story.change(story.right)]
    gold = {
        "calls": [{"tool": story.search, "arguments": {"owner": story.name}}, {"tool": story.tool, "arguments": {"id": "$0.items[owner].id"}}],
        "changes": changes,
    }
    return {
        "run": run,
        "task": task,
        "environment": story.environment,
        "epoch": epoch,
        "instruction": story.instruction,
        "calls": story.calls,
        "report": report,
        "gold": gold,
        "messages": None,
    }


def attempt_line(story, run, *, level=1, tried=1, twin="", **more):
    """The line of attempts.jsonl for a run that was told."""
    calls = run["calls"]
    body = {
        "task": run["task"],
        "environment": run["environment"],
        "pack": f"{run['environment']}-test-0",
        "kind": story.kind,
        "level": level,
        "twin": twin,
        "epoch": run["epoch"],
        "try": tried,
        "run": run["run"],
        "verdict": run["report"]["verdict"],
        "reward": run["report"]["reward"],
        "partial": run["report"]["partial"],
        "masked": "",
        "remark": "",
        "calls": len(calls),
        "refusals": sum(one["outcome"] == "refused" for one in calls),
        "errors": sum(one["outcome"] == "error" for one in calls),
        "retries": 0,
        "tokens": {"input": 1000 + 300 * len(calls), "output": 40 * len(calls)},
        "cost": round(0.001 * len(calls), 6),
        "final": story.final,
        "stopped": story.stopped,
    }
    return {**body, **more}


def spoilt(line, verdict, tried):
    """The same attempt as it would stand there had something else than the agent failed."""
    masked = {"masked": "provider", "remark": "429 too many requests"} if verdict == "MASKED" else {"remark": "replay differs at call 2"}
    return {**line, "run": f"{line['run']}-{tried}", "verdict": verdict, "reward": 0, "partial": 0.0, "try": tried, **masked}


def write_evaluation(folder: Path, *, tasks=24, epochs=1, seed=0, skill=0.6, headline=("unsandboxed",), final=None, noise="none") -> Path:
    """An evaluation of a made-up agent that passes with chance `skill`; one task in 12 is masked twice, one INVALID twice, one INVALID once."""
    chance = random.Random(seed)
    (folder / "runs").mkdir(parents=True)
    names, lines = [], []
    environments = sorted(ENVIRONMENTS)
    for number in range(tasks):
        environment = environments[number % len(environments)]
        task = f"{environment}-{number:08x}"
        names.append(task)
        kind = KINDS[number // 2 % len(KINDS)]
        for epoch in range(1, epochs + 1):
            ways = FITTING.get(kind, OTHERS)
            failure = "" if chance.random() < skill else ways[chance.randrange(len(ways))]
            story = Story(environment, kind, number + 1, failure)
            run = told(story, f"run-{number:04x}{epoch:02x}", task, epoch)
            if final is not None:
                story.final = final
            twin = f"{environments[(number ^ 4) % len(environments)]}-{number ^ 4:08x}" if number ^ 4 < tasks else ""
            line = attempt_line(story, run, level=1 + number % 5, twin=twin)
            spoilings = {5: ("MASKED", "MASKED"), 7: ("INVALID", "INVALID"), 10: ("INVALID",)}.get(number % 12, ()) if epoch == 1 else ()
            lines += [spoilt(line, verdict, tried) for tried, verdict in enumerate(spoilings, start=1)]
            if len(spoilings) < 2:
                lines.append({**line, "try": len(spoilings) + 1})
                put_run(folder, run)
    write_folder(folder, lines, names, epochs=epochs, headline=headline, noise=noise)
    return folder


def put_run(folder, run):
    (folder / "runs" / f"{run['run']}.json").write_text(json.dumps(run, ensure_ascii=False), encoding="utf-8")


def write_folder(folder, lines, tasks, *, epochs=1, headline=(), noise="none"):
    """The manifest and the lines of attempts."""
    environments = sorted({line["environment"] for line in lines})
    manifest = {
        "format": 1,
        "agent": "command:./agent.sh",
        "headline": list(headline),
        "environments": {name: f"{number:064x}" for number, name in enumerate(environments)},
        "packs": {f"{name}-test-0": f"{number:064x}" for number, name in enumerate(environments)},
        "generator": 12,
        "envfarm": "0.1.0",
        "tasks": list(tasks),
        "epochs": epochs,
        "noise": {"profile": noise, "seed": 0},
        "limits": {"max_calls": 50, "timeout": 120},
        "seed": 0,
    }
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")
    (folder / "attempts.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
