"""Both HTTP interfaces against their own OpenAPI documents: requests made from the schema, and none ends in a server error."""

import asyncio
from collections import Counter
from contextlib import asynccontextmanager

import httpx
import jsonschema_rs
import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings

from registry.catalogue import Catalogue
from server.keyring import Open
from server.sidecar.app import make_app
from server.sidecar.grader import Grader
from server.sidecar.packs import Packs
from server.sidecar.store import RunStore
from server.tokens import Tokens
from tests.farm import farm_here
from tests.hard import how_many
from tests.unit.registry.small_package import write_package
from tests.unit.sidecar.small_pack import write_home

EXAMPLES = how_many("ENVFARM_FUZZ_EXAMPLES", 12)
"""Requests to each operation; `make test-hard` asks for more."""
UNHARMED = {"/healthz", "/readyz"}


@asynccontextmanager
async def control(tmp_path):
    write_package(tmp_path / "environments")
    async with farm_here(tmp_path) as farm, farm.control() as client:
        key = (await client.post("/v1/episodes", json={"environment": "small"})).json()["key"]
        yield client, {"key": key, "environment": "small"}
        assert (await client.get(f"/v1/episodes/{key}")).status_code == 200


@asynccontextmanager
async def sidecar(tmp_path):
    home = write_home(tmp_path)
    tokens = Tokens(control="c" * 16, grader="g" * 16, observer="o" * 16)
    async with farm_here(home) as farm, httpx.AsyncClient(trust_env=False) as http:
        from server.sidecar.farm import Farm

        store = RunStore(":memory:")
        grader = Grader(Packs(home / "packs"), Catalogue(home / "environments"), Farm(farm.control_url, lambda: farm.tokens.control, http), store)
        transport = httpx.ASGITransport(make_app(grader, Open(tokens)), raise_app_exceptions=False)
        headers = {"authorization": f"Bearer {tokens.grader}"}
        async with httpx.AsyncClient(transport=transport, base_url="http://localhost", headers=headers) as client:
            run = (await client.post("/v1/runs", json={"task": "small-do"})).json()["run"]
            yield client, {"run": run}
        store.close()


async def fuzz(client, known):
    """Sends made-up requests to every operation, half of them at what exists; gives how many by status."""
    document = (await client.get("/openapi.json")).json()
    schema = schemathesis.openapi.from_dict(document)
    loop = asyncio.get_running_loop()
    counted: Counter[tuple[str, int]] = Counter()

    async def send(case, number):
        place = {**case.path_parameters, **(known if number % 2 else {})}
        path = case.path
        for name, value in place.items():
            path = path.replace(f"{{{name}}}", str(value))
        arguments = {key: value for key, value in case.as_transport_kwargs().items() if key in ("params", "json", "data")}
        if case.path == "/v1/gc" and isinstance(arguments.get("json"), dict):
            arguments["json"].setdefault("dry", True)
            if not arguments["json"]["dry"]:  # else it forgets the episode that other requests are sent to
                arguments["json"]["dry"] = True
        headers = {name: value for name, value in dict(case.headers or {}).items() if name.lower() != "authorization"}
        try:
            return await client.request(case.method, httpx.URL(f"http://x{path}").raw_path.decode(), headers=headers, **arguments)
        except (httpx.InvalidURL, UnicodeEncodeError, ValueError, httpx.LocalProtocolError):
            return None

    def explore(operation):
        number = 0

        @given(case=operation.as_strategy())
        @settings(max_examples=EXAMPLES, deadline=None, database=None, derandomize=True, suppress_health_check=list(HealthCheck))
        def one(case):
            nonlocal number
            number += 1
            answer = asyncio.run_coroutine_threadsafe(send(case, number), loop).result(180)
            if answer is None:
                return
            counted[(operation.label, answer.status_code)] += 1
            assert answer.status_code < 500 or answer.json()["error"]["code"] in ("PACKAGE_UNUSABLE", "FARM_FAILED"), (case.path, answer.text)
            assert answer.status_code < 400 or set(answer.json()["error"]) == {"code", "message"} or operation.path in UNHARMED, answer.text
            if answer.status_code < 300:
                fits(document, operation, answer)

        one()

    for result in schema.get_all_operations():
        await asyncio.to_thread(explore, result.ok())
    return counted


def fits(document, operation, answer):
    """The body is what the document promises for its status."""
    kinds = document["paths"][operation.path][operation.method]["responses"][str(answer.status_code)].get("content", {})
    if "application/json" not in kinds:
        assert not answer.headers["content-type"].startswith("application/json")
        return
    promised = kinds["application/json"]["schema"]
    jsonschema_rs.validator_for({**promised, "components": document["components"]}).validate(answer.json())


@pytest.mark.timeout(300 + 20 * EXAMPLES)
@pytest.mark.parametrize("plane", ["control", "sidecar"])
async def test_no_made_up_request_ends_in_a_server_error_and_every_answer_fits_the_document(plane, tmp_path):
    async with {"control": control, "sidecar": sidecar}[plane](tmp_path) as (client, known):
        counted = await fuzz(client, known)

    operations = {label for label, _ in counted}
    assert len(operations) >= (12 if plane == "control" else 6)
    assert sum(counted.values()) >= 3 * len(operations)
    assert {status // 100 for _, status in counted} >= {2, 4}
    print(f"\n{plane}: {sum(counted.values())} requests to {len(operations)} operations")
