"""Which effects a body has."""

from collections.abc import Iterator

from synth.compile.walk import inside
from synth.lang import nodes as n
from synth.lang.domain import Domain

Effect = n.Create | n.Copy | n.Assign | n.Delete | n.Patch


def writes(domain: Domain, body: tuple[n.Statement, ...]) -> list[Effect]:
    """Effects of a body and of the functions that it calls, in order."""
    seen: set[str] = set()

    def met(part: tuple[n.Statement, ...]) -> Iterator[Effect]:
        for one in inside(part):
            if isinstance(one, Effect):
                yield one
            elif isinstance(one, n.Apply) and one.function not in seen:
                seen.add(one.function)
                yield from met(domain.function(one.function).body)

    return list(met(body))
