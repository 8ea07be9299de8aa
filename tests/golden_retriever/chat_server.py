"""A chat server that speaks OpenAI's protocol, in a thread of the test."""

import asyncio
import json
import re
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, TypeVar

from fastapi import FastAPI, Request
from fastapi.responses import Response, StreamingResponse

from tests.tools.chat.server import chunks, completion, serving

MODELS = ("house-model", "another-model")
Server = TypeVar("Server", bound="ChatServer")


@dataclass
class ChatServer:
    """Answers a question with ``answer``, a request for JSON with ``summary`` and ``questions``, after ``delay_s``.

    What came in is kept in ``requests``.
    """

    answer: str = "It is not known."
    summary: str = "The section is about voltages."
    questions: Sequence[object] = ("What is the level?",)
    delay_s: float = 0
    address: str = ""
    requests: list[dict[str, Any]] = field(default_factory=list)

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
            received = time.monotonic()
            # Whoever sets the delay to 0 meanwhile lets go of all that wait.
            while time.monotonic() < received + self.delay_s:  # noqa: ASYNC110 - it is set from another thread
                await asyncio.sleep(0.02)
            return self.reply(body)

        return app

    def reply(self, body: dict[str, Any]) -> Response:
        """Answer a request for a chat completion."""
        if body.get("stream"):
            return self.completed(body, self.answer)
        return self.completed(body, json.dumps({"summary": self.summary, "questions": self.questions}))

    def completed(self, body: dict[str, Any], text: str) -> Response:
        """Return ``text`` in the form that was asked for."""
        if body.get("stream"):
            return StreamingResponse(chunks(body["model"], re.findall(r"\s*\S+", text)), media_type="text/event-stream")
        return completion(body["model"], text)


@contextmanager
def chatting(chat: Server) -> Iterator[Server]:
    """Run a chat server for the length of the block."""
    with serving(chat.app()) as address:
        chat.address = f"{address}/v1"
        yield chat


if __name__ == "__main__":
    with chatting(ChatServer()) as served:
        print(served.address, flush=True)
        sys.stdin.read()
