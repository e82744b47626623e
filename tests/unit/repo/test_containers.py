"""Dockerfile and docker-compose.yml, as far as they can be judged without an engine."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[3]
BIN = str(Path(sys.executable).parent)
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


def linted(*words):
    """Exit code and output of a linter among the tools of development."""
    done = subprocess.run([shutil.which(words[0], path=BIN) or words[0], *words[1:]], cwd=ROOT, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout + done.stderr


def judged_as_compose_files(*files):
    return linted("check-jsonschema", "--builtin-schema", "vendor.compose-spec", *files)


def test_the_files_are_as_the_schema_of_compose_files_has_them_and_a_word_that_it_does_not_have_is_found(tmp_path):
    assert judged_as_compose_files("docker-compose.yml", "tests/compose/host-network.yml") == (0, "ok -- validation done\n")
    (tmp_path / "wrong.yml").write_text((ROOT / "docker-compose.yml").read_text(encoding="utf-8").replace("read_only:", "readonly:"))
    code, told = judged_as_compose_files(str(tmp_path / "wrong.yml"))
    assert (code, "'readonly' was unexpected" in told) == (1, True), told


@pytest.mark.skipif(sys.platform == "win32", reason="hadolint has no package for Windows")
def test_the_linter_of_dockerfiles_has_nothing_to_say_and_would_say_it(tmp_path):
    assert linted("hadolint", "Dockerfile") == (0, "")
    (tmp_path / "Dockerfile").write_text(DOCKERFILE.replace("USER 10001:10001", "USER root").replace("python:3.12-slim", "python"))
    code, told = linted("hadolint", str(tmp_path / "Dockerfile"))
    assert (code, "DL3006" in told, "DL3002" in told) == (1, True, True), told


def without_an_engine() -> str:
    """Why `docker compose config`, which needs no engine, cannot be asked; or the empty string."""
    if shutil.which("docker") is None:
        return "docker is not installed"
    asked = subprocess.run(["docker", "compose", "version"], capture_output=True, text=True, check=False)
    return "" if asked.returncode == 0 else f"docker has no compose plugin: {asked.stderr.partition(chr(10))[0]}"


def test_the_file_is_what_compose_takes():
    reason = without_an_engine()
    if reason:
        pytest.skip(reason)
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

    assert re.findall(r"^USER (\S+)", text, re.MULTILINE)[-1] == "10001:10001"
    assert "HEALTHCHECK" in text


def test_only_the_image_of_the_sidecar_holds_packs():
    assert [name for name, text in stages().items() if "/built/packs" in text] == ["sidecar"]
    assert "--no-build" in stages()["farm"].rpartition("CMD")[2]


def test_the_image_is_made_of_what_git_tracks_and_the_build_needs():
    ignored = (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines()

    assert ignored[0] == "*"
    assert [name for name in ignored if name.startswith("!") and not list(ROOT.glob(name[1:]))] == []
