"""`envfarm author` is killed at every step that changes the disk or asks a model: run again, it ends as if nothing had been."""

import itertools
import subprocess
import sys

import pytest

from registry.catalogue import Catalogue
from synth import disk
from synth.author.authoring import author
from synth.model.cassette import Replay
from synth.model.meter import Meter
from tests.data.cassettes.write import FOLDER, ORDERS, places
from tests.farm import ROOT


@pytest.mark.every_domain
@pytest.mark.timeout(600)
@pytest.mark.parametrize(("cassette", "what"), [("repaired", "question"), ("mined", "os.rename")])
def test_a_domain_whose_author_was_killed_anywhere_is_written_by_the_next_run(tmp_path, cassette, what):
    kills = 0
    for number in itertools.count(1):
        home = tmp_path / str(number)
        words = [sys.executable, "-m", "tests.durability.author_target", str(home), cassette, what, str(number)]
        ended = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=False)
        if ended.returncode == 0:
            assert ended.stdout == "registered\n"
            break
        assert ended.returncode == -9, ended.stderr
        kills += 1
        whole = [one.name for one in disk.packages(home / "environments")]
        assert whole in ([], ["allotment_gardens"])
        for name in whole:
            assert Catalogue(home / "environments").load(name).tools
        done = author(ORDERS[cassette], Meter(Replay(FOLDER / f"{cassette}.jsonl", in_order=True)), places(home))

        assert done.status == "registered"
        assert Catalogue(home / "environments").load("allotment_gardens").digest == done.digest
        assert not list((home / "authored").glob(".at-*"))
    assert kills >= 4
