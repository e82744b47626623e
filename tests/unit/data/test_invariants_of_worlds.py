from pathlib import Path

from synth.data.invariants import Invariants
from synth.data.world import make_world
from synth.reference.interpret import reference
from synth.seed.read import read_seed


def test_an_invariant_is_asked_again_where_a_table_that_it_reads_was_written() -> None:
    domain = read_seed(Path("seeds/wholesale_orders.yaml"))
    machine = reference(domain)
    state = machine.state(make_world(domain, 300_000).rows)
    invariants, run = Invariants(domain, machine.statements), machine.run(state, machine.now)
    assert not invariants.broken(run)
    line = next(iter(list(state.rows("ShipmentLine"))))
    state.update("ShipmentLine", str(line["id"]), {"quantity": int(str(line["quantity"])) + 1})
    names = {one.invariant.name for one in invariants.broken(run)}
    assert names == {one.invariant.name for one in Invariants(domain, machine.statements).broken(run)}
    assert names
    state.update("ShipmentLine", str(line["id"]), {"quantity": line["quantity"]})
    assert not invariants.broken(run)
