"""Who the users of an evaluation's multi-turn tasks are: one persona for all, or one drawn for each task and epoch."""

import hashlib
from typing import Any, get_args

from registry.package.user import PersonaName

PERSONAS: tuple[str, ...] = get_args(PersonaName)
PLAIN = "plain"
MIX = "mix"
"""Stands for another persona in each task and epoch."""


def user_of(persona: str, seed: int, task: str, epoch: int) -> dict[str, Any]:
    """Persona and seed of the user in one epoch of a task: the same for the same arguments, whatever else is played.

    Args:
        persona: One of `PERSONAS`, or `MIX`.
        seed: Of the evaluation.
    """
    drawn = int.from_bytes(hashlib.sha256(f"user {seed} {task} {epoch}".encode()).digest()[:6])
    return {"persona": PERSONAS[drawn % len(PERSONAS)] if persona == MIX else persona, "seed": drawn // len(PERSONAS)}
