"""How commands get at a language model: an endpoint or a cassette, within a budget."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from server.errors import WrongUsage

if TYPE_CHECKING:
    from server.config import Settings
    from synth.lang.domain import Domain
    from synth.model.exchange import Asks
    from synth.model.meter import Meter

ModelOption = typer.Option("", "--model", help="Name of the model; ENVFARM_MODEL_NAME by default.", show_default=False)
UrlOption = typer.Option("", "--url", help="Endpoint with /v1; ENVFARM_MODEL_URL by default. The key is ENVFARM_MODEL_KEY.", show_default=False)
BudgetOption = typer.Option(30_000, "--budget", min=1_000, help="Tokens, read and written, after which it stops.")
CassetteOption = typer.Option(None, "--cassette", help="Replay the exchanges of this file; record them if it is not there.", show_default=False)
RecordOption = typer.Option(False, "--record", help="Record the cassette anew.")
TimeoutOption = typer.Option(180.0, "--timeout", min=0.1, help="Seconds for one answer.")


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A model to be asked, by its name."""

    model: str
    meter: "Meter"


def model_for(settings: "Settings", *, model: str, url: str, budget: int | None, cassette: Path | None, record: bool, timeout: float) -> Asked:
    """The model of the options and settings.

    Raises:
        WrongUsage: They name none.
    """
    from synth.model.cassette import Replay
    from synth.model.meter import Meter, Price

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
    return Asked(model=name, meter=Meter(inner, budget=budget, price=price))


def _endpoint(settings: "Settings", url: str, cassette: Path | None, timeout: float) -> "Asks":
    from synth.model.cassette import Recorder
    from synth.model.endpoint import Access, Endpoint

    if not url.startswith(("http://", "https://")):
        raise WrongUsage("--url: expected an address such as http://127.0.0.1:11434/v1, got none. Give one, or set ENVFARM_MODEL_URL.")
    endpoint = Endpoint(Access(url=url, key=settings.model_key, timeout=timeout))
    return endpoint if cassette is None else Recorder(endpoint, cassette)


def known_domains(environments: Path) -> "tuple[Domain, ...]":
    """Domains that ship and those that are built, by id."""
    from synth import disk
    from synth.build import shipped_seeds
    from synth.lang.problems import SeedError
    from synth.seed.read import read_seed

    found = {}
    for path in (*shipped_seeds(), *(one / "seed.yaml" for one in disk.packages(environments))):
        try:
            domain = read_seed(path)
        except SeedError:
            # A package of an older generator is still there, and its id is taken; but it cannot be compared.
            continue
        found[domain.id] = domain
    return tuple(found[name] for name in sorted(found))
