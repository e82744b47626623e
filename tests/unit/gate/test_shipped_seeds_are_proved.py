"""Every environment that comes with this project goes through the whole gate."""

import pytest

from registry.catalogue import open_folder
from synth import disk
from synth.data.world import make_world
from synth.gate.mutants import Deep
from synth.gate.prove import prove
from synth.lang import nodes as n
from synth.lang.visit import through
from synth.package import package_files
from synth.proved import exceptions_for
from synth.seed.read import read_seed
from tests.seeds import ALL, path_of


def rules_of(domain, tool):
    """Rules of a tool and of the functions that it calls."""
    called = {one.function for one in through(domain, tool.body) if isinstance(one, n.Apply)}
    bodies = [tool.body, *(domain.function(name).body for name in sorted(called))]
    return [one for body in bodies for one in body if isinstance(one, n.Rule)]


def proof_of(name, folder, *, deep):
    domain = read_seed(path_of(name))
    files = package_files(domain)
    disk.write_folder(files, folder / domain.id)
    asked = Deep(source=files["tools.py"].decode(), rows=files["rows.py"].decode(), exceptions=exceptions_for(name)) if deep else None
    return domain, prove(domain, open_folder(folder / domain.id), make_world(domain, 0).rows, deep=asked)


def assert_passed(domain, proof):
    assert proof.problems == (), "\n".join(proof.problems)
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


def test_every_tool_succeeds_and_is_refused_by_each_of_its_rules_alone(tmp_path):
    assert_passed(*proof_of("vet_clinic", tmp_path, deep=False))


@pytest.mark.parametrize("name", [pytest.param(one, marks=() if one == "tool_library" else (pytest.mark.every_domain,)) for one in ALL])
def test_every_fault_that_is_put_into_the_tools_is_seen(name, tmp_path):
    domain, proof = proof_of(name, tmp_path, deep=True)
    assert_passed(domain, proof)
    found = proof.mutants
    assert (found.survived, found.stale) == ((), ())
    assert found.made >= 50
    assert found.made == found.killed + len(found.equivalent)
    assert found.excepted <= 0.02 * found.made
