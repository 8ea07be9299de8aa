"""The API's client: one for the pages, and from it a session for each request of a browser."""

import json
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import httpx

from ui.client.in_process import InProcessTransport
from ui.client.problems import ApiProblem, problem_in, problem_of

Json = Any
TransportOf = Callable[["Caller"], httpx.AsyncBaseTransport]

_IN_PROCESS = "http://golden"
# A question may take minutes; whoever waits can stop it.
_TIMEOUT = httpx.Timeout(30, read=None)
# What belongs to the browser's own request, not to those that are made for it.
_NOT_PASSED_ON = frozenset(
    {
        "accept", "accept-encoding", "connection", "content-length", "content-type", "expect", "if-match",
        "if-none-match", "keep-alive", "range", "te", "trailer", "transfer-encoding", "upgrade", "x-request-id",
    }
)  # fmt: skip
_MARK = {"x-golden-request": "1"}
_DONE = "[DONE]"


@dataclass(frozen=True, slots=True, kw_only=True)
class Caller:
    """For whom the API is asked: what the browser's request said of itself.

    ``headers`` by lower-case name, the browser's cookies and its credentials among them; ``peer`` is the address and
    port at the other end of its socket. The server decides by these who asks, as if the browser had asked it.
    """

    headers: Mapping[str, str]
    peer: tuple[str, int] = ("127.0.0.1", 0)

    def passed_on(self) -> dict[str, str]:
        """Return the headers that go with each request made for the browser."""
        return {name: value for name, value in self.headers.items() if name not in _NOT_PASSED_ON}


class ApiClient:
    """Reaches the server's API: in this process, or elsewhere at an address."""

    def __init__(self, transport_of: TransportOf, base_url: str = _IN_PROCESS) -> None:
        self._transport_of = transport_of
        self._base_url = base_url

    @classmethod
    def of_application(cls, web: Any) -> "ApiClient":
        """Return the client of an ASGI application in this process; nothing goes over a socket."""
        return cls(lambda caller: InProcessTransport(web, peer=caller.peer))

    def session(self, caller: Caller) -> "ApiSession":
        """Return what asks the API for ``caller``."""
        return ApiSession(self._transport_of(caller), self._base_url, caller.passed_on())


class ApiSession:
    """Asks the API for one caller. Paths begin with ``/``; what is refused is raised as ``ApiProblem``."""

    def __init__(self, transport: httpx.AsyncBaseTransport, base_url: str, headers: Mapping[str, str]) -> None:
        self._transport = transport
        self._base_url = base_url
        self._headers = {**headers, **_MARK}

    async def get(self, path: str, params: Mapping[str, Any] | None = None) -> Json:
        """Return the JSON at ``path``; parameters that are None are left out.

        Raises:
            ApiProblem: the server refuses it, or cannot be reached.
        """
        return (await self.send("GET", path, params=params)).json()

    async def send(
        self,
        method: str,
        path: str,
        *,
        json: Json = None,
        params: Mapping[str, Any] | None = None,
        if_match: str = "",
        files: Any = None,
        fields: Mapping[str, str] | None = None,
    ) -> httpx.Response:
        """Send a request and return the whole answer, which is one of success.

        ``if_match`` is the ETag of what is changed. ``files`` and ``fields`` make a form, as httpx takes them.

        Raises:
            ApiProblem: the server refuses it, or cannot be reached.
        """
        headers = {"if-match": if_match} if if_match else {}
        given = {name: value for name, value in (params or {}).items() if value is not None}
        async with self._client() as client:
            try:
                answer = await client.request(
                    method, path, json=json, params=given, headers=headers, files=files, data=fields
                )
            except httpx.HTTPError as error:
                raise _unreachable(error) from error
        if not answer.is_success:
            raise problem_in(answer.status_code, answer.content)
        return answer

    @asynccontextmanager
    async def events(
        self, path: str, *, json: Json = None, method: str = "POST"
    ) -> AsyncIterator[AsyncIterator[dict[str, Any]]]:
        """Open a stream of server-sent events; yield an iterator over their JSON objects, up to ``[DONE]``.

        Leaving the block ends the request: what the server does for it stops.

        Raises:
            ApiProblem: the server refuses it or cannot be reached, or an event tells of an error.
        """
        async with self._client() as client:
            try:
                async with client.stream(method, path, json=json, headers={"accept": "text/event-stream"}) as answer:
                    if not answer.is_success:
                        raise problem_in(answer.status_code, await answer.aread())
                    yield _events_in(answer)
            except httpx.HTTPError as error:
                raise _unreachable(error) from error

    def _client(self) -> httpx.AsyncClient:
        return httpx.AsyncClient(
            transport=_Kept(self._transport),
            base_url=self._base_url,
            headers=self._headers,
            timeout=_TIMEOUT,
            follow_redirects=False,
            trust_env=False,
        )


class _Kept(httpx.AsyncBaseTransport):
    """A transport that outlives the client that uses it."""

    def __init__(self, transport: httpx.AsyncBaseTransport) -> None:
        self._transport = transport

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Send one request."""
        return await self._transport.handle_async_request(request)


async def _events_in(answer: httpx.Response) -> AsyncIterator[dict[str, Any]]:
    async for line in answer.aiter_lines():
        if not line.startswith("data:"):
            continue
        told = line[5:].strip()
        if told == _DONE:
            return
        event = json.loads(told)
        if isinstance(event, dict):
            if isinstance(error := event.get("error"), dict):
                raise problem_of(error, answer.status_code)
            yield event


def _unreachable(error: httpx.HTTPError) -> ApiProblem:
    return ApiProblem(f"The server cannot be reached: {error or type(error).__name__}", status=0, code="unreachable")
