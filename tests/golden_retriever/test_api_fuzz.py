"""Requests made from the API's own description, sound and unsound: none of them breaks the server."""

from collections.abc import Iterator
from typing import Any

import httpx
import pytest
import requests
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from schemathesis.generation import GenerationMode
from schemathesis.generation.case import Case

from tests.golden_retriever.fuzzed import Fuzzed, fuzzed_server

_LONGEST_S = 20.0


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Fuzzed]:
    with fuzzed_server(tmp_path_factory.mktemp("fuzz")) as served:
        yield served


def broken_by(server: Fuzzed, examples: int) -> dict[str, str]:
    """Return what broke: the first answer of each operation that blames the server or is no error of ours."""
    schema = schemathesis.openapi.from_url(f"{server.address}/openapi.json", headers=server.headers)
    broken: dict[str, str] = {}
    for found in schema.get_all_operations():
        operation = found.ok()
        cases = st.one_of(
            operation.as_strategy(generation_mode=GenerationMode.POSITIVE),
            operation.as_strategy(generation_mode=GenerationMode.NEGATIVE),
        )

        @settings(
            max_examples=examples,
            deadline=None,
            derandomize=True,
            database=None,
            phases=(Phase.explicit, Phase.generate),
            suppress_health_check=list(HealthCheck),
        )
        @given(case=cases)
        def send(case: Case[Any]) -> None:
            fault = _fault_of(server, case)
            if fault:
                broken.setdefault(case.operation.label, fault)

        send()
    return broken


def _fault_of(server: Fuzzed, case: Case[Any]) -> str:
    """Return what is wrong with the answer to a case, "" for nothing."""
    try:
        response = case.call(base_url=server.address, headers=server.headers, timeout=_LONGEST_S)
    except (UnicodeError, requests.exceptions.InvalidHeader, requests.exceptions.InvalidURL):
        # The client cannot even write it down.
        return ""
    if response.status_code < 400:
        return ""
    # The key opens everything: else nothing behind authentication would be tried.
    assert response.status_code != 401
    text = response.text or ""
    if response.status_code >= 500:
        return f"{response.status_code}: {text[:500]} after {case.as_curl_command()[:500]}"
    if not {"message", "type", "param", "code"} <= response.json().get("error", {}).keys():
        return f"no error of ours: {text[:500]}"
    return "" if response.headers.get("x-request-id") else "no request id"


@pytest.mark.slow
def test_no_request_of_many_breaks_the_server(server: Fuzzed) -> None:
    assert broken_by(server, examples=12) == {}


def test_the_description_tells_the_errors_in_our_form(server: Fuzzed) -> None:
    described = httpx.get(f"{server.address}/openapi.json", headers=server.headers, timeout=60).json()
    for path, operations in described["paths"].items():
        for method, operation in operations.items():
            assert "HTTPValidationError" not in str(operation["responses"]), f"{method} {path}"
    asking = described["paths"]["/v1/chat/completions"]["post"]
    assert {"4XX", "5XX"} <= asking["responses"].keys()
