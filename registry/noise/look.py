"""What an agent is shown of an environment when its episode has noise."""

from collections.abc import Sequence
from typing import Any

from registry.noise.noisy import Noise
from registry.package.meta import Meta
from registry.package.noise import NoiseSpec

ABOUT_ERRORS = (
    "The systems here are not always reliable. An error TRY_AGAIN or RATE_LIMITED means that nothing was done: call again. After TIMEOUT, or an "
    "error that you do not expect, a call may have been carried out or not: look before you repeat it. Now and then a read shows an older state "
    "(read again), a page has fewer rows than you asked for (go on at its next_offset), or a change that was confirmed was not kept (read it "
    "back). Other people work here at the same time; some tools are not available to you."
)


class Look:
    """Tools and texts of one environment as they are shown.

    Args:
        tools: MCP objects.
        noise: None: everything is shown as it is.
    """

    def __init__(self, tools: Sequence[dict[str, Any]], noise: Noise | None) -> None:
        self._noise = noise
        self.tools: tuple[dict[str, Any], ...] = tuple(tools) if noise is None else noise.disguise.tools

    def text(self, text: str) -> str:
        """A text of the environment's, with the names under which tools are offered."""
        return text if self._noise is None else self._noise.disguise.text(text)

    def instructions(self, text: str) -> str:
        """The instructions, and what there is to know about errors."""
        return text if self._noise is None else f"{ABOUT_ERRORS}\n\n{self.text(text)}"


def noisy_look(tools: Sequence[dict[str, Any]], meta: Meta, noise: NoiseSpec | None) -> Look:
    """How an environment looks in an episode with this noise, or without any."""
    return Look(tools, None if noise is None or noise.quiet else Noise(tuple(tools), meta, noise))
