"""Errors of synth.

SynthError              a stage cannot go on; the sentence says where, what was expected, what was found, what to do
  WorldError            the data of a seed make no world that its own invariants allow
    EmptyTables         none of the rows of a table could be made
  GateError             the environment did what it should not, or its seed says what can never happen
  BuildFailed           one or more environments could not be built
SeedError               (synth.lang.problems) a seed cannot be used; holds every problem
"""


class SynthError(Exception):
    """A stage of synth cannot go on."""


class WorldError(SynthError):
    """The data of a seed make no world.

    Args:
        reasons: One sentence each.
    """

    def __init__(self, reasons: tuple[str, ...]) -> None:
        super().__init__("\n".join(reasons))
        self.reasons = reasons


class EmptyTables(WorldError):
    """The data of a seed make no row of some tables.

    Args:
        tables: Their names.
    """

    def __init__(self, reasons: tuple[str, ...], tables: tuple[str, ...]) -> None:
        super().__init__(reasons)
        self.tables = tables


class GateError(SynthError):
    """An environment did not pass the gate; one sentence for each reason."""

    def __init__(self, reasons: tuple[str, ...]) -> None:
        super().__init__("\n".join(reasons))
        self.reasons = reasons


class BuildFailed(SynthError):
    """Environments that could not be built; one sentence each."""

    def __init__(self, reasons: tuple[str, ...]) -> None:
        super().__init__("\n".join(reasons))
        self.reasons = reasons
