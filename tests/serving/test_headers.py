"""What browsers are told with every answer."""

import base64
import hashlib
from collections.abc import AsyncIterator

import httpx
import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from serving.headers import SecurityHeaders, page_policy

PAGE = "<html><script>let a = 1;</script><SCRIPT type=module>b()</SCRIPT ><script src='/x.js'></script></html>"


async def answer(request: Request) -> Response:
    match request.path_params["kind"]:
        case "json":
            return JSONResponse({"a": 1})
        case "page":
            return HTMLResponse(PAGE)
        case "pieces":

            async def pieces() -> AsyncIterator[str]:
                for each in PAGE:
                    yield each

            return StreamingResponse(pieces(), media_type="text/html")
        case "events":
            return Response("data: 1\n\n", media_type="text/event-stream", headers={"cache-control": "no-cache"})
        case "script":
            shared = {"cross-origin-resource-policy": "cross-origin", "cache-control": "public, max-age=300"}
            return Response("1", media_type="text/javascript", headers=shared)
        case _:
            return Response(b"\x89PNG", media_type="image/png")


@pytest.fixture
async def http() -> AsyncIterator[httpx.AsyncClient]:
    app = SecurityHeaders(Starlette(routes=[Route("/{kind}", answer, methods=["GET", "POST"])]))
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://test") as client:
        yield client


async def test_every_response_has_security_headers(subtests: pytest.Subtests, http: httpx.AsyncClient) -> None:
    for path in ["/json", "/page", "/pieces", "/events", "/script", "/image", "/a/b"]:
        with subtests.test(path=path):
            headers = (await http.get(path)).headers
            assert headers["x-content-type-options"] == "nosniff"
            assert headers["x-frame-options"] == "DENY"
            assert headers["referrer-policy"] == "same-origin"
            assert "frame-ancestors 'none'" in headers["content-security-policy"]
            assert "strict-transport-security" not in headers
            policy = "cross-origin" if path == "/script" else "same-origin"
            assert headers.get_list("cross-origin-resource-policy") == [policy]
            # No response is cached for other people.
            kept = {"/script": ["public, max-age=300"], "/image": []}.get(path, ["no-store"])
            assert headers.get_list("cache-control") == kept


async def test_content_security_policy_allows_only_the_scripts_of_the_page(http: httpx.AsyncClient) -> None:
    for path in ("/page", "/pieces"):
        response = await http.get(path)
        assert response.text == PAGE
        policy = response.headers["content-security-policy"]
        for script in (b"let a = 1;", b"b()"):
            assert f"'sha256-{base64.b64encode(hashlib.sha256(script).digest()).decode()}'" in policy
        assert policy.count("sha256-") == 2
        (scripts,) = [part for part in policy.split("; ") if part.startswith("script-src")]
        assert "unsafe-inline" not in scripts
        assert "http" not in policy
    assert (await http.get("/json")).headers["content-security-policy"].startswith("default-src 'none'")


def test_truncated_or_empty_script_gets_no_hash() -> None:
    assert "sha256" not in page_policy(b"<script>evil(")
    assert "sha256" not in page_policy(b"<script></script>")
