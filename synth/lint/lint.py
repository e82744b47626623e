"""All that can be said of a seed without building it: errors, and for a seed without any, warnings and advice."""

from dataclasses import dataclass

from synth.lang.domain import Domain
from synth.lang.problems import Problem, Report, ReportFull
from synth.lint.asking import asking
from synth.lint.found import Found
from synth.lint.unused import unused
from synth.lint.uses import uses_of
from synth.lint.words import words
from synth.seed.read import read_all


@dataclass(frozen=True, slots=True, kw_only=True)
class Linted:
    """What came out. `domain` is None after an error."""

    domain: Domain | None
    problems: tuple[Problem, ...]


def lint_seed(content: bytes, file: str) -> Linted:
    """The problems of a seed in the order of the file; warnings and advice only where there is no error."""
    report = Report()
    domain: Domain | None = None
    try:
        found = read_all(content, file, report)
        if found is not None and not report.failed:
            reading, domain = found
            notes = Found(report=report)
            uses = uses_of(domain)
            unused(reading, domain, uses, notes)
            words(reading, domain, uses, notes)
            asking(reading, domain, notes)
    except ReportFull:
        pass
    return Linted(domain=None if report.failed else domain, problems=report.problems())
