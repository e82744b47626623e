"""`envfarm up`: agent plane, control plane and sidecar, until a signal."""

from contextlib import ExitStack, closing

import typer

from registry.home import Home, find_home
from server.cli.answer import JsonFlag, note
from server.config import Settings, read_engine_settings, read_settings


def up(
    host: str | None = typer.Option(None, "--host", help="Address of the agent plane; another than loopback turns free play off."),
    port: int | None = typer.Option(None, "--port", help="Port of the agent plane (8800), with one worker; 0 takes a free one."),
    control_host: str | None = typer.Option(None, "--control-host", help="Address of the control plane."),
    control_port: int | None = typer.Option(None, "--control-port", help="Port of the control plane (8801); 0 takes a free one."),
    sidecar_host: str | None = typer.Option(None, "--sidecar-host", help="Address of the sidecar."),
    sidecar_port: int | None = typer.Option(None, "--sidecar-port", help="Port of the sidecar (8802); 0 takes a free one."),
    sidecar: bool = typer.Option(True, "--sidecar/--no-sidecar", help="Whether tasks are served and scored, by a process of their own."),
    workers: int | None = typer.Option(None, "--workers", help="Processes that serve agents (1), each with a port of its own from 8811 on."),
    worker_port: int | None = typer.Option(None, "--worker-port", help="Port of the first of several workers; 0 takes free ones."),
    free_play: bool | None = typer.Option(None, "--free-play/--no-free-play", help="Whether agents may open episodes by themselves."),
    build: bool = typer.Option(
        True,
        "--build/--no-build",
        help="Whether to build what is missing or stale: one environment first, all others and task packs while serving.",
    ),
    json: bool = JsonFlag,
) -> None:
    """Serve every built environment until Ctrl-C; print how to connect.

    Example: envfarm up --port 9000 --no-free-play
    """
    settings = read_settings(
        host=host,
        port=port,
        control_host=control_host,
        control_port=control_port,
        sidecar_host=sidecar_host,
        sidecar_port=sidecar_port,
        workers=workers,
        worker_port=worker_port,
        free_play=free_play,
    )
    _check_ports(settings, sidecar=sidecar)
    if port and settings.workers > 1:
        note(f"envfarm: --port {port} is not used: each of {settings.workers} workers has a port of its own, from --worker-port on")
    home = find_home(settings.home)
    _check_home(home, settings)
    if build:
        from server.building import building
        from server.cli.missing import build_first

        with building(home):
            build_first(home)
    from server.cli.farm_run import FarmRun
    from server.listen import run_loop
    from server.logs import log_to_stderr
    from server.stopping import end_process

    log_to_stderr(settings.log_level)
    if settings.workers > 1:
        from server.cli.workers_run import WorkersRun

        end_process(run_loop(WorkersRun(settings, json=json, sidecar=sidecar, build=build).run()))
    end_process(run_loop(FarmRun(settings, json=json, sidecar=sidecar, build=build).run()))


def _check_home(home: Home, settings: Settings) -> None:
    """Refuses a home that another farm serves, before anything is built or compared; the lock itself is taken when the farm starts."""
    from registry.store.choose import url_of
    from registry.store.lock import give_back, take_lock

    engine = read_engine_settings()
    several = settings.workers > 1
    if url_of(engine) and not several:
        return  # its lock lies in the database
    folder = home.store / f"w{engine.worker}" if engine.worker and not several else home.store
    if folder.is_dir():
        give_back(take_lock(folder))


def _check_ports(settings: Settings, *, sidecar: bool) -> None:
    """Refuses ports that are taken, or named twice, before anything is built."""
    from server.listen import bind

    several = range(settings.workers if settings.worker_port else 0)
    agents = [(settings.worker_port + number, "--worker-port") for number in several] if settings.workers > 1 else [(settings.port, "--port")]
    wanted = [*((settings.host, *one) for one in agents), (settings.control_host, settings.control_port, "--control-port")]
    if sidecar:
        wanted.append((settings.sidecar_host, settings.sidecar_port, "--sidecar-port"))
    with ExitStack() as held:
        for host, port, option in wanted:
            held.enter_context(closing(bind(host, port, option)))
