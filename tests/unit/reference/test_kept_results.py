"""What is kept of computed fields, functions and walks of trees is what would be computed anew."""

import datetime as dt
from random import Random

import pytest

from synth.data.world import make_world
from synth.reference.evaluate import Expressions
from synth.reference.interpret import Reference
from synth.reference.reads import reads_of
from synth.reference.run import Fault, Run
from synth.reference.state import Ref, State
from synth.reference.statements import Statements
from synth.seed.read import read_seed
from tests.seeds import path_of


class Forgetful(Expressions):
    """Keeps nothing."""

    noting = True


@pytest.fixture(scope="module")
def archive():
    domain = read_seed(path_of("records_archive"))
    return domain, Reference(domain).state(make_world(domain, 0).rows)


def asked(statements, run, refs):
    """Sizes, depths, trees and access of folders, and the space of documents, with the steps that they take."""
    fields, functions, before = statements.expressions.fields, statements.expressions.functions, run.steps
    found = []
    for one in refs:
        try:
            if one.entity == "Folder":
                found.append([functions["size_of"](run, [one]), functions["access"](run, [run.me, one])])
                found.append([fields.field("Folder", "depth")(run, one), fields.below(run, one)])
            else:
                found.append(fields.field("Document", "megabytes")(run, one))
        except Fault:
            found.append("no value")
    return found, before - run.steps


def test_after_any_writes_and_forks_what_is_kept_is_what_is_computed(archive):
    domain, state = archive
    kept, fresh = Statements(domain), Statements(domain, expressions=Forgetful(domain))
    assert kept.expressions.keeper is not None
    assert fresh.expressions.keeper is None
    rng, states = Random(4), [state]
    for _ in range(20):
        state = rng.choice(states).fork()
        folders, documents, versions = (state.keys(one) for one in ("Folder", "Document", "Version"))
        match rng.randrange(5):
            case 0:
                state.update("Folder", rng.choice(folders), {"parent_id": rng.choice([None, *folders])})
            case 1:
                state.update("Document", rng.choice(documents), {"folder_id": rng.choice(folders)})
            case 2:
                state.update("Version", rng.choice(versions), {"megabytes": rng.randrange(1, 400)})
            case 3:
                state.delete("Version", rng.choice(versions))
            case _:
                state.delete("Grant", rng.choice(state.keys("Grant")))
        states.append(state)
        refs = [Ref("Folder", one) for one in folders[:12]] + [Ref("Document", one) for one in documents[:20]]
        me, now, other = Ref("Person", state.keys("Person")[0]), dt.datetime.fromisoformat(domain.now), rng.choice(states)
        for where in (state, other, state):
            runs = Run(where, now, me), Run(where, now, me)
            assert asked(kept, runs[0], refs) == asked(fresh, runs[1], refs)


def test_a_list_that_was_given_can_be_changed_without_harm(archive):
    domain, state = archive
    fields = Statements(domain).expressions.fields
    run, root = Run(state, Reference(domain).now), next(Ref("Folder", key) for key in state.keys("Folder") if state.where("Folder", "parent_id", key))
    first = fields.below(run, root)
    first.clear()
    assert fields.below(run, root)


def test_what_is_kept_counts_as_work_all_the_same(archive):
    domain, state = archive
    functions = Statements(domain).expressions.functions
    run = Run(state, Reference(domain).now)
    biggest = max((Ref("Folder", key) for key in state.keys("Folder")), key=lambda one: functions["size_of"](run, [one]))
    run.steps = 1
    with pytest.raises(Fault, match="too many steps"):
        functions["size_of"](run, [biggest])


def test_what_is_read_is_known_through_functions_and_fields_and_effects_are_never_kept(archive):
    domain, _ = archive
    tables = Expressions(domain).tables
    found = {one.name: reads_of(domain, tables, one.body) for one in domain.functions}
    assert found["size_of"].tables == ("Folder", "Document", "Version")
    assert found["access"].tables == ("Folder", "Grant")
    assert found["may_write"] is found["has_room"] is None


def test_versions_of_tables_are_the_same_only_for_the_same_rows():
    one = State({"Box": {"a": {"id": "a"}}, "Lid": {}})
    other, further = one.fork(), one.fork()
    assert one.versions == other.versions
    other.insert("Box", {"id": "b"})
    further.insert("Box", {"id": "c"})
    assert len({state.versions["Box"] for state in (one, other, further)}) == 3
    assert {state.versions["Lid"] for state in (one, other, further)} == {one.versions["Lid"]}
