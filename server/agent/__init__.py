"""The agent plane: MCP over Streamable HTTP, HTTP+SSE, stdio."""
