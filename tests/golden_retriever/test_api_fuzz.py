"""Requests made from the API's own description, sound and unsound: none of them breaks the server."""

from collections.abc import Iterator
from typing import Any

import httpx
import pytest
import requests
import schemathesis
from hypothesis import HealthCheck, Phase, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from schemathesis.generation import GenerationMode
from schemathesis.generation.case import Case

from tests.golden_retriever.served import environment_for, golden, serving

_LONGEST_S = 20.0
GUIDE = "# Rings\n\nEach self-healing ring (SHR) keeps three copies. The retention of audit records is 400 days.\n"


# The address of a running server, and the headers of a request to it.
Fuzzed = tuple[str, dict[str, str]]


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Fuzzed]:
    """Serve a library of one document, in a process of its own: the fuzzer's native code has crashed beside a server.

    Whoever has the key may do everything, as often as they like.
    """
    folder = tmp_path_factory.mktemp("fuzz")
    (folder / "guide.md").write_text(GUIDE, encoding="utf-8")
    # Nobody reads the log while the server runs: one line per request would fill the pipe and block the server.
    environment = environment_for(folder / "data", key_requests_per_minute=0, log_level="warning")
    golden("ingest", folder / "guide.md", environment=environment, folder=folder)
    # Created before the server starts: otherwise the first key that a request creates would lock out all later
    # requests.
    scopes = [word for scope in ("ask", "manage", "admin") for word in ("--scope", scope)]
    made = golden("keys", "create", "fuzz", *scopes, environment=environment, folder=folder)
    key = made.stdout.strip()
    with serving(folder, environment) as running:
        yield running.address, {"authorization": f"Bearer {key}", "x-golden-request": "1"}


@pytest.mark.slow
def test_generated_requests_cause_no_server_error(server: Fuzzed, subtests: pytest.Subtests) -> None:
    address, headers = server
    schema = schemathesis.openapi.from_url(f"{address}/openapi.json", headers=headers)
    for found in schema.get_all_operations():
        operation = found.ok()
        modes = (GenerationMode.POSITIVE, GenerationMode.NEGATIVE)

        @hypothesis_settings(
            max_examples=12,
            derandomize=True,
            database=None,
            phases=(Phase.explicit, Phase.generate),
            suppress_health_check=list(HealthCheck),
        )
        @given(case=st.one_of(*(operation.as_strategy(generation_mode=mode) for mode in modes)))
        def send(case: Case[Any]) -> None:
            assert_answered(case, address, headers)

        with subtests.test(operation=operation.label):
            send()


def assert_answered(case: Case[Any], address: str, headers: dict[str, str]) -> None:
    """See that the server answers a case, and that its refusal is an error of ours."""
    try:
        response = case.call(base_url=address, headers=headers, timeout=_LONGEST_S)
    except (UnicodeError, requests.exceptions.InvalidHeader, requests.exceptions.InvalidURL):
        # The client cannot send such a request.
        return
    if response.status_code < 400:
        return
    # The key has every scope: otherwise nothing behind the authentication would be tested.
    assert response.status_code != 401
    assert response.status_code < 500, f"{response.text[:500]} after {case.as_curl_command()[:500]}"
    error = response.json().get("error", {})
    assert {"message", "type", "param", "code"} <= error.keys(), response.text[:500]
    # Such an address is refused before there is a request, so the response has no request id.
    assert error["code"] == "address_too_long" or response.headers.get("x-request-id")


def test_openapi_describes_errors_in_our_format(server: Fuzzed) -> None:
    address, headers = server
    described = httpx.get(f"{address}/openapi.json", headers=headers, timeout=60).json()
    for path, operations in described["paths"].items():
        for method, operation in operations.items():
            assert "HTTPValidationError" not in str(operation["responses"]), f"{method} {path}"
    asking = described["paths"]["/v1/chat/completions"]["post"]
    assert {"4XX", "5XX"} <= asking["responses"].keys()
