"""The compiled package of golden/lending.yaml; run as a module to write it anew after a change that is meant."""

from pathlib import Path

from synth.compile.package import compile_package
from synth.seed.read import read_seed

FOLDER = Path(__file__).parent / "golden"
ROWS = (
    ("Neighbour", {"id": "N-001", "name": "Ada", "deposit": 5000}),
    ("Thing", {"id": "T-001", "name": "Saw", "kind": "tool", "value": 1250, "status": "in", "borrower_id": None, "due": None}),
)


def compiled() -> dict[str, str]:
    """Text of each file but the copy of the seed."""
    files = compile_package(read_seed(FOLDER / "lending.yaml"), ROWS)
    return {name: content.decode() for name, content in files.items() if name != "seed.yaml"}


def path_of(name: str) -> Path:
    """Where the expected text is kept; `.txt` keeps linters of this project away from it."""
    return FOLDER / "lending" / f"{name.replace('/', '_')}.txt"


if __name__ == "__main__":
    (FOLDER / "lending").mkdir(exist_ok=True)
    for file, text in compiled().items():
        path_of(file).write_text(text, encoding="utf-8")
