"""What the watching interpreter keeps of fields and functions shows the same as what it computes anew."""

from random import Random

from synth.data.world import make_world
from synth.gate.instance import Lens
from synth.gate.sharp import SharpExpressions
from synth.reference.interpret import Reference
from synth.seed.read import read_seed
from tests.seeds import path_of


def forget(monkeypatch):
    monkeypatch.setattr(SharpExpressions, "make_keeper", lambda self: None)


def seen(instance):
    """All that was seen, in the order in which it was noted where that matters."""
    trace = instance.trace
    ordered = [list(one.items()) for one in (trace.cells, trace.sets, trace.units, trace.last)]
    focus = [(mark, list(cells)) for mark, cells in trace.focus.items()]
    sets = trace.parts, trace.branches, trace.deciding, trace.off, trace.distances
    return instance.broken, instance.steps, ordered, focus, sets


def test_calls_in_states_that_share_tables_show_what_they_show_when_nothing_is_kept(monkeypatch):
    domain = read_seed(path_of("records_archive"))
    reference = Reference(domain)
    keeping = Lens(reference)
    forget(monkeypatch)
    forgetful = Lens(reference)
    rng, states = Random(7), [reference.state(make_world(domain, 0).rows)]
    for _ in range(12):
        state = rng.choice(states).fork()
        folders, documents = state.keys("Folder"), state.keys("Document")
        match rng.randrange(3):
            case 0:
                state.update("Folder", rng.choice(folders), {"quota": rng.choice([None, 100, 300])})
            case 1:
                state.update("Document", rng.choice(documents), {"folder_id": rng.choice(folders)})
            case _:
                state.update("Version", rng.choice(state.keys("Version")), {"megabytes": rng.randrange(1, 400)})
        states.append(state)
        moved = {"document_id": rng.choice(documents), "folder_id": rng.choice(folders)}
        added = {"folder_id": rng.choice(folders), "parent_id": rng.choice(folders)}
        for tool, arguments in (("move_document", moved), ("move_folder", added), ("get_usage", {"folder_id": rng.choice(folders)})):
            one, other = (lens.look(state, tool, arguments, reference.now) for lens in (keeping, forgetful))
            assert one is not None
            assert seen(one) == seen(other)
