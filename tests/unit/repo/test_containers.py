"""Dockerfile and docker-compose.yml, as far as they can be judged without an engine."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[3]
DOCKERFILE = (ROOT / "Dockerfile").read_text(encoding="utf-8")
COMPOSE = yaml.safe_load((ROOT / "docker-compose.yml").read_text(encoding="utf-8"))


def stages() -> dict[str, str]:
    parts = re.split(r"^FROM (\S+) AS (\S+)$", DOCKERFILE, flags=re.MULTILINE)
    own = {name: (base, text) for base, name, text in zip(parts[1::3], parts[2::3], parts[3::3], strict=True)}

    def whole(name: str) -> str:
        base, text = own[name]
        return (whole(base) if base in own else "") + text

    return {name: whole(name) for name in own}


def test_agents_share_a_network_with_the_farm_only():
    networks = {name: set(service.get("networks", ())) for name, service in COMPOSE["services"].items()}

    assert {name for name, those in networks.items() if "agents" in those} == {"farm", "agent"}
    assert {name for name, those in networks.items() if "control" in those} == {"farm", "sidecar", "postgres"}
    assert COMPOSE["networks"]["agents"]["internal"] is True
    assert COMPOSE["services"]["keys"]["network_mode"] == "none"


def test_each_service_mounts_the_secrets_that_it_needs_and_no_other():
    secret = {"tokens", "hashes", "database-secret"}
    mounted = {
        name: {volume for volume in service.get("volumes", ()) if volume.split(":")[0] in secret} for name, service in COMPOSE["services"].items()
    }

    assert mounted["farm"] == {"hashes:/run/envfarm-hashes:ro", "database-secret:/run/envfarm-database:ro"}
    assert mounted["sidecar"] == {"tokens:/run/envfarm:ro", "hashes:/run/envfarm-hashes:ro"}
    assert mounted["postgres"] == {"database-secret:/run/envfarm-database:ro"}
    assert mounted["agent"] == set()


def test_no_secret_stands_in_the_file():
    text = (ROOT / "docker-compose.yml").read_text(encoding="utf-8")

    assert re.findall(r"(?i)(?:password|token|secret)\w*:[ ]+['\"]?[A-Za-z0-9]{6,}", text) == []


@pytest.mark.skipif(shutil.which("docker") is None, reason="docker is not installed")
def test_the_file_is_what_compose_takes():
    asked = subprocess.run(["docker", "compose", "version"], capture_output=True, text=True, check=False)
    if asked.returncode != 0:
        pytest.skip("docker has no compose plugin")
    done = subprocess.run(["docker", "compose", "--profile", "*", "config", "--quiet"], cwd=ROOT, capture_output=True, text=True, check=False)

    assert done.returncode == 0, done.stderr


def test_the_control_plane_listens_on_the_control_network_and_is_not_published():
    farm = COMPOSE["services"]["farm"]

    assert farm["environment"]["ENVFARM_CONTROL_HOST"] in farm["networks"]["control"]["aliases"]
    assert [port.rpartition(":")[2] for port in farm["ports"]] == ["8800"]


@pytest.mark.parametrize("service", sorted(COMPOSE["services"]))
def test_ports_are_published_on_loopback_and_rights_are_dropped(service):
    found = COMPOSE["services"][service]

    assert [port for port in found.get("ports", ()) if not port.startswith("127.0.0.1:")] == []
    assert found["security_opt"] == ["no-new-privileges:true"]
    if service != "postgres":
        assert (found["cap_drop"], found["read_only"]) == (["ALL"], True)
    if "build" in found:
        assert found["build"]["target"] in stages()


def test_the_sidecar_waits_until_the_farm_is_healthy():
    assert COMPOSE["services"]["sidecar"]["depends_on"]["farm"]["condition"] == "service_healthy"


@pytest.mark.parametrize("stage", ["farm", "sidecar"])
def test_an_image_runs_as_an_unprivileged_user_and_tells_its_health(stage):
    text = stages()[stage]

    assert re.findall(r"^USER (\S+)", text, re.MULTILINE)[-1] == "envfarm"
    assert "HEALTHCHECK" in text


def test_only_the_image_of_the_sidecar_holds_packs():
    assert [name for name, text in stages().items() if "/built/packs" in text] == ["sidecar"]
    assert "--no-build" in stages()["farm"].rpartition("CMD")[2]


def test_the_image_is_made_of_what_git_tracks_and_the_build_needs():
    ignored = (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines()

    assert ignored[0] == "*"
    assert [name for name in ignored if name.startswith("!") and not list(ROOT.glob(name[1:]))] == []
