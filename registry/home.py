"""Where everything that is built or recorded lies on disk."""

from dataclasses import dataclass
from pathlib import Path

import platformdirs

CODE = Path(__file__).resolve().parents[1]
"""Where our packages lie: a checkout, where it is run from one, or the folder that an installer put them into."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Home:
    """The folders below one root; none needs to exist before it is used."""

    root: Path

    @property
    def environments(self) -> Path:
        """Built environment packages, one folder each."""
        return self.root / "environments"

    @property
    def packs(self) -> Path:
        """Built task packs; only the grader reads them."""
        return self.root / "packs"

    @property
    def store(self) -> Path:
        """Records of episodes."""
        return self.root / "store"

    @property
    def quarantine(self) -> Path:
        """Packages that were refused."""
        return self.root / "quarantine"

    @property
    def authored(self) -> Path:
        """Seeds that language models wrote and that became environments, one folder each with plan and log."""
        return self.root / "authored"

    @property
    def trials(self) -> Path:
        """What models that tried environments out said of them, one folder each."""
        return self.root / "trials"

    @property
    def ledger(self) -> Path:
        """What language models have cost, a line for each stage of each run."""
        return self.root / "ledger.jsonl"

    @property
    def tokens(self) -> Path:
        """JSON file, mode 600: one token for each of control, grader, observer, for those who use them."""
        return self.root / "tokens"

    @property
    def token_hashes(self) -> Path:
        """JSON file, mode 600: what farm and sidecar compare tokens with."""
        return self.root / "token_hashes"


def find_home(given: Path | None = None, start: Path | None = None, code: Path = CODE) -> Home:
    """The home to use: `given`, else `.envfarm/` of a checkout, else the user's data folder.

    The checkout is the one that this code runs from, whatever the working folder; code that was installed elsewhere uses the one that holds `start`.

    Args:
        given: Value of `ENVFARM_HOME`, if set.
        start: Folder to search upwards from for a checkout; the working directory by default.
        code: Folder that holds our packages.
    """
    if given is not None:
        return Home(root=given.expanduser().absolute())
    if is_checkout(code):
        return Home(root=code / ".envfarm")
    here = (start or Path.cwd()).absolute()
    for folder in (here, *here.parents):
        if is_checkout(folder):
            return Home(root=folder / ".envfarm")
    return Home(root=Path(platformdirs.user_data_dir("envfarm", appauthor=False)))


def is_checkout(folder: Path) -> bool:
    """Whether the sources of envfarm lie in a folder, as git has them."""
    return (folder / "pyproject.toml").is_file() and (folder / "seeds").is_dir()
