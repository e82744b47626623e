"""Language models: how one is asked, what that costs, and what was said before."""

from synth.model.errors import ModelError
from synth.model.reword import Model

__all__ = ["Model", "ModelError"]
