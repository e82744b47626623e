"""What the MCP conformance suite expects a server to have: tools, resources, prompts, by their `test_` names."""

import json
from collections.abc import Awaitable, Callable
from typing import Any

import anyio
from mcp import MCPError, types
from mcp.server.subscriptions import InMemorySubscriptionBus, PromptsListChanged, ToolsListChanged

PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg=="
SILENCE = "UklGRiQAAABXQVZFZm10IBAAAAABAAEARKwAAIhYAQACABAAZGF0YQAAAAA="
PAUSE = 0.05
MODERN = "2026-07-28"
NO_ARGUMENTS: dict[str, Any] = {"type": "object", "properties": {}}
BUS = InMemorySubscriptionBus()
Tool = Callable[[Any, types.CallToolRequestParams], Awaitable[Any]]


def text(words: str) -> types.TextContent:
    return types.TextContent(text=words)


def said(*content: Any, **more: Any) -> types.CallToolResult:
    return types.CallToolResult(content=[text(one) if isinstance(one, str) else one for one in content], **more)


def constant(*content: Any, **more: Any) -> Tool:
    async def call(ctx, params):
        return said(*content, **more)

    return call


IMAGE = types.ImageContent(data=PIXEL, mime_type="image/png")
EMBEDDED = types.EmbeddedResource(resource=types.TextResourceContents(uri="test://embedded", mime_type="text/plain", text="Embedded."))


async def logging(ctx, params):
    for words in ("Tool execution started", "Tool processing data", "Tool execution completed"):
        await ctx.session.send_log_message("info", words, related_request_id=ctx.request_id)
        await anyio.sleep(PAUSE)
    return said("Logged.")


async def progress(ctx, params):
    for done in (0, 50, 100):
        await ctx.session.report_progress(done, 100)
        await anyio.sleep(PAUSE)
    return said("Progressed.")


async def sampling(ctx, params):
    message = types.SamplingMessage(role="user", content=text(params.arguments["prompt"]))
    answer = await ctx.session.create_message([message], max_tokens=100, related_request_id=ctx.request_id)
    return said(f"LLM response: {answer.content.text}")


def form(properties: dict[str, Any], message: str = "Please tell.") -> Tool:
    """A tool that asks its caller to fill in a form."""
    schema = {"type": "object", "properties": properties, "required": list(properties)}

    async def call(ctx, params):
        words = (params.arguments or {}).get("message", message)
        if ctx.protocol_version == MODERN:
            answer = (params.input_responses or {}).get("form")
            if answer is None:
                return needs(form=asks(schema, words))
        else:
            answer = await ctx.session.elicit_form(words, schema, related_request_id=ctx.request_id)
        return said(f"User response: action={answer.action}, content={json.dumps(answer.content)}")

    return call


WORD = {"type": "string"}
DEFAULTS = {
    "name": {**WORD, "default": "John Doe"},
    "age": {"type": "integer", "default": 30},
    "score": {"type": "number", "default": 95.5},
    "status": {**WORD, "enum": ["active", "inactive", "pending"], "default": "active"},
    "verified": {"type": "boolean", "default": True},
}
CHOICES = [{"const": f"value{number}", "title": f"Choice {number}"} for number in (1, 2, 3)]
ENUMS = {
    "untitledSingle": {**WORD, "enum": ["option1", "option2", "option3"]},
    "titledSingle": {**WORD, "oneOf": CHOICES},
    "legacyEnum": {**WORD, "enum": ["opt1", "opt2", "opt3"], "enumNames": ["One", "Two", "Three"]},
    "untitledMulti": {"type": "array", "items": {**WORD, "enum": ["option1", "option2", "option3"]}},
    "titledMulti": {"type": "array", "items": {"anyOf": CHOICES}},
}


def asks(schema: dict[str, Any], message: str = "Please tell.") -> types.ElicitRequest:
    return types.ElicitRequest(params=types.ElicitRequestFormParams(message=message, requested_schema=schema))


def one_field(name: str, kind: str = "string") -> types.ElicitRequest:
    return asks({"type": "object", "properties": {name: {"type": kind}}, "required": [name]})


def samples(question: str = "What is the capital of France?") -> types.CreateMessageRequest:
    message = types.SamplingMessage(role="user", content=text(question))
    return types.CreateMessageRequest(params=types.CreateMessageRequestParams(messages=[message], max_tokens=100))


def needs(state: str | None = None, **requests: Any) -> types.InputRequiredResult:
    return types.InputRequiredResult(input_requests=requests, request_state=state)


def rounds(*each: tuple[str, Any]) -> Tool:
    """A tool that needs one input after the other; the state says which came last."""

    async def call(ctx, params):
        step = int(params.request_state or 0)
        answered = step > 0 and each[step - 1][0] in (params.input_responses or {})
        if step > 0 and not answered:
            step -= 1
        return needs(str(step + 1), **dict([each[step]])) if step < len(each) else said("state-ok")

    return call


def once(*, state: str | None = None, result: Callable[[], Any] = lambda: said("Answered."), **requests: Any) -> Callable[[Any, Any], Awaitable[Any]]:
    """What needs all of `requests` in one round."""

    async def call(ctx, params):
        return result() if requests.keys() <= (params.input_responses or {}).keys() else needs(state, **requests)

    return call


async def declared_only(ctx, params):
    known = ctx.session.client_capabilities
    possible = {"ask": (known.elicitation, one_field("value")), "sample": (known.sampling, samples())}
    return needs(**{name: request for name, (declared, request) in possible.items() if declared is not None})


async def missing_capability(ctx, params):
    if ctx.session.client_capabilities is None or ctx.session.client_capabilities.sampling is None:
        raise MCPError(code=-32021, message="Missing required client capability", data={"requiredCapabilities": {"sampling": {}}})
    return said("Not reached without sampling.")


def publishes(event: Any) -> Tool:
    async def call(ctx, params):
        await BUS.publish(event)
        return said("Told.")

    return call


TOOLS: dict[str, Tool] = {
    "test_simple_text": constant("This is a simple text response for testing."),
    "test_image_content": constant(IMAGE),
    "test_audio_content": constant(types.AudioContent(data=SILENCE, mime_type="audio/wav")),
    "test_embedded_resource": constant(EMBEDDED),
    "test_multiple_content_types": constant("Several kinds:", IMAGE, EMBEDDED),
    "test_tool_with_logging": logging,
    "test_tool_with_progress": progress,
    "test_error_handling": constant("This tool intentionally returns an error for testing", is_error=True),
    "test_sampling": sampling,
    "test_elicitation": form({"username": WORD, "email": WORD}),
    "test_elicitation_sep1034_defaults": form(DEFAULTS),
    "test_elicitation_sep1330_enums": form(ENUMS),
    "test_streaming_elicitation": form({"username": WORD}),
    "test_logging_tool": logging,
    "test_x_mcp_header": constant("The headers agree with the arguments."),
    "json_schema_2020_12_tool": constant("Valid."),
    "test_missing_capability": missing_capability,
    "test_trigger_tool_change": publishes(ToolsListChanged()),
    "test_trigger_prompt_change": publishes(PromptsListChanged()),
    "test_input_required_result_elicitation": once(user_name=one_field("name")),
    "test_input_required_result_sampling": once(capital=samples()),
    "test_input_required_result_list_roots": once(roots=types.ListRootsRequest()),
    "test_input_required_result_request_state": rounds(("confirm", one_field("ok", "boolean"))),
    "test_input_required_result_multiple_inputs": once(
        state="several", user_name=one_field("name"), greeting=samples("Greet."), roots=types.ListRootsRequest()
    ),
    "test_input_required_result_multi_round": rounds(("step1", one_field("name")), ("step2", one_field("color"))),
    "test_input_required_result_tampered_state": rounds(("confirm", one_field("ok", "boolean"))),
    "test_input_required_result_capabilities": declared_only,
}


def required(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": list(properties)}


SCHEMAS = {
    "test_sampling": required(prompt=WORD),
    "test_elicitation": required(message=WORD),
    "test_x_mcp_header": required(region={**WORD, "x-mcp-header": "Region"}),
    "json_schema_2020_12_tool": {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "$defs": {"address": {"$anchor": "addressDef", "type": "object", "properties": {"street": WORD, "city": WORD}}},
        "properties": {
            "name": WORD,
            "address": {"$ref": "#/$defs/address"},
            "contactMethod": {**WORD, "enum": ["phone", "email"]},
            "phone": WORD,
            "email": WORD,
        },
        "allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}],
        "if": {"properties": {"contactMethod": {"const": "phone"}}, "required": ["contactMethod"]},
        "then": {"required": ["phone"]},
        "else": {"required": ["email"]},
        "additionalProperties": False,
    },
}


def listed(name: str) -> types.Tool:
    return types.Tool(name=name, description=f"Fixture of the conformance suite: {name}.", input_schema=SCHEMAS.get(name, NO_ARGUMENTS))


RESOURCES = {
    "test://static-text": {"mime_type": "text/plain", "text": "This is the content of the static text resource."},
    "test://static-binary": {"mime_type": "image/png", "blob": PIXEL},
    "test://watched-resource": {"mime_type": "text/plain", "text": "Watched."},
}


def message(content: Any) -> types.PromptMessage:
    return types.PromptMessage(role="user", content=content)


def prompt_messages(name: str, given: dict[str, str]) -> list[types.PromptMessage] | None:
    """The messages of a prompt; None when there is no such prompt."""
    if name == "test_simple_prompt":
        return [message(text("This is a simple prompt for testing."))]
    if name == "test_prompt_with_arguments":
        return [message(text(f"Prompt with arguments: arg1='{given.get('arg1', '')}', arg2='{given.get('arg2', '')}'"))]
    if name == "test_prompt_with_embedded_resource":
        inside = types.TextResourceContents(uri=given["resourceUri"], mime_type="text/plain", text="Embedded resource content for testing.")
        return [message(types.EmbeddedResource(resource=inside)), message(text("Please process the embedded resource above."))]
    if name == "test_prompt_with_image":
        return [message(IMAGE), message(text("Please analyze the image above."))]
    return None


PROMPTS = {
    "test_simple_prompt": (),
    "test_prompt_with_arguments": ("arg1", "arg2"),
    "test_prompt_with_embedded_resource": ("resourceUri",),
    "test_prompt_with_image": (),
    "test_input_required_result_prompt": (),
}
