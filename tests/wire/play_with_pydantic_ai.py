"""Plays one episode of `envfarm eval` with pydantic-ai: `python play_with_pydantic_ai.py MODEL_URL`."""

import asyncio
import os
import sys
from pathlib import Path

from pydantic_ai import Agent
from pydantic_ai.mcp import MCPToolset
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.providers.openai import OpenAIProvider


async def main(model_url):
    instruction = Path(os.environ["ENVFARM_INSTRUCTION_FILE"]).read_text()
    model = OpenAIChatModel("scripted", provider=OpenAIProvider(base_url=model_url, api_key="x"))
    agent = Agent(model, toolsets=[MCPToolset(os.environ["ENVFARM_MCP_URL"])])
    async with agent:
        print((await agent.run(instruction)).output)


asyncio.run(main(sys.argv[1]))
