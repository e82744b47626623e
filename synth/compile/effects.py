"""Which effects a body has."""

from synth.compile.walk import inside
from synth.lang import nodes as n

Effect = n.Create | n.Copy | n.Assign | n.Delete | n.Patch | n.Apply


def writes(body: tuple[n.Statement, ...]) -> list[Effect]:
    """Effects of a body in order; a call of a function of the seed counts as one, since it may write."""
    return [one for one in inside(body) if isinstance(one, Effect)]
