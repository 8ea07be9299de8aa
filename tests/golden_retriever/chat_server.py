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

from fastapi import Depends, FastAPI, HTTPException, Request
from fastapi.responses import JSONResponse, Response, StreamingResponse

from tests.tools.chat.server import chunks, completion, refusal, serving

MODELS = ("house-model", "another-model")
Server = TypeVar("Server", bound="ChatServer")


@dataclass
class ChatServer:
    """Answers a question with ``answer``, a request for JSON with ``summary`` and ``questions``, after ``delay_s``.

    Where there is a ``key``, requests need it. What came in is kept in ``requests``.
    """

    answer: str = "It is not known."
    summary: str = "The section is about voltages."
    questions: Sequence[object] = ("What is the level?",)
    delay_s: float = 0
    key: str = ""
    address: str = ""
    requests: list[dict[str, Any]] = field(default_factory=list)

    def app(self) -> FastAPI:
        async def check_key(request: Request) -> None:
            if self.key and request.headers.get("authorization") != f"Bearer {self.key}":
                raise HTTPException(401, "Unauthorized")

        app = FastAPI(dependencies=[Depends(check_key)])

        @app.get("/v1/models")
        async def models() -> dict[str, Any]:
            return {"object": "list", "data": self.cards()}

        @app.post("/v1/chat/completions")
        @app.post("/v1/completions")
        async def complete(request: Request) -> Response:
            body = await request.json()
            self.requests.append(body)
            received = time.monotonic()
            # Setting the delay to 0 releases all waiting requests.
            while time.monotonic() < received + self.delay_s:  # noqa: ASYNC110 - it is set from another thread
                await asyncio.sleep(0.02)
            return self.reply(body)

        return app

    def cards(self) -> list[dict[str, Any]]:
        return [{"id": name, "object": "model", "created": 0} for name in MODELS]

    def reply(self, body: dict[str, Any]) -> Response:
        if body.get("stream"):
            return self.completed(body, self.answer)
        return self.completed(body, json.dumps({"summary": self.summary, "questions": self.questions}))

    def completed(self, body: dict[str, Any], text: str, logprobs: dict[str, Any] | None = None) -> Response:
        """Return ``text`` in the form that was asked for."""
        if body.get("stream"):
            return StreamingResponse(chunks(body["model"], re.findall(r"\s*\S+", text)), media_type="text/event-stream")
        if "prompt" in body:
            choice = {"index": 0, "text": text, "finish_reason": "stop", "logprobs": logprobs}
            return JSONResponse({"id": "1", "object": "x", "created": 1, "model": body["model"], "choices": [choice]})
        return completion(body["model"], text, logprobs=logprobs)


@contextmanager
def chatting(chat: Server) -> Iterator[Server]:
    """Run a chat server for the length of the block."""
    with serving(chat.app()) as address:
        chat.address = f"{address}/v1"
        yield chat


BASE = "granite-3.3-8b-instruct"


@dataclass
class VllmServer(ChatServer):
    """A server of one base model and its ``adapters``, which can do what is chosen beforehand."""

    adapters: tuple[str, ...] = ()
    schemas: str = "held"
    logprobs: bool = True
    streaming: bool = True
    completions: bool = True
    token_s: float = 0.0

    def cards(self) -> list[dict[str, Any]]:
        base = {"id": BASE, "object": "model", "root": BASE, "max_model_len": 8192}
        adapters = ({"id": name, "object": "model", "parent": BASE, "max_model_len": None} for name in self.adapters)
        return [base, *adapters]

    def reply(self, body: dict[str, Any]) -> Response:
        if body["model"] not in (BASE, *self.adapters):
            return refusal(404, f"The model `{body['model']}` does not exist.")
        if "prompt" in body and not self.completions:
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
        return self.completed(body, text, {"content": content} if body.get("logprobs") else None)

    async def stream(self) -> AsyncIterator[str]:
        if not self.streaming:
            return
        for event in chunks(BASE, ("Blue", " and", " green", ".")):
            await asyncio.sleep(self.token_s)
            yield event


if __name__ == "__main__":
    with chatting(ChatServer()) as served:
        print(served.address, flush=True)
        sys.stdin.read()
