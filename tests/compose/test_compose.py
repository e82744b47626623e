"""docker-compose.yml on a real engine: who reaches what, and a whole demo through the published ports."""

import asyncio
import contextlib
import json
import os
import re
import shlex
import shutil
import socket
import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import httpx
import pytest

import envfarm
from evals.agents.builtin import AGENTS
from evals.running.contest import Contest
from evals.session import connected
from server.cli.demo import entries_of
from server.listen import bind
from server.sidecar.packs import Packs, Task

ROOT = Path(__file__).resolve().parents[2]
PROJECT = "envfarm-test"
BUILD_SECONDS = 1200

pytestmark = pytest.mark.timeout(BUILD_SECONDS + 300)


def docker(
    *words: str, seconds: float = 300, check: bool = True, variables: dict[str, str] | None = None, folder: Path = ROOT
) -> subprocess.CompletedProcess[str]:
    command = ["docker", *words]
    done = subprocess.run(command, cwd=folder, env={**os.environ, **(variables or {})}, capture_output=True, text=True, timeout=seconds, check=False)  # noqa: TID251
    assert not check or done.returncode == 0, f"{' '.join(command)}\n{done.stdout[-3000:]}\n{done.stderr[-3000:]}"
    return done


def missing() -> str:
    """Why there is no engine to test on, or the empty string."""
    if shutil.which("docker") is None:
        return "docker is not installed"
    if docker("compose", "version", check=False).returncode != 0:
        return "docker has no compose plugin"
    answer = docker("version", "--format", "{{.Server.Version}}", check=False)
    return "" if answer.returncode == 0 else f"no engine answers: {answer.stderr.strip()}"


def free_port() -> int:
    with bind("127.0.0.1", 0, "--port") as listener:
        return int(listener.getsockname()[1])


@dataclass(frozen=True, kw_only=True)
class Composed:
    """The services of one project that are up."""

    folder: Path
    files: tuple[str, ...]
    variables: dict[str, str]
    agent_url: str
    sidecar_url: str

    def compose(self, *words: str, seconds: float = 300, check: bool = True) -> subprocess.CompletedProcess[str]:
        return docker("compose", "-p", PROJECT, *self.files, *words, seconds=seconds, check=check, variables=self.variables, folder=self.folder)

    def up(self, *profile: str) -> None:
        self.compose(*profile, "up", "--detach", "--wait", "--wait-timeout", "300", seconds=BUILD_SECONDS)

    def inside(self, service: str, *words: str, check: bool = True) -> subprocess.CompletedProcess[str]:
        return self.compose("exec", "-T", service, *words, check=check)

    def tokens(self) -> dict[str, str]:
        return json.loads(self.inside("sidecar", "cat", "/run/envfarm/tokens").stdout)

    def client(self) -> envfarm.Client:
        tokens = self.tokens()
        return envfarm.Client(tokens["control"], tokens["grader"], sidecar_url=self.sidecar_url)


def clone(folder: Path) -> Path:
    """A clean clone of the last commit, where this is a repository; else the folder itself."""
    if shutil.which("git") is None or not (ROOT / ".git").exists():
        return ROOT
    subprocess.run(["git", "clone", "--quiet", str(ROOT), str(folder)], check=True)
    return folder


@pytest.fixture(scope="module")
def composed(tmp_path_factory) -> Iterator[Composed]:
    """`docker compose up` in a clean clone, and nothing else."""
    reason = missing()
    if reason:
        pytest.skip(reason)
    agent_port, sidecar_port = free_port(), free_port()
    agent_url = f"http://127.0.0.1:{agent_port}"
    files = ["-f", "docker-compose.yml"]
    if "bridge" not in docker("network", "ls", "--format", "{{.Name}}").stdout.split():
        files += ["-f", "tests/compose/host-network.yml"]
    variables = {"ENVFARM_PORT": str(agent_port), "ENVFARM_SIDECAR_PORT": str(sidecar_port), "ENVFARM_PUBLIC_URL": agent_url}
    folder = clone(tmp_path_factory.mktemp("clean") / "clone")
    made = Composed(folder=folder, files=tuple(files), variables=variables, agent_url=agent_url, sidecar_url=f"http://127.0.0.1:{sidecar_port}")
    try:
        made.compose("up", "--build", "--detach", "--wait", "--wait-timeout", "300", seconds=BUILD_SECONDS)
        yield made
    finally:
        made.compose("--profile", "*", "down", "--volumes", "--timeout", "5", check=False)


def from_an_agent(composed: Composed, url: str) -> str:
    """What a container on the network of agents gets from `url`: the status, or the name of the error."""
    code = (
        "import urllib.request as r, urllib.error as e, sys\n"
        "try: print(r.urlopen(sys.argv[1], timeout=5).status)\n"
        "except e.HTTPError as error: print(error.code)\n"
        "except OSError as error: print(type(getattr(error, 'reason', error)).__name__)"
    )
    network = f"{PROJECT}_agents"
    return docker("run", "--rm", "--network", network, "--entrypoint", "python", "envfarm-farm", "-c", code, url).stdout.strip()


def address(composed: Composed, service: str, network: str) -> str:
    found = composed.compose("ps", "--quiet", service).stdout.strip()
    networks = json.loads(docker("inspect", "--format", "{{json .NetworkSettings.Networks}}", found).stdout)
    return str(networks[f"{PROJECT}_{network}"]["IPAddress"])


def test_both_services_are_healthy_and_run_as_an_unprivileged_user(composed):
    listed = json.loads(f"[{','.join(composed.compose('ps', '--format', 'json').stdout.split(chr(10))).strip(',')}]")

    assert {one["Service"]: one["Health"] for one in listed} == {"farm": "healthy", "sidecar": "healthy"}
    assert [composed.inside(service, "id", "-u").stdout.strip() for service in ("farm", "sidecar")] == ["10001", "10001"]


def test_the_images_are_small(composed):
    sizes = {}
    for image in ("python:3.12-slim", "envfarm-farm", "envfarm-sidecar"):
        sizes[image] = int(docker("image", "inspect", "--format", "{{.Size}}", image).stdout) / 1e6
    print("\n" + ", ".join(f"{image}: {size:.0f} MB" for image, size in sizes.items()))
    for image in ("envfarm-farm", "envfarm-sidecar"):
        assert sizes[image] - sizes["python:3.12-slim"] <= 220


def test_the_farm_holds_no_task_pack(composed):
    found = composed.inside("farm", "find", "/var/lib/envfarm", "/run/envfarm", "/opt/envfarm", "-name", "gold", "-o", "-name", "pack.toml").stdout

    assert found == ""
    assert "pack.toml" in composed.inside("sidecar", "find", "/var/lib/envfarm/packs", "-name", "pack.toml").stdout


def test_an_agent_reaches_the_agent_plane(composed):
    assert from_an_agent(composed, "http://farm:8800/healthz") == "200"


@pytest.mark.parametrize("url", ["http://farm:8801/healthz", "http://farm-control:8801/healthz", "http://sidecar:8802/healthz"])
def test_an_agent_does_not_reach_control_plane_or_sidecar_by_name(composed, url):
    assert from_an_agent(composed, url) in ("gaierror", "ConnectionRefusedError", "TimeoutError", "timeout")


@pytest.mark.parametrize(("service", "port"), [("farm", 8801), ("sidecar", 8802)])
def test_an_agent_does_not_reach_control_plane_or_sidecar_by_address(composed, service, port):
    url = f"http://{address(composed, service, 'control')}:{port}/healthz"

    assert from_an_agent(composed, url) in ("OSError", "ConnectionRefusedError", "TimeoutError", "timeout")


def test_the_control_plane_is_not_published(composed):
    published = composed.compose("port", "farm", "8801", check=False)

    assert published.stdout.strip() in ("", ":0", "invalid IP:0")
    assert composed.compose("port", "farm", "8800").stdout.strip() == composed.agent_url.removeprefix("http://")


def test_the_farm_has_hashes_of_tokens_and_no_token_and_files_belong_to_their_owner_alone(composed):
    assert composed.inside("farm", "find", "/run/envfarm", "-type", "f").stdout == ""
    hashes = composed.inside("farm", "cat", "/run/envfarm-hashes/token_hashes").stdout
    assert [token for token in composed.tokens().values() if token in hashes] == []
    assert composed.inside("sidecar", "stat", "-c", "%a %U", "/run/envfarm/tokens").stdout.strip() == "600 envfarm"
    assert composed.inside("farm", "stat", "-c", "%a %U", "/run/envfarm-hashes/token_hashes").stdout.strip() == "600 envfarm"


@pytest.mark.parametrize("service", ["farm", "sidecar"])
def test_the_files_of_a_service_cannot_be_changed_from_inside(composed, service):
    for place in ("/opt/envfarm/x", "/var/lib/envfarm/x", "/var/lib/envfarm/environments/x", "/run/envfarm-hashes/x", "/etc/x"):
        tried = composed.inside(service, "python", "-c", f"open({place!r}, 'w')", check=False)
        assert "Read-only file system" in tried.stderr, (place, tried.stderr)
    assert composed.inside(service, "sh", "-c", "touch /tmp/x /var/lib/envfarm/store/x && rm /tmp/x /var/lib/envfarm/store/x").returncode == 0


REACH = """
import json, os, socket, sys, urllib.request, urllib.error
from concurrent.futures import ThreadPoolExecutor
def port(host, number):
    try:
        socket.create_connection((host, number), 2).close()
        return "open"
    except OSError as error:
        return type(error).__name__
places = [place.rpartition(":") for place in sys.argv[2:]]
with ThreadPoolExecutor(len(places)) as pool:
    found = dict(zip(sys.argv[2:], pool.map(lambda place: port(place[0], int(place[2])), places)))
try:
    answer = urllib.request.urlopen(sys.argv[1], timeout=5).status
except urllib.error.HTTPError as error:
    answer = error.code
def writes(place):
    try:
        open(place, "w").close()
        return True
    except OSError:
        return False
user = [line.split()[1] for line in open("/proc/1/status") if line.startswith("Uid:")]
print(json.dumps({
    "answer": answer, "found": found, "farm": port("farm", 8800), "user": user,
    "writes": [place for place in ("/x", "/etc/x", "/opt/envfarm/x", "/var/lib/envfarm/x", "/usr/local/x") if writes(place)],
    "secrets": [name for folder in ("/run/envfarm", "/run/envfarm-hashes", "/run/envfarm-database")
        if os.access(folder, os.R_OK) for name in os.listdir(folder)],
}))
"""


def gateways(composed: Composed) -> list[str]:
    """Addresses of this machine on the networks of the project."""
    found = []
    for network in ("agents", "control"):
        told = json.loads(docker("network", "inspect", "--format", "{{json .IPAM.Config}}", f"{PROJECT}_{network}").stdout)
        found += [str(one.get("Gateway") or one["Subnet"].rpartition(".")[0] + ".1") for one in told]
    return found


def test_the_container_of_an_agent_reaches_its_mcp_address_and_nothing_else(composed):
    with composed.client() as client:
        run = client.start(client.tasks("vet_clinic", kind="do")[0].task)
    url = run.mcp_url.replace(composed.agent_url, "http://farm:8800")
    hosts = ["farm", "farm-control", "sidecar", "postgres", "keys", "example.com", "1.1.1.1", "169.254.169.254", "host.docker.internal", "localhost"]
    hosts += [address(composed, service, "control") for service in ("farm", "sidecar")]
    places = [f"{host}:{port}" for host in hosts for port in (22, 53, 80, 443, 5432, 8801, 8802, 8811)]
    with socket.create_server(("0.0.0.0", 0)) as own:  # a service of this machine that listens everywhere
        places += [f"{host}:{port}" for host in gateways(composed) for port in (own.getsockname()[1], 22, 8801)]
        done = composed.compose("--profile", "agents", "run", "--rm", "-T", "agent", "-c", REACH, url, *places)
    told = json.loads(done.stdout)

    assert told["answer"] in (405, 406), told
    assert [place for place, how in told["found"].items() if how == "open"] == []
    assert (told["farm"], told["user"], told["writes"], told["secrets"]) == ("open", ["65534"], [], [])
    print(f"\nan agent's container: {len(places)} places tried, none open but farm:8800")


PAGE = (ROOT / "docs/containers.md").read_text(encoding="utf-8")


def test_the_commands_of_the_page_on_containers_work_as_they_stand_there(composed):
    first, *commands, last = re.findall(r"^docker compose (.*)$", PAGE.partition("```sh\n")[2].partition("```")[0], re.MULTILINE)
    assert (first, last) == ("up --build --detach --wait", "down")
    found = {"TASK": "", "RUN": ""}
    for line in commands:
        words = [found.get(word, word) for word in shlex.split(line)]
        done = composed.compose(words[0], "-T", *words[1:], check=False)
        assert done.returncode == ("score" in words), (line, done.stderr)  # nobody played: FAIL, exit code 1
        found["TASK"] = found["TASK"] or (re.search(r"\bvet_clinic-[0-9a-f]{8}\b", done.stdout) or [""])[0]
        found["RUN"] = found["RUN"] or (re.search(r"\brun-[0-9a-f]{16}\b", done.stdout) or [""])[0]
    assert done.stdout.startswith("FAIL  reward 0")


def test_tokens_are_rotated_while_everything_serves(composed):
    (line,) = re.findall(r"`docker compose (run --rm keys envfarm token rotate)`", PAGE)
    before = composed.tokens()
    composed.compose(*shlex.split(line))
    after = composed.tokens()

    assert [role for role in before if before[role] == after[role]] == []
    with composed.client() as client:
        assert client.tasks("vet_clinic")
    for token, status in ((before["grader"], 401), (after["grader"], 200)):
        reply = httpx.get(f"{composed.sidecar_url}/v1/runs", headers={"authorization": f"Bearer {token}"}, trust_env=False)
        assert reply.status_code == status


def test_free_play_is_off(composed):
    reply = httpx.post(f"{composed.agent_url}/env/vet_clinic/mcp", json={"jsonrpc": "2.0", "id": 1, "method": "ping"}, trust_env=False)

    assert reply.status_code == 404


@pytest.mark.parametrize("how", ["restart", "kill"])
async def test_a_farm_that_is_stopped_under_load_loses_no_answered_call(composed, how):
    with composed.client() as client:
        runs = [client.start(client.tasks("vet_clinic", kind="do")[0].task) for _ in range(4)]
        answered: dict[str, list[str]] = {run.run: [] for run in runs}
        async with httpx.AsyncClient(trust_env=False, timeout=30) as http:
            playing = [asyncio.create_task(play_until_it_stops(run.mcp_url, http, answered[run.run])) for run in runs]
            while min(len(names) for names in answered.values()) < 3:
                await asyncio.sleep(0.01)
                assert not [task for task in playing if task.done()]
            container = composed.compose("ps", "--quiet", "farm").stdout.strip()
            await asyncio.to_thread(docker, how, container)
            await asyncio.gather(*playing)
        assert max(len(names) for names in answered.values()) < CALLS, "no call was under way"
        await asyncio.to_thread(composed.up)
        for run in runs:
            async with httpx.AsyncClient(trust_env=False) as http, connected(run.mcp_url, http) as session:
                await session.call("submit_answer", {"outcome": "done"})
            assert client.score(run.run).verdict in ("FAIL", "INVALID")
        for run in runs:
            key = run.mcp_url.split("/e/")[1].split("/")[0]
            records = json.loads(composed.inside("sidecar", "envfarm", "log", key, "--json").stdout)["records"]
            asked = [record["arguments"]["name"] for record in records if record["tool"] == "search_owners"]
            assert answered[run.run] == asked[: len(answered[run.run])]
            assert len(asked) - len(answered[run.run]) in (0, 1)  # what was logged, and not answered
            assert records[-1]["tool"] == "submit_answer"
    print(f"\n{how}: {sum(len(names) for names in answered.values())} answered calls, all there")


CALLS = 180
"""In one episode: fewer than a task allows."""


async def play_until_it_stops(url: str, http: httpx.AsyncClient, answered: list[str]) -> None:
    with contextlib.suppress(Exception):  # whatever a client library says when its server is gone
        async with connected(url, http) as session:
            while len(answered) < CALLS:
                await asyncio.sleep(0.1)
                name = f"owner {len(answered)}"
                result = await session.call("search_owners", {"name": name})
                assert result is not None
                answered.append(name)


async def test_the_oracle_earns_everything_and_doing_nothing_earns_nothing_through_the_published_ports(composed, tmp_path):
    composed.compose("cp", "sidecar:/var/lib/envfarm/packs", str(tmp_path))
    tasks = Packs(tmp_path / "packs").tasks()
    environments = {task.public.environment for task in tasks}

    played = await Contest(composed.sidecar_url, composed.tokens()["grader"], AGENTS, lambda one: None).play(entries_of(tasks))

    assert len(tasks) >= 24
    assert len(played) == 2 * len(tasks)
    assert [one for one in played if one.verdict != {"oracle": "PASS", "noop": "FAIL"}[one.agent]] == []
    assert {(one.agent, one.reward) for one in played} == {("oracle", 1), ("noop", 0)}
    assert len(environments) >= 4
    print(f"\nSQLite: {len(tasks)} tasks of {len(environments)} environments, oracle 1.0, noop 0.0")


def have_postgres() -> bool:
    return docker("image", "inspect", "postgres:16-alpine", check=False).returncode == 0 or (
        docker("pull", "--quiet", "postgres:16-alpine", check=False, seconds=300).returncode == 0
    )


async def test_the_oracle_earns_everything_with_records_on_postgresql_and_after_its_restart(composed, tmp_path):
    if not have_postgres():
        pytest.skip("there is no image postgres:16-alpine, and none can be pulled")
    chosen = {**composed.variables, "ENVFARM_STORE_FILE": "/run/envfarm-database/url"}
    served = replace(composed, variables=chosen)
    served.up("--profile", "postgres")
    served.compose("cp", "sidecar:/var/lib/envfarm/packs", str(tmp_path))
    tasks = every_environment(Packs(tmp_path / "packs").tasks(), 3)
    half = len(tasks) // 2

    played = await Contest(served.sidecar_url, served.tokens()["grader"], AGENTS, lambda one: None).play(entries_of(tasks[:half]))
    served.compose("--profile", "postgres", "restart", "--timeout", "5", "postgres", seconds=180)
    served.up("--profile", "postgres")
    played += await Contest(served.sidecar_url, served.tokens()["grader"], AGENTS, lambda one: None).play(entries_of(tasks[half:]))

    environments = {task.public.environment for task in tasks}
    assert {(one.agent, one.reward) for one in played} == {("oracle", 1), ("noop", 0)}
    assert len(environments) >= 4
    count = "SELECT count(*) FROM records"
    counted = served.compose("--profile", "postgres", "exec", "-T", "postgres", "psql", "-U", "envfarm", "-tAc", count).stdout
    assert int(counted) > len(tasks)
    print(f"\nPostgreSQL: {len(tasks)} tasks of {len(environments)} environments, oracle 1.0, noop 0.0, {int(counted)} records")


def every_environment(tasks: Sequence[Task], each: int) -> list[Task]:
    """The first few of each."""
    chosen: dict[str, list[Task]] = {}
    for task in tasks:
        chosen.setdefault(task.public.environment, []).append(task)
    return [task for those in chosen.values() for task in those[:each]]
