"""Calls with every kind of argument on compiled packages: never a defect, and always the same again."""

import math
import random
from pathlib import Path

import pytest

from registry.catalogue import open_folder
from registry.episode import LocalEpisode
from registry.package.digest import state_digest
from synth.compile.package import compile_package
from synth.data.world import make_world
from synth.seed.read import read_seed

ROOT = Path(__file__).parents[2]
CALLS = 800
HOSTILE = (
    None,
    "",
    0,
    -1,
    2**53,
    2**63,
    1e300,
    0.001,
    -0.0,
    math.nan,
    True,
    [],
    {},
    ["a"],
    "x" * 10_001,
    "\x00",
    "\ud800",
    "%",
    "2026-99-99",
    "24:00",
)
DATES = ("2026-03-02", "2026-03-05", "2199-12-31", "1900-01-01")
TIMES = ("00:00:00", "09:00:00", "10:30", "23:59:59")
NUMBERS = (0, 1, 2, 30, 60, 1000, -1, 2**53 - 1, 12.5, 0.01, 90071992547409.9)


@pytest.fixture(scope="module", params=["seeds/vet_clinic.yaml", "tests/data/whole_language.yaml"])
def environment(request, tmp_path_factory):
    domain = read_seed(ROOT / request.param)
    folder = tmp_path_factory.mktemp("environments") / domain.id
    for name, content in compile_package(domain, make_world(domain).rows).items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)
    return open_folder(folder)


class Caller:
    """Draws calls from a seeded stream; knows the ids of all rows."""

    def __init__(self, environment, seed):
        self.environment = environment
        self.draw = random.Random(seed)
        self.ids = {table.name: ["X"] for table in environment.meta.tables}
        for table, row in LocalEpisode(environment).snapshot():
            self.ids[table].append(row["id"])

    def call(self):
        tool = self.draw.choice(self.environment.tools)
        parameters = {one.argument: one for one in self.environment.meta.tool(tool["name"]).parameters}
        schema = tool["inputSchema"]
        required = schema.get("required", [])
        sent = [name for name in schema["properties"] if name in required or self.draw.random() < 0.5]
        return tool["name"], {name: self.value(schema["properties"][name], parameters.get(name)) for name in sent}

    def value(self, schema, parameter=None):
        draw = self.draw
        if draw.random() < 0.05:
            return draw.choice(HOSTILE)
        if parameter and parameter.tables:
            known = [key for table in parameter.tables for key in self.ids[table]]
            return draw.choice(known) if parameter.kind == "row" else draw.sample(known, min(len(known), draw.randint(0, 4)))
        if "enum" in schema:
            return draw.choice(schema["enum"])
        kind = schema.get("type", "string")
        kind = kind if isinstance(kind, str) else draw.choice(kind)
        if kind == "array":
            return [self.value(schema.get("items", {})) for _ in range(draw.randint(0, 3))]
        if kind == "object":
            return {name: self.value(one) for name, one in schema.get("properties", {"a": {"type": "integer"}}).items()}
        if kind == "string" and parameter and parameter.kind in ("date", "time", "datetime"):
            day, time = draw.choice(DATES), draw.choice(TIMES)
            return {"date": day, "time": time, "datetime": f"{day}T{time}"}[parameter.kind]
        return {"integer": draw.choice(NUMBERS[:8]), "number": draw.choice(NUMBERS), "boolean": draw.random() < 0.5, "null": None}.get(kind, "a word")


@pytest.mark.parametrize("seed", [1, 2])
def test_no_argument_provokes_a_defect_and_a_replay_comes_to_the_same(environment, seed):
    caller = Caller(environment, seed)
    episode = LocalEpisode(environment, call_limit=0)
    kinds = set()
    for _ in range(CALLS):
        tool, arguments = caller.call()
        outcome = episode.call(tool, arguments)
        assert outcome.kind != "defect", (tool, arguments)
        kinds.add(outcome.kind)
        for table, op, key, _ in outcome.writes:
            if op == "insert":
                caller.ids[table].append(key)
    assert kinds == {"ok", "refused", "invalid"}
    again = LocalEpisode(environment, call_limit=0)
    again.replay([record.to_json() for record in episode.log()])
    assert again.log() == episode.log()
    assert episode.state_digest == state_digest(episode.snapshot()) == again.state_digest
