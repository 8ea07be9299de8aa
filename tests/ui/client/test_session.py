"""The API's client against a real ASGI application in the same process."""

import asyncio
from collections.abc import AsyncIterator

import pytest
from fastapi import FastAPI, Request
from fastapi.responses import JSONResponse, StreamingResponse

from ui.client import ApiClient, ApiProblem, ApiSession, Caller


class Server:
    """An application that tells what it was asked, and streams as slowly as a test lets it."""

    def __init__(self) -> None:
        self.web = FastAPI()
        self.go_on = asyncio.Event()
        self.ended = asyncio.Event()
        self.web.add_api_route("/told", self.told, methods=["GET", "POST"])
        self.web.add_api_route("/stream", self.stream, methods=["POST"])
        self.web.add_api_route("/refused", self.refused)
        self.web.add_api_route("/broken", self.broken)

    async def told(self, request: Request) -> dict[str, object]:
        assert request.client is not None
        return {
            "headers": dict(request.headers),
            "peer": request.client.host,
            "query": dict(request.query_params),
            "body": (await request.body()).decode(),
        }

    async def stream(self) -> StreamingResponse:
        async def events() -> AsyncIterator[str]:
            try:
                yield 'data: {"n": 1}\n\n'
                await self.go_on.wait()
                yield ': a remark\n\ndata: {"n": 2}\n\n'
                yield 'data: {"error": {"message": "The model is away.", "code": "away"}}\n\n'
            finally:
                self.ended.set()

        return StreamingResponse(events(), media_type="text/event-stream")

    async def refused(self) -> JSONResponse:
        lines = [{"line": 3, "text": "?"}]
        told = {"message": "Line 3 has no term.", "code": "refused", "param": "file", "lines": lines}
        return JSONResponse({"error": told}, status_code=400)

    async def broken(self) -> None:
        raise RuntimeError("broken")

    def session(self, **headers: str) -> ApiSession:
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        return ApiClient.of_application(self.web).session(Caller(headers=named, peer=("10.1.2.3", 7)))


@pytest.fixture
def server() -> Server:
    return Server()


async def test_the_server_sees_the_browser_that_asks(server: Server) -> None:
    session = server.session(cookie="golden_session=x", host="help.example", if_match='"v1"', content_length="99")
    told = await session.get("/told", {"q": "DLL", "none": None})
    assert told["peer"] == "10.1.2.3"
    assert told["query"] == {"q": "DLL"}
    assert told["headers"]["cookie"] == "golden_session=x"
    assert told["headers"]["host"] == "help.example"
    assert told["headers"]["x-golden-request"] == "1"
    # These were the browser's own request's.
    assert "if-match" not in told["headers"]
    assert "99" not in told["headers"].values()


async def test_a_body_and_an_etag_go_with_the_request(server: Server) -> None:
    answer = await server.session().send("POST", "/told", json={"term": "tRC"}, if_match='"v2"')
    assert answer.json()["body"].replace(" ", "") == '{"term":"tRC"}'
    assert answer.json()["headers"]["if-match"] == '"v2"'


async def test_events_come_while_the_answer_is_written(server: Server) -> None:
    async with server.session().events("/stream") as events:
        assert await anext(events) == {"n": 1}
        assert not server.ended.is_set()
        server.go_on.set()
        assert await anext(events) == {"n": 2}
        with pytest.raises(ApiProblem, match="The model is away") as caught:
            await anext(events)
    assert caught.value.code == "away"


async def test_whoever_stops_listening_ends_the_work(server: Server) -> None:
    async with server.session().events("/stream") as events:
        assert await anext(events) == {"n": 1}
    async with asyncio.timeout(5):
        await server.ended.wait()


async def test_a_refusal_is_the_servers_own_words(server: Server) -> None:
    with pytest.raises(ApiProblem, match="Line 3 has no term") as caught:
        await server.session().get("/refused")
    assert (caught.value.status, caught.value.code, caught.value.field) == (400, "refused", "file")
    assert caught.value.details == ("3: ?",)


async def test_what_is_not_there_is_a_problem_too(server: Server) -> None:
    with pytest.raises(ApiProblem) as caught:
        await server.session().get("/nothing")
    assert caught.value.status == 404


async def test_an_application_that_breaks_is_heard(server: Server) -> None:
    with pytest.raises(ApiProblem) as caught:
        await server.session().get("/broken")
    assert caught.value.status == 500


async def test_a_server_elsewhere_that_is_away_is_told() -> None:
    import httpx

    client = ApiClient(lambda _: httpx.AsyncHTTPTransport(), "http://127.0.0.1:9")
    with pytest.raises(ApiProblem, match="cannot be reached") as caught:
        await client.session(Caller(headers={})).get("/api/me")
    assert caught.value.code == "unreachable"
