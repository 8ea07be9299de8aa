"""A recorder between the bot and a chat server: it passes everything on and keeps what was asked and answered."""

import json
import re
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import httpx
from fastapi import FastAPI, Request, Response
from fastapi.responses import StreamingResponse

from tests.tools.chat.server import serving
from tools.prompts import load_prompt

_INTRINSICS = Path(__file__).resolve().parents[2] / "intrinsics"
# A prompt's own words between two variables; shorter pieces stand in several prompts.
_LEAST_CHARACTERS = 12
_VARIABLE = re.compile(r"\{\{?[a-z_][a-z0-9_]*\}\}?")


@dataclass(slots=True, kw_only=True)
class Exchange:
    """A request for a chat, and what came back; ``status`` 0: nothing did."""

    body: dict[str, Any]
    status: int = 0
    answer: bytes = b""

    @property
    def intrinsic(self) -> str:
        """Whose prompt was sent, by its own words; "" where it is nobody's."""
        said = "\n".join(message["content"] for message in self.body["messages"])
        found = {name for name, pieces in _prompts() if all(piece in said for piece in pieces)}
        assert len(found) <= 1, f"the prompts of {found} cannot be told apart"
        return next(iter(found), "")

    @property
    def schema(self) -> dict[str, Any] | None:
        """The JSON schema that the reply was held to, or None."""
        form = self.body.get("response_format")
        return form["json_schema"]["schema"] if form else None

    @property
    def finish_reason(self) -> str:
        """Why the server stopped writing."""
        return str(self._completion["choices"][0]["finish_reason"])

    @property
    def text(self) -> str:
        """The reply's text, of one that was not streamed."""
        return str(self._completion["choices"][0]["message"]["content"])

    @property
    def _completion(self) -> Any:
        return json.loads(self.answer)


@dataclass(slots=True, kw_only=True)
class Recorder:
    """What went through; ``url`` is where to ask, and ``more`` is added to every request for a chat."""

    target: str
    url: str = ""
    more: dict[str, Any] = field(default_factory=dict)
    exchanges: list[Exchange] = field(default_factory=list)

    def app(self) -> FastAPI:
        app = FastAPI()

        @app.api_route("/{path:path}", methods=["GET", "POST"])
        async def pass_on(path: str, request: Request) -> Response:
            body = await request.body()
            exchange = Exchange(body=json.loads(body or b"{}"))
            if path.endswith("chat/completions"):
                exchange.body |= self.more
                body = json.dumps(exchange.body).encode()
                self.exchanges.append(exchange)
            # One client a request: its connection ends with it, as the asker's does.
            client = httpx.AsyncClient(timeout=None)
            asked = client.build_request(
                request.method, f"{self.target}/{path}", content=body, headers={"content-type": "application/json"}
            )
            answer = await client.send(asked, stream=True)
            exchange.status = answer.status_code

            async def pieces() -> AsyncIterator[bytes]:
                try:
                    async for piece in answer.aiter_bytes():
                        exchange.answer += piece
                        yield piece
                finally:
                    await answer.aclose()
                    await client.aclose()

            kind = answer.headers.get("content-type", "application/json")
            return StreamingResponse(pieces(), status_code=answer.status_code, media_type=kind)

        return app


@contextmanager
def recording(target: str) -> Iterator[Recorder]:
    """Record what goes to the server at ``target`` as long as the block lasts."""
    recorder = Recorder(target=target)
    with serving(recorder.app()) as address:
        recorder.url = f"{address}/v1"
        yield recorder


@cache
def _prompts() -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Return the own words of every prompt, with the intrinsic that it belongs to."""
    found = []
    for path in sorted((*_INTRINSICS.glob("*/llm.toml"), *_INTRINSICS.glob("*/rewrite.toml"))):
        prompt = load_prompt(path)
        words = (*_VARIABLE.split(prompt.system), *_VARIABLE.split(prompt.user))
        pieces = tuple(piece.strip() for piece in words if len(piece.strip()) >= _LEAST_CHARACTERS)
        found.append((path.parent.name, pieces))
    return tuple(found)
