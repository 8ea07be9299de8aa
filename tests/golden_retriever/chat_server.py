"""Servers of language models, each in a thread of the test: one that speaks OpenAI's protocol, one that plays vLLM."""

import asyncio
import json
import re
import sys
import time
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, TypeVar

from fastapi import FastAPI, Request
from fastapi.responses import JSONResponse, Response, StreamingResponse

from tests.tools.chat.server import chunks, completion, refusal, serving

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
            # Setting the delay to 0 releases all waiting requests.
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


BASE = "granite-3.3-8b-instruct"


@dataclass
class VllmServer:
    """What it has is chosen beforehand; ``asked`` keeps the paths and models of what came in."""

    adapters: tuple[str, ...] = ()
    schemas: str = "held"
    logprobs: bool = True
    streaming: bool = True
    completions: bool = True
    key: str = ""
    token_s: float = 0.0
    url: str = ""
    asked: list[tuple[str, str]] = field(default_factory=list)

    def app(self) -> FastAPI:
        app = FastAPI()

        @app.get("/v1/models")
        async def models(request: Request) -> Response:
            cards: list[dict[str, Any]] = [{"id": BASE, "object": "model", "root": BASE, "max_model_len": 8192}]
            cards += [{"id": name, "object": "model", "parent": BASE, "max_model_len": None} for name in self.adapters]
            return self.refused(request) or JSONResponse({"object": "list", "data": cards})

        @app.post("/v1/{kind:path}")
        async def complete(kind: str, request: Request) -> Response:
            body = await request.json()
            self.asked.append((kind, body["model"]))
            return self.refused(request) or self.answer(kind, body)

        return app

    def refused(self, request: Request) -> Response | None:
        if self.key and request.headers.get("authorization") != f"Bearer {self.key}":
            return JSONResponse({"error": "Unauthorized"}, status_code=401)
        return None

    def answer(self, kind: str, body: dict[str, Any]) -> Response:
        if body["model"] not in (BASE, *self.adapters):
            return refusal(404, f"The model `{body['model']}` does not exist.")
        if kind == "completions" and not self.completions:
            return refusal(404, "Not Found")
        if "response_format" in body and self.schemas == "refused":
            return refusal(400, "response_format is not supported")
        if body.get("logprobs") and not self.logprobs:
            return refusal(400, "logprobs are not available")
        if body.get("stream"):
            return StreamingResponse(self.stream(), media_type="text/event-stream")
        held = "response_format" in body and self.schemas == "held"
        held = held or (self.schemas == "refused" and "JSON" in str(body.get("messages")))
        text = json.dumps({"colour": "blue", "temperature": "cold"}) if held else "Blue."
        content = [{"token": text, "logprob": -0.1, "bytes": None, "top_logprobs": []}]
        logprobs = {"content": content} if body.get("logprobs") else None
        choice: dict[str, Any] = {"index": 0, "finish_reason": "stop", "logprobs": logprobs}
        choice |= {"text": text} if kind == "completions" else {"message": {"role": "assistant", "content": text}}
        return JSONResponse({"id": "1", "object": "x", "created": 1, "model": body["model"], "choices": [choice]})

    async def stream(self) -> AsyncIterator[str]:
        if not self.streaming:
            return
        for event in chunks(BASE, ("Blue", " and", " green", ".")):
            await asyncio.sleep(self.token_s)
            yield event


@contextmanager
def running(server: VllmServer) -> Iterator[VllmServer]:
    """Run the server in a thread on a free port of the loopback."""
    with serving(server.app()) as address:
        server.url = f"{address}/v1"
        yield server


if __name__ == "__main__":
    with chatting(ChatServer()) as served:
        print(served.address, flush=True)
        sys.stdin.read()
