"""Serves environments over MCP, controls episodes, scores them, and holds the command line."""
