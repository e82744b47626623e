"""Plays one episode of `envfarm eval` with the Agents SDK of OpenAI: `python play_with_agents.py MODEL_URL`."""

import asyncio
import os
import sys
from pathlib import Path

from agents import Agent, OpenAIChatCompletionsModel, Runner, set_tracing_disabled
from agents.mcp import MCPServerStreamableHttp
from openai import AsyncOpenAI


async def main(model_url):
    set_tracing_disabled(True)
    instruction = Path(os.environ["ENVFARM_INSTRUCTION_FILE"]).read_text()
    model = OpenAIChatCompletionsModel(model="scripted", openai_client=AsyncOpenAI(base_url=model_url, api_key="x"))
    async with MCPServerStreamableHttp(params={"url": os.environ["ENVFARM_MCP_URL"], "timeout": 60}, client_session_timeout_seconds=60) as server:
        done = await Runner.run(Agent(name="clerk", model=model, mcp_servers=[server]), instruction, max_turns=60)
    print(done.final_output)


asyncio.run(main(sys.argv[1]))
