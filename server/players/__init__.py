"""Built-in agents that play tasks through MCP, as any other agent would."""
