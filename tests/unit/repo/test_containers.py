"""Dockerfile and docker-compose.yml, as far as they can be judged without an engine."""

import re
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
    networks = {name: set(service["networks"]) for name, service in COMPOSE["services"].items()}

    assert {name for name, those in networks.items() if "agents" in those} == {"farm"}
    assert {name for name, those in networks.items() if "control" in those} == {"farm", "sidecar"}


def test_the_control_plane_listens_on_the_control_network_and_is_not_published():
    farm = COMPOSE["services"]["farm"]

    assert farm["environment"]["ENVFARM_CONTROL_HOST"] in farm["networks"]["control"]["aliases"]
    assert [port.rpartition(":")[2] for port in farm["ports"]] == ["8800"]


@pytest.mark.parametrize("service", sorted(COMPOSE["services"]))
def test_ports_are_published_on_loopback_and_rights_are_dropped(service):
    found = COMPOSE["services"][service]

    assert [port for port in found["ports"] if not port.startswith("127.0.0.1:")] == []
    assert found["cap_drop"] == ["ALL"]
    assert found["security_opt"] == ["no-new-privileges:true"]
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
