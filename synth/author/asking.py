"""The questions that a model is asked on the way to a seed, to the letter."""

from collections.abc import Sequence

from synth.author.texts import filled
from synth.lang.domain import Domain
from synth.lang.problems import short

MOST_KNOWN = 40
"""Domains that a model is told to keep clear of."""
TASK = 160
"""Letters of a task that a model is shown."""


def plan_question(about: str, tools: int, tasks: Sequence[str] = ()) -> str:
    """What is asked beside the prompt for plans."""
    listed = "".join(f"- {short(one, TASK)}\n" for one in tasks[:12])
    told = f"Domain: {about}\nAbout {tools} tools.\n"
    return told + (f"It must be able to hold tasks such as these:\n{listed}" if listed else "")


def there_are(known: Sequence[Domain]) -> str:
    """What is there already, in a few words each; empty for nothing."""
    there = ", ".join(f"{one.id} ({', '.join(entity.name for entity in one.entities[:4])})" for one in known[:MOST_KNOWN])
    return f"There are already, to be kept clear of: {there}." if there else ""


def seed_question(plan: str, tools: int, tasks: Sequence[str] = ()) -> str:
    """What is asked for a seed beside what is told of the language.

    Args:
        plan: As JSON.
    """
    listed = "".join(f"- {short(one, TASK)}\n" for one in tasks[:20])
    held = f"Requests such as these must be possible with its tools:\n{listed}" if listed else ""
    return filled("seed.md", tools=str(tools), plan=plan, tasks=held)


def repair_question(complaints: Sequence[str], lines: str) -> str:
    """What is asked in a round of repair.

    Args:
        complaints: One sentence each.
        lines: Of the seed, with their numbers.
    """
    told = "\n".join(short(one, 400) for one in complaints)
    return f"WRONG\n{told}\n\nLINES\n{lines}"
