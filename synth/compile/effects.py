"""Which effects a body has."""

from synth.compile.walk import inside
from synth.lang import nodes as n
from synth.lang.domain import Domain

Effect = n.Create | n.Copy | n.Assign | n.Delete | n.Patch


def writes(domain: Domain, body: tuple[n.Statement, ...]) -> list[Effect]:
    """Effects of a body and of the functions that it calls, in order."""
    found: list[Effect] = []
    for one in inside(body):
        if isinstance(one, Effect):
            found.append(one)
        elif isinstance(one, n.Apply):
            found.extend(writes(domain, domain.function(one.function).body))
    return found
