"""Checks each package whose folder is on a line of stdin in a fork of this process; run by `real_engine`."""

import gc
import json
import os
import signal
import sys
import traceback
from pathlib import Path
from typing import Any, NoReturn

from sqlmodel import create_engine

import registry.package.sqltypes  # noqa: F401 (models.py imports it)
from synth.real_engine import LONGEST
from synth.typed_rows import check


def _checked(folder: Path) -> dict[str, Any]:
    """Exit code of the fork, what it said on stderr, and the processor time of this process and its forks so far."""
    reading, writing = os.pipe()
    fork = os.fork()
    if not fork:
        _check_here(folder, writing)
    os.close(writing)
    with open(reading, encoding="utf-8", errors="replace") as pipe:
        said = pipe.read()
    _, status = os.waitpid(fork, 0)
    return {"code": os.waitstatus_to_exitcode(status), "said": said, "seconds": sum(os.times()[:4])}


def _check_here(folder: Path, stderr: int) -> NoReturn:
    """Checks a package and ends this process, which is a fork; nothing of what the package prints is taken for an answer."""
    code = 1
    try:
        signal.alarm(LONGEST)
        nowhere = os.open(os.devnull, os.O_RDWR)
        for place, file in enumerate((nowhere, nowhere, stderr)):
            os.dup2(file, place)
        check(folder)
        code = 0
    except SystemExit as error:
        sys.stderr.write(f"{error.code}\n")
    except BaseException:  # noqa: BLE001 (a fork must not go on as the process that it was made of, whatever a package raises)
        traceback.print_exc()
    finally:
        os._exit(code)


def main() -> None:
    """Answers each line with one, after everything is loaded that a check needs."""
    create_engine("sqlite://").connect().close()
    gc.freeze()  # what was imported is never looked through again, so that forks share it
    for line in sys.stdin:
        sys.stdout.write(json.dumps(_checked(Path(json.loads(line)))) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
