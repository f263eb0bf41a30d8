"""What the OpenAPI document says is what the service does: schemathesis asks it everything it can think of."""

import json
import os
import subprocess
import sys
import urllib.request

import pytest

from service import Service

EXAMPLES = os.environ.get("SCHEMATHESIS_EXAMPLES", "40")


@pytest.fixture(scope="module")
def service(tmp_path_factory):
    service = Service(tmp_path_factory.mktemp("serve"), 100_000, 60)
    yield service
    service.stop()


@pytest.mark.parametrize("role", ["analyst", "custodian"])
def test_schemathesis_finds_nothing(service, role, tmp_path):
    token = getattr(service, role)
    command = [sys.executable, "-m", "schemathesis.cli", "run", f"{service.url}openapi.json"]
    command += ["--header", f"Authorization: Bearer {token}", "--max-examples", EXAMPLES, "--seed", "1", "--checks", "all"]
    command += ["--phases", "examples,coverage,fuzzing", "--no-color", "--request-timeout", "30"]
    if role == "custodian":
        # It asks nothing, by design: what an analyst may send is forbidden to it.
        command += ["--exclude-path", "/v1/answers"]
    else:
        command += ["--exclude-path", "/v1/custodian"]
    run = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert run.returncode == 0, run.stdout[-6000:] + run.stderr[-2000:]


def test_the_document_is_the_schemas(service):
    document = json.load(urllib.request.urlopen(f"{service.url}openapi.json"))
    query = document["components"]["schemas"]["Query"]
    assert query["required"] == ["age", "income", "job"]
    assert sorted(query["properties"]) == ["age", "approved", "income", "job"]
    assert {"/v1/answers", "/v1/schema", "/v1/budget", "/v1/custodian", "/healthz"} == set(document["paths"])
