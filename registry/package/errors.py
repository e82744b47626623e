"""Errors of packages and of the tools in them.

PackageError            a package or pack on disk is not usable (missing file, other hash, unknown format)
ToolRefusal             the environment says no: part of its behaviour, no row changed
InvalidArguments        the call does not fit the tool's parameters: decided before any database work
StepLimit               a tool worked beyond the limit of one call: a defect of the seed
EnvDefect               anything else that escapes generated code; the episode becomes INVALID
"""


class PackageError(Exception):
    """A package or pack cannot be used; the sentence says where, what was expected, what was found, what to do."""


class ToolRefusal(Exception):
    """Raised by a tool that says no.

    Args:
        code: `NOT_FOUND`, `WRONG_STATE`, or a code of the seed.
        sentence: What the agent is told.
        evidence: Ids of the rows that a correct decline must cite; never sent to the agent.
    """

    def __init__(self, code: str, sentence: str, evidence: tuple[str, ...] = ()) -> None:
        super().__init__(f"{code}: {sentence}")
        self.code = code
        self.sentence = sentence
        self.evidence = evidence


class InvalidArguments(Exception):
    """The arguments do not fit; `sentence` names the argument, what was expected and what came."""

    def __init__(self, sentence: str) -> None:
        super().__init__(sentence)
        self.sentence = sentence


class EnvDefect(Exception):
    """Something of ours broke inside a tool; the agent sees a fixed sentence and `incident`."""

    def __init__(self, incident: str) -> None:
        super().__init__(f"defect {incident}")
        self.incident = incident


class StepLimit(Exception):
    """A call used more units of work than one call may."""
