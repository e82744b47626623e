"""A language model in a plain loop of tool calls, by way of inspect-ai: its providers, retries and counting of tokens."""

from collections.abc import Sequence
from typing import Any

from evals.agents.agent import Episode, Outcome, Tokens
from evals.errors import EvalError
from evals.session import SUBMIT
from registry.extras import to_install

RETRIES = 6
"""Of one request to the provider, with longer and longer waits."""
REQUEST_SECONDS = 300
MCP_SECONDS = 120.0


class ModelAgent:
    """Plays episodes with one model.

    Args:
        name: As inspect-ai names it, such as `openai/gpt-5` or `openai-api/SERVICE/MODEL`.
        arguments: More of what the provider takes, such as `base_url`.

    Raises:
        EvalError: inspect-ai is not installed, or the model cannot be had: no such provider, no key.
    """

    def __init__(self, name: str, **arguments: Any) -> None:
        try:
            from inspect_ai.model import GenerateConfig, get_model  # noqa: PLC0415 (an extra)
        except ImportError as error:
            raise EvalError(f"model: expected inspect-ai, got nothing. Install it with `{to_install('eval')}`.") from error
        try:
            config = GenerateConfig(max_retries=RETRIES, timeout=REQUEST_SECONDS)
            self._model = get_model(name, config=config, memoize=False, **arguments)
        except Exception as error:
            raise EvalError(f"model: expected one that inspect-ai knows, got '{name[:80]}' ({_short(error)}). Set the provider's key.") from error

    async def play(self, episode: Episode) -> Outcome:
        """Plays one episode: the instruction, then tools until the model stops calling them or has submitted."""
        from inspect_ai.model import ChatMessageSystem, ChatMessageUser  # noqa: PLC0415 (an extra)
        from inspect_ai.tool import mcp_connection, mcp_server_http, mcp_tools  # noqa: PLC0415 (an extra)

        server = mcp_server_http(name=episode.environment, url=episode.mcp_url, timeout=MCP_SECONDS)
        source = mcp_tools(server)
        said: list[Any] = [ChatMessageSystem(content=ROLE), ChatMessageUser(content=episode.instruction)]
        talk = _Talk(self._model, said)
        try:
            async with mcp_connection(source):
                return await talk.hold(await source.tools())
        except Exception as error:  # noqa: BLE001 (the SDK raises many kinds; all mean that no answer came)
            return talk.outcome("crashed", masked="network", remark=_short(error))


ROLE = (
    "You work in an office and are given one request. Use the tools to look things up and to do what is asked, by the rules that the tools and the "
    f"policy tell. When it is done, answered, or must be declined, call {SUBMIT} once. Nobody answers questions unless a tool for that is there."
)


class _Talk:
    """One conversation, with what it used."""

    def __init__(self, model: Any, said: list[Any]) -> None:
        self._model, self._said = model, said
        self._input = self._output = 0
        self._cost: float | None = None
        self._final = ""

    async def hold(self, tools: Sequence[Any]) -> Outcome:
        """Goes on to the end; a provider that fails masks the run."""
        from inspect_ai.model import execute_tools  # noqa: PLC0415 (an extra)

        while True:
            try:
                output = await self._model.generate(self._said, tools=tools)
            except Exception as error:  # noqa: BLE001 (each provider raises its own)
                return self.outcome("crashed", masked="provider", remark=_short(error))
            self._count(output)
            if output.error:
                return self.outcome("crashed", masked="provider", remark=str(output.error)[:300])
            self._said.append(output.message)
            self._final = output.completion or self._final
            if not output.message.tool_calls:
                remark = "" if output.stop_reason == "stop" else f"the model stopped: {output.stop_reason}"
                return self.outcome("finished", remark=remark)
            done = await execute_tools(self._said, tools)
            self._said.extend(done.messages)
            if any(one.role == "tool" and one.function == SUBMIT and one.error is None for one in done.messages):
                return self.outcome("finished")

    def outcome(self, stopped: Any, *, masked: Any = "", remark: str = "") -> Outcome:
        """How it ended."""
        return Outcome(
            final=self._final,
            stopped=stopped,
            masked=masked,
            remark=remark,
            tokens=Tokens(input=self._input, output=self._output),
            cost=self._cost,
            messages=[one.model_dump(mode="json", exclude_none=True, exclude={"id"}) for one in self._said],
        )

    def _count(self, output: Any) -> None:
        usage = output.usage
        if usage is None:
            return
        self._input += usage.input_tokens + (usage.input_tokens_cache_read or 0) + (usage.input_tokens_cache_write or 0)
        self._output += usage.output_tokens
        if usage.total_cost is not None:
            self._cost = (self._cost or 0.0) + usage.total_cost


def _short(error: BaseException) -> str:
    """The innermost error in a few words."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return f"{type(error).__name__}: {' '.join(str(error).split())}"[:300]
