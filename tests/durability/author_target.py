"""Authors a domain and is killed on the way: `python -m tests.durability.author_target HOME CASSETTE WHAT NUMBER`.

`WHAT` is `question` or an event that Python announces, such as `os.rename`; the process ends itself with SIGKILL before the one of that number.
"""

import itertools
import os
import signal
import sys
from pathlib import Path

from synth.author.authoring import author
from synth.model.cassette import Replay
from synth.model.meter import Meter
from tests.data.cassettes.write import FOLDER, ORDERS, places


def main(home: Path, cassette: str, what: str, number: int) -> None:
    counted = itertools.count(1)

    def seen(event: str, of: object) -> None:
        if event == what and next(counted) == number:
            os.kill(os.getpid(), signal.SIGKILL)

    class Watched(Replay):
        def ask(self, request):
            seen("question", None)
            return super().ask(request)

    replay = Watched(FOLDER / f"{cassette}.jsonl", in_order=True)
    sys.addaudithook(seen)
    print(author(ORDERS[cassette], Meter(replay, budget=30_000), places(home)).status)


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2], sys.argv[3], int(sys.argv[4]))
