"""Folders of farms that one command has for itself."""

import subprocess
import sys
from pathlib import Path

from server.cli.own_farm import HELD, PREFIX, drop_left, held

HOLDING = """
import sys
from pathlib import Path
from server.cli.own_farm import held
with held(Path(sys.argv[1])):
    print("held", flush=True)
    sys.stdin.read()
"""


def test_what_a_killed_command_left_is_removed_and_what_is_in_use_stays(tmp_path: Path) -> None:
    killed, used, begun, others = (tmp_path / name for name in (f"{PREFIX}killed", f"{PREFIX}used", f"{PREFIX}begun", "others"))
    for folder in (killed, used, begun, others):
        folder.mkdir()
        (folder / "tokens").write_text("{}")
    (others / HELD).touch()
    process = subprocess.Popen([sys.executable, "-c", HOLDING, str(killed)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    with process:
        assert process.stdout is not None
        assert process.stdout.readline() == "held\n"
        drop_left(tmp_path)
        assert killed.exists()
        process.kill()

    with held(used):
        drop_left(tmp_path)

        assert sorted(one.name for one in tmp_path.iterdir()) == sorted(one.name for one in (used, begun, others))
