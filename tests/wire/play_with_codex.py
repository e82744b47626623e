"""Plays one episode of `envfarm eval` with Codex: `python play_with_codex.py MODEL_URL CODEX…`, CODEX being the words that start it."""

import json
import os
import sys
from pathlib import Path

CONFIG = """
model = "scripted"
model_provider = "scripted"

[model_providers.scripted]
name = "scripted"
base_url = {model}
wire_api = "responses"

[mcp_servers.office]
url = {mcp}
"""


def main(model_url, *codex):
    home = Path(os.environ["HOME"])
    (home / ".codex").mkdir()
    (home / ".codex" / "config.toml").write_text(CONFIG.format(model=json.dumps(model_url), mcp=json.dumps(os.environ["ENVFARM_MCP_URL"])))
    instruction = Path(os.environ["ENVFARM_INSTRUCTION_FILE"]).read_text()
    os.execv(codex[0], [*codex, "exec", "--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox", instruction])


main(*sys.argv[1:])
