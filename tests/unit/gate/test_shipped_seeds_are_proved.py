"""Every environment that comes with this project goes through the whole gate."""

import pytest

from registry.catalogue import open_folder
from synth import disk
from synth.data.world import make_world
from synth.gate.prove import prove
from synth.lang import nodes as n
from synth.lang.visit import through
from synth.package import package_files
from synth.seed.read import read_seed
from tests.seeds import every_path


def rules_of(domain, tool):
    """Rules of a tool and of the functions that it calls."""
    called = {one.function for one in through(domain, tool.body) if isinstance(one, n.Apply)}
    bodies = [tool.body, *(domain.function(name).body for name in sorted(called))]
    return [one for body in bodies for one in body if isinstance(one, n.Rule)]


@pytest.mark.parametrize("seed", every_path())
def test_every_tool_succeeds_and_is_refused_by_each_of_its_rules_alone(seed, tmp_path):
    domain = read_seed(seed)
    disk.write_folder(package_files(domain), tmp_path / domain.id)
    proof = prove(domain, open_folder(tmp_path / domain.id), make_world(domain, 0).rows)
    assert proof.problems == ()
    found = proof.quality
    assert (found["coverage"], found["unexpected"], found["pass_rate"]) == (1.0, 0, 1.0)
    assert found["rounds"] >= 100
    tools = len(domain.tools)
    assert found["goals"]["success"] == {"wanted": tools, "shown": tools}
    assert found["instances"]["successes"] >= 5 * tools
    rules = sum(len(rules_of(domain, tool)) for tool in domain.tools)
    assert found["goals"]["rule"]["wanted"] == found["goals"]["rule"]["shown"]
    assert 0.5 * rules <= found["goals"]["rule"]["wanted"] <= rules, "a rule in a function counts once"
    graph = found["graph"]
    assert (graph["unexplained"], graph["chains"], graph["unshown"]) == (0, 200, 0)
    assert graph["shown"] == graph["data_edges"] > 0
