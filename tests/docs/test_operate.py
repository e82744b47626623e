"""The commands of the page on operation, typed in its order beside a farm of two workers."""

import re
import shlex
from pathlib import Path

import httpx
import pytest

from tests.farm import farm_process
from tests.typed import typed
from tests.unit.registry.small_package import write_package

PAGE = (Path(__file__).resolve().parents[2] / "docs/operate.md").read_text(encoding="utf-8")


pytestmark = pytest.mark.timeout(300)


def commands():
    return [line for block in re.findall(r"^```sh\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL) for line in block.splitlines()]


def test_each_command_of_the_page_works(tmp_path):
    write_package(tmp_path / "environments")
    first, *others = commands()
    assert first.startswith("envfarm up ")
    with farm_process(tmp_path, *shlex.split(first)[2:], "--worker-port", "0") as farm:
        for line in others:
            if "restore" not in line:
                run(line, farm, tmp_path)
    run(next(line for line in others if "restore" in line), None, tmp_path)
    assert len(others) >= 11


def run(line, farm, home):
    words = shlex.split(line)
    if words[0] == "curl":
        url = words[-1].replace("http://127.0.0.1:8801", farm.control_url)
        headers = {"authorization": f"Bearer {farm.tokens.observer}"} if "--header" in words else {}
        assert httpx.get(url, headers=headers, trust_env=False).status_code == 200, line
        return
    done = typed(home, *words[1:])
    assert done.returncode == 0, f"{line}: {done.stderr}"
