"""A pack is the same whatever order sets have in a process."""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[3]
PACK = """
import hashlib
from pathlib import Path
from synth.seed.read import read_seed
from synth.tasks.supply import supply
made = supply(read_seed(Path("seeds/vet_clinic.yaml")), "0" * 64, 24, 0, "test")
print(hashlib.sha256(repr(sorted(made.files.items())).encode()).hexdigest())
"""


def test_a_pack_is_the_same_under_every_hash_seed() -> None:
    variables = {**os.environ, "PYTHONPATH": str(ROOT)}  # noqa: TID251
    started = [
        subprocess.Popen([sys.executable, "-c", PACK], env={**variables, "PYTHONHASHSEED": seed}, cwd=ROOT, stdout=subprocess.PIPE, text=True)
        for seed in ("1", "3")
    ]
    first, second = (one.communicate()[0] for one in started)
    assert first
    assert first == second
