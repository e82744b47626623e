"""What one seat is shown, made once per environment: tools, resources, prompts, identity."""

from collections import OrderedDict
from typing import Any

from mcp import types

from registry.dispatch.harness import harness_tools
from registry.noise.look import noisy_look
from registry.package.noise import NoiseSpec
from server.agent.engine import Environment
from server.agent.opening import MARKDOWN, POLICY, RESOURCES, SCHEMA
from server.agent.seat import Seat
from server.agent.table_text import table_text

NOISY_KEPT = 64
FOREVER = 3_600_000
"""Milliseconds for which a client may keep what never changes at an address."""


class Menu:
    """Everything static about one environment, as MCP results.

    Args:
        environment: The loaded package.
        noise: Of the episode; by it tools may have other names, which its texts then use too.
    """

    def __init__(self, environment: Environment, noise: NoiseSpec | None = None) -> None:
        look = noisy_look(environment.tools, environment.meta, noise)
        self.digest = environment.digest
        self.instructions = look.instructions(environment.instructions)
        self.server_info = {"name": environment.id, "title": environment.title, "version": environment.digest[:12]}
        self._tools = {turns: _tools([*look.tools, *harness_tools(multi_turn=turns)]) for turns in (False, True)}
        self._texts = {POLICY: look.text(environment.policy), SCHEMA: table_text(environment.title, environment.meta)}
        self.resources = types.ListResourcesResult(resources=[types.Resource.model_validate(one, by_name=False) for one in RESOURCES])

    def tools(self, *, multi_turn: bool) -> types.ListToolsResult:
        """All tools in one page."""
        return self._tools[multi_turn]

    def resource(self, uri: str) -> types.ReadResourceResult | None:
        """The text at `uri`, or None."""
        text = self._texts.get(uri)
        if text is None:
            return None
        return types.ReadResourceResult(contents=[types.TextResourceContents(uri=uri, text=text, mime_type=MARKDOWN)])


class Menus:
    """Menus by environment digest, made when first needed; the last ones of noisy episodes are kept."""

    def __init__(self) -> None:
        self._menus: dict[str, Menu] = {}
        self._noisy: OrderedDict[tuple[str, str], Menu] = OrderedDict()

    def of(self, seat: Seat) -> Menu:
        """The menu of the seat's environment."""
        if seat.noise is not None:
            return self._of_noise(seat)
        menu = self._menus.get(seat.environment.id)
        if menu is None or menu.digest != seat.environment.digest:
            menu = self._menus[seat.environment.id] = Menu(seat.environment)
        return menu

    def _of_noise(self, seat: Seat) -> Menu:
        name = (seat.environment.digest, seat.look)
        menu = self._noisy.get(name)
        if menu is None:
            menu = self._noisy[name] = Menu(seat.environment, seat.noise)
            if len(self._noisy) > NOISY_KEPT:
                self._noisy.popitem(last=False)
        return menu


TASK = types.Prompt(name="task", title="The task", description="What to do in this episode.")


def prompts(seat: Seat) -> types.ListPromptsResult:
    """The prompt `task`, where the episode has one."""
    return types.ListPromptsResult(prompts=[TASK] if seat.instruction else [])


def task_prompt(seat: Seat) -> types.GetPromptResult:
    """The instruction as a message of the user."""
    message = types.PromptMessage(role="user", content=types.TextContent(text=seat.instruction))
    return types.GetPromptResult(description=TASK.description, messages=[message])


def _tools(objects: list[dict[str, Any]]) -> types.ListToolsResult:
    return types.ListToolsResult(tools=[types.Tool.model_validate(one, by_name=False) for one in objects])
