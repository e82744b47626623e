"""Processes that work beside a farm."""

import asyncio
import os
from pathlib import Path

import anyio
import anyio.to_thread
import pytest

from server.children import companion

LASTING = "import os, threading, pathlib; pathlib.Path('pid').write_text(str(os.getpid())); threading.Event().wait()"


def module(folder: Path, source: str) -> dict[str, str]:
    (folder / "companion_of_a_test.py").write_text(f"import os\nos.chdir({str(folder)!r})\n{source}\n")
    root = Path(__file__).resolve().parents[3]
    return {"PYTHONPATH": f"{folder}{os.pathsep}{root}", "PATH": os.defpath}


@pytest.mark.parametrize("code", [0, 3])
async def test_it_tells_how_the_process_ended(tmp_path, code):
    told: asyncio.Future[int] = asyncio.get_running_loop().create_future()

    async with companion(["companion_of_a_test"], module(tmp_path, f"raise SystemExit({code})"), told.set_result):
        with anyio.fail_after(30):
            assert await told == code


@pytest.mark.skipif(os.name != "posix", reason="needs named pipes")
async def test_the_process_is_stopped_when_the_block_is_left_and_that_is_not_told(tmp_path):
    told: list[int] = []
    os.mkfifo(tmp_path / "pid")  # reading it waits until the process writes

    async with companion(["companion_of_a_test"], module(tmp_path, LASTING), told.append):
        with anyio.fail_after(30):
            pid = int(await anyio.to_thread.run_sync((tmp_path / "pid").read_text, abandon_on_cancel=True))
        os.kill(pid, 0)

    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)
    assert told == []
