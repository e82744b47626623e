"""One of several processes of a farm: `python -m server.worker`. It has ports, records and episodes of its own; its number begins its keys."""

import asyncio
import sys

from registry.catalogue import Catalogue
from registry.episode import Episodes
from registry.errors import RegistryError
from registry.home import find_home
from registry.store.choose import store_of
from server.config import Settings, read_engine_settings, read_settings
from server.errors import UserError
from server.farm import age_limits, running_farm
from server.keyring import open_keyring
from server.listen import address, bind, make_server, run_loop, served
from server.logs import log_to_stderr
from server.stopping import end_process, stop_on_signals
from server.upkeep import kept_tidy


def main() -> None:
    """Serves until a signal; settings come from the environment."""
    settings = read_settings()
    log_to_stderr(settings.log_level)
    try:
        end_process(run_loop(_serve(settings)))
    except (UserError, RegistryError) as error:
        sys.stderr.write(f"envfarm worker: {error}\n")
        sys.exit(getattr(error, "exit_code", 1))


async def _serve(settings: Settings) -> int:
    stop = stop_on_signals(settings.last_second)
    engine = read_engine_settings()
    home = find_home(settings.home)
    keyring = open_keyring(settings.token_hashes or home.token_hashes, settings.tokens or home.tokens)
    catalogue = Catalogue(home.environments, loaded=engine.environments_loaded, template_bytes=engine.template_bytes)
    episodes = Episodes(catalogue, store_of(engine, home, settings.workers), engine)
    with bind(settings.host, settings.port, "--worker-port") as agent, bind(settings.control_host, settings.control_port, "--worker-port") as control:
        url = settings.public_url.rstrip("/") or f"http://{address(agent)}"
        async with episodes.running(), running_farm(settings, catalogue, episodes, keyring, url) as farm:
            servers = [
                (make_server(farm.agent, grace=settings.grace, root_path=settings.prefix, connections=settings.max_connections), agent),
                (make_server(farm.control, grace=settings.grace), control),
            ]
            async with served(servers, settings.grace), kept_tidy(farm, age_limits(settings)):
                await stop.wait()
                farm.agent.draining = True
                await asyncio.sleep(settings.drain)
                farm.agent.streams.end()
    return 0


if __name__ == "__main__":
    main()
