"""The first lines of generated files, and how comments are printed."""

from synth.compile.literals import escaped_doc
from synth.lang.domain import Domain
from synth.version import GENERATOR


def origin(domain: Domain) -> tuple[str, ...]:
    """Where a generated file comes from: seed, its hash, generator, how to make it again."""
    return (
        f"Generated from the seed {domain.id} (sha256 {domain.sha256}) by envfarm {GENERATOR}.",
        f"Make it again with: envfarm build seeds/{domain.id}.yaml",
    )


def module_docstring(domain: Domain, about: str) -> list[str]:
    """The docstring of a generated module."""
    return [f'"""{escaped_doc(about)}', "", *(escaped_doc(line) for line in origin(domain)), '"""']


def one_line(text: str) -> str:
    """The text on one line, as it may stand in a comment or a table."""
    return " ".join(text.split())
