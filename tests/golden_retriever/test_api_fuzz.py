"""Requests made from the API's own description, sound and unsound: none of them breaks the server."""

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import httpx
import pytest
import requests
import schemathesis
from anyio.from_thread import start_blocking_portal
from hypothesis import HealthCheck, Phase, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from schemathesis.generation import GenerationMode
from schemathesis.generation.case import Case

from agent.chatbot import Chatbot
from golden_retriever.web import build_web_application
from library.keys import KeyStore
from tests.agent.scripted import Script
from tests.example_library import bot_over
from tests.servers import client_of

_LONGEST_S = 20.0


GUIDE = "# Rings\n\nEach self-healing ring (SHR) keeps three copies. The retention of audit records is 400 days.\n"


@dataclass(frozen=True, kw_only=True)
class Fuzzed:
    """A running server, and what a request to it carries."""

    address: str
    headers: dict[str, str]


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Fuzzed]:
    """Serve a library of one document; whoever has the key may do everything, as often as they like."""
    serving = _served(tmp_path_factory.mktemp("fuzz"))
    with start_blocking_portal() as portal, portal.wrap_async_context_manager(serving) as served:
        yield served


@asynccontextmanager
async def _served(folder: Path) -> AsyncIterator[Fuzzed]:
    async with bot_over(folder, {"guide.md": GUIDE}, key_requests_per_minute=0) as application:
        scripted = replace(application, chatbot=Chatbot(Script().services()))
        # From the start: else the first key that a request makes would close the server to all that follow.
        key, _ = KeyStore(application.store.engine).create(
            "fuzz", scopes=frozenset({"ask", "manage", "admin"}), groups=None
        )
        web = await build_web_application(scripted, with_ui=False, keyed=True)
        async with client_of(web, log_config=None) as http:
            address = str(http.base_url).rstrip("/")
            yield Fuzzed(address=address, headers={"authorization": f"Bearer {key}", "x-golden-request": "1"})
        await scripted.close()


@pytest.mark.slow
def test_no_request_of_many_breaks_the_server(server: Fuzzed, subtests: pytest.Subtests) -> None:
    schema = schemathesis.openapi.from_url(f"{server.address}/openapi.json", headers=server.headers)
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
            assert_answered(server, case)

        with subtests.test(operation=operation.label):
            send()


def assert_answered(server: Fuzzed, case: Case[Any]) -> None:
    """See that the server answers a case, and that its refusal is an error of ours."""
    try:
        response = case.call(base_url=server.address, headers=server.headers, timeout=_LONGEST_S)
    except (UnicodeError, requests.exceptions.InvalidHeader, requests.exceptions.InvalidURL):
        # The client cannot even write it down.
        return
    if response.status_code < 400:
        return
    # The key opens everything: else nothing behind authentication would be tried.
    assert response.status_code != 401
    assert response.status_code < 500, f"{response.text[:500]} after {case.as_curl_command()[:500]}"
    assert {"message", "type", "param", "code"} <= response.json().get("error", {}).keys(), response.text[:500]
    assert response.headers.get("x-request-id")


def test_the_description_tells_the_errors_in_our_form(server: Fuzzed) -> None:
    described = httpx.get(f"{server.address}/openapi.json", headers=server.headers, timeout=60).json()
    for path, operations in described["paths"].items():
        for method, operation in operations.items():
            assert "HTTPValidationError" not in str(operation["responses"]), f"{method} {path}"
    asking = described["paths"]["/v1/chat/completions"]["post"]
    assert {"4XX", "5XX"} <= asking["responses"].keys()
