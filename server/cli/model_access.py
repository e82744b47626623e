"""How commands get at a language model: an endpoint or a cassette, within a budget, with every cost in the ledger."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from server.errors import WrongUsage

if TYPE_CHECKING:
    from registry.home import Home
    from server.config import Settings
    from synth.author.authoring import Places
    from synth.lang.domain import Domain
    from synth.model.exchange import Asks
    from synth.model.meter import Meter, Price

ModelOption = typer.Option("", "--model", help="Name of the model; ENVFARM_MODEL_NAME by default.", show_default=False)
UrlOption = typer.Option("", "--url", help="Endpoint with /v1; ENVFARM_MODEL_URL by default. The key is ENVFARM_MODEL_KEY.", show_default=False)
BudgetOption = typer.Option(30_000, "--budget", min=1_000, help="Tokens, read and written, after which it stops.")
CassetteOption = typer.Option(None, "--cassette", help="Replay the exchanges of this file; record them if it is not there.", show_default=False)
RecordOption = typer.Option(False, "--record", help="Record the cassette anew.")
TimeoutOption = typer.Option(180.0, "--timeout", min=0.1, help="Seconds for one answer.")


@dataclass(slots=True, kw_only=True)
class Asked:
    """A model to be asked for one piece of work.

    Attributes:
        outcome: What came of the work, for the ledger; `failed` until it is said.
    """

    model: str
    meter: "Meter"
    outcome: str = "failed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Access:
    """A model that a command may ask.

    Attributes:
        budget: Tokens for each piece of work.
    """

    home: "Home"
    model: str
    inner: "Asks"
    price: "Price"
    budget: int

    @contextmanager
    def work(self, kind: str, about: str) -> Iterator[Asked]:
        """A budget for one piece of work, whose cost enters the ledger however the work ends.

        Args:
            kind: Which command.
            about: What it is to make, an id or keyword.
        """
        from synth.model.ledger import record
        from synth.model.meter import Meter

        asked = Asked(model=self.model, meter=Meter(self.inner, budget=self.budget, price=self.price))
        try:
            yield asked
        except KeyboardInterrupt:
            asked.outcome = "interrupted"
            raise
        finally:
            record(self.home.ledger, asked.meter, work=kind, about=about, model=self.model, outcome=asked.outcome)


def model_access(*, model: str, url: str, budget: int, cassette: Path | None, record: bool, timeout: float) -> Access:
    """The model that options and settings name.

    Raises:
        WrongUsage: They name none.
    """
    from registry.home import find_home
    from server.config import read_settings
    from synth.model.cassette import Replay
    from synth.model.meter import Price

    settings = read_settings()
    name = model or settings.model_name
    if cassette is not None and cassette.is_file() and not record:
        replay = Replay(cassette)
        inner: Asks = replay
        name = model or replay.model
    else:
        inner = _endpoint(settings, url or settings.model_url, cassette, timeout)
    if not name:
        raise WrongUsage("--model: expected the name of a model, got none. Give one, or set ENVFARM_MODEL_NAME.")
    price = Price(tokens_in=settings.model_price_in, tokens_out=settings.model_price_out)
    return Access(home=find_home(settings.home), model=name, inner=inner, price=price, budget=budget)


def _endpoint(settings: "Settings", url: str, cassette: Path | None, timeout: float) -> "Asks":
    from synth.model.cassette import Recorder
    from synth.model.endpoint import Access as Address
    from synth.model.endpoint import Endpoint

    if not url.startswith(("http://", "https://")):
        raise WrongUsage("--url: expected an address such as http://127.0.0.1:11434/v1, got none. Give one, or set ENVFARM_MODEL_URL.")
    endpoint = Endpoint(Address(url=url, key=settings.model_key, timeout=timeout))
    return endpoint if cassette is None else Recorder(endpoint, cassette)


def author_places(home: "Home") -> "Places":
    """Where what models write goes."""
    from synth.author.authoring import Places

    return Places(environments=home.environments, quarantine=home.quarantine, authored=home.authored, trials=home.trials)


def known_domains(environments: Path) -> "tuple[Domain, ...]":
    """Domains that ship and those that are built, by id."""
    from synth import disk
    from synth.build import shipped_seeds

    seeds = [disk.read_file(one) for one in (*shipped_seeds(), *(one / "seed.yaml" for one in disk.packages(environments)))]
    found = {domain.id: domain for seed in seeds if seed is not None and (domain := _domain(seed)) is not None}
    return tuple(found[name] for name in sorted(found))


@cache
def _domain(seed: bytes) -> "Domain | None":
    """The domain of a seed; None for one of an older generator, which cannot be compared."""
    from synth.lang.problems import SeedError
    from synth.seed.read import parse_seed

    try:
        return parse_seed(seed, "seed.yaml")
    except SeedError:
        return None
