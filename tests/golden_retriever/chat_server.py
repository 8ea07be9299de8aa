"""A chat server that speaks OpenAI's protocol, well or badly, in a thread of the test."""

import asyncio
import json
import re
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Literal

from fastapi import FastAPI, Request
from fastapi.responses import Response, StreamingResponse

from tests.tools.chat.server import chunks, completion, serving

Behaviour = Literal["well", "slowly", "half"]
MODELS = ("house-model", "another-model")


@dataclass
class ChatServer:
    """Answers a question with ``answer``, a request for JSON with ``summary`` and ``questions``, in a ``behaviour``.

    ``half`` breaks a stream off in its middle, ``slowly`` waits for ``delay_s`` first. What came in is kept in
    ``requests`` (bodies) and ``keys``.
    """

    answer: str = "It is not known."
    summary: str = "The section is about voltages."
    questions: Sequence[object] = ("What is the level?",)
    behaviour: Behaviour = "well"
    delay_s: float = 5.0
    address: str = ""
    requests: list[dict[str, Any]] = field(default_factory=list)
    keys: list[str] = field(default_factory=list)

    def app(self) -> FastAPI:
        """Return the server's routes."""
        app = FastAPI()

        @app.get("/v1/models")
        async def models() -> dict[str, Any]:
            return {"object": "list", "data": [{"id": name, "object": "model", "created": 0} for name in MODELS]}

        @app.post("/v1/chat/completions")
        async def complete(request: Request) -> Response:
            body = await request.json()
            self.requests.append(body)
            self.keys.append(request.headers.get("authorization", ""))
            return await self._reply(body)

        return app

    async def _reply(self, body: dict[str, Any]) -> Response:
        if self.behaviour == "slowly":
            await asyncio.sleep(self.delay_s)
        if body.get("stream"):
            words = re.findall(r" ?[^ ]*", self.answer)
            events = [*chunks(body["model"], words)]
            told = events[: len(words) // 2] if self.behaviour == "half" else events
            return StreamingResponse(iter(told), media_type="text/event-stream")
        text = json.dumps({"summary": self.summary, "questions": self.questions})
        if self.behaviour == "half":
            text = text[: len(text) // 2]
        return completion(body["model"], text)


@contextmanager
def chatting(chat: ChatServer | None = None) -> Iterator[ChatServer]:
    """Run a chat server, or the one given, for the length of the block."""
    chat = chat or ChatServer()
    with serving(chat.app()) as address:
        chat.address = f"{address}/v1"
        yield chat


if __name__ == "__main__":
    with chatting() as served:
        print(served.address, flush=True)
        sys.stdin.read()
