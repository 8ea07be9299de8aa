"""A real HTTP server that speaks OpenAI's protocol, well and badly, for the tests of chat models."""

import asyncio
import json
import socket
from collections.abc import AsyncIterator, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from anyio.from_thread import start_blocking_portal
from fastapi import FastAPI, Request, Response
from fastapi.responses import JSONResponse, StreamingResponse

from tests.servers import listening
from tools.chat.base import ChatMessage, ChatRequest
from tools.chat.openai import OpenAIChatModel

REQUEST = ChatRequest(messages=(ChatMessage(role="user", content="What is tPROG?"),))
CARD = {"id": "good", "object": "model", "created": 1, "owned_by": "llamacpp"}

# The wording of vLLM (two versions), llama.cpp and OpenAI.
TOO_LONG: dict[str, dict[str, Any]] = {
    "vllm": {
        "message": "This model's maximum context length is 2048 tokens. However, you requested 2662 tokens (1662 in "
        "the messages, 1000 in the completion). Please reduce the length of the messages or completion."
    },
    "vllm-new": {
        "message": "This model's maximum context length is 2048 tokens. However, you requested 1000 output tokens and "
        "your prompt contains at least 1662 input tokens, for a total of at least 2662 tokens."
    },
    "llama": {
        "message": "the request exceeds the available context size, try increasing it",
        "type": "exceed_context_size_error",
        "n_prompt_tokens": 1662,
        "n_ctx": 2048,
    },
    "openai": {
        "message": "This model's maximum context length is 2048 tokens. However, your messages resulted in "
        "1662 tokens.",
        "code": "context_length_exceeded",
    },
}
STATUSES = {"broken": 500, "unknown": 404, "busy": 429, "too-long": 400}
NO_COMPLETIONS = {
    "not-json": ("{ this is not JSON", "application/json"),
    "huge": (b" " * 9_000_000, "application/json"),
    "a-page": ("<html>Welcome to nginx</html>", "text/html"),
    "no-choices": ('{"object": "chat.completion", "choices": []}', "application/json"),
    "another-form": ('["a", "list"]', "application/json"),
}
# The wording of llama.cpp when it cannot parse its model's output.
UNREADABLE = "The model produced output that does not match the expected peg-native format"
TEXT_HEAD = {"id": "1", "object": "text_completion", "created": 1}
CHUNK_HEAD = {"id": "1", "object": "chat.completion.chunk", "created": 1}
YES, NO = ({"token": token, "logprob": logprob, "bytes": None} for token, logprob in (("yes", -0.1), ("no", -2.4)))
LOGPROBS = {"content": [{**YES, "top_logprobs": [YES, NO]}]}
# vLLM's format: parallel lists, with null where a token has no value.
COMPLETED_LOGPROBS = {
    "text_offset": [0, 6],
    "tokens": ["answer", "able"],
    "token_logprobs": [-0.1, None],
    "top_logprobs": [{"answer": -0.1, "un": -2.4}, None],
}


@dataclass
class ChatServer:
    """What the server does is chosen by the model's name in the request; ``bodies`` keeps what it was asked.

    ``cards`` are the models that it lists, ``listed`` times so far; where there are none it does not know the path.
    ``adapters`` are those that llama.cpp lists, in the same way.
    """

    url: str = ""
    bodies: list[dict[str, Any]] = field(default_factory=list)
    cards: list[dict[str, Any]] = field(default_factory=list)
    listed: int = 0
    adapters: list[dict[str, Any]] = field(default_factory=list)
    opened: list[OpenAIChatModel] = field(default_factory=list)

    def chat(self, model: str, *, api_key: str = "", **options: Any) -> OpenAIChatModel:
        """Open a chat model of this server, until ``forget``."""
        self.opened.append(OpenAIChatModel(self.url, api_key, model, **options))
        return self.opened[-1]

    async def forget(self) -> None:
        self.bodies, self.cards, self.adapters, self.listed = [], [], [], 0
        while self.opened:
            await self.opened.pop().close()

    def app(self) -> FastAPI:
        app = FastAPI()

        @app.get("/v1/models")
        async def models() -> Response:
            self.listed += 1
            if not self.cards:
                return refusal(404, "not found")
            return JSONResponse({"object": "list", "data": self.cards})

        @app.get("/lora-adapters")
        async def lora_adapters() -> Response:
            return JSONResponse(self.adapters) if self.adapters else refusal(404, "not found")

        @app.post("/v1/chat/completions")
        async def complete(request: Request) -> Response:
            body = await request.json()
            self.bodies.append(body)
            return await self.answer(body, request.headers.get("authorization", ""))

        @app.post("/v1/completions")
        async def complete_prompt(request: Request) -> Response:
            body = await request.json()
            self.bodies.append(body)
            return await self.answer_prompt(body, request.headers.get("authorization", ""))

        return app

    async def answer(self, body: dict[str, Any], authorization: str) -> Response:
        model = body["model"]
        if model in TOO_LONG:
            return JSONResponse({"error": TOO_LONG[model]}, status_code=400)
        if model in NO_COMPLETIONS:
            content, kind = NO_COMPLETIONS[model]
            return Response(content, media_type=kind)
        if model == "moved":
            return Response(status_code=307, headers={"location": "/v1/elsewhere"})
        schema = "response_format" in body
        field = next((field for field in ("max_tokens", "temperature", "stop") if field in body), "")
        for name, refused, status, message in (
            *((name, True, status, f"the model {name} says no") for name, status in STATUSES.items()),
            ("locked", authorization != "Bearer right", 401, "wrong key"),
            ("no-schema", schema, 400, "response_format is not supported"),
            ("one-schema", schema and "pattern" in json.dumps(body), 400, "this grammar cannot be compiled"),
            ("no-logprobs", "logprobs" in body, 500, "logprobs are not supported: logits_all is off"),
            ("plain", schema or "logprobs" in body, 422, "extra fields are not permitted"),
            ("thinker", field, 400, f"Unsupported parameter: '{field}'. Use 'max_completion_tokens', no '{field}'."),
            ("unreadable", not body.get("stream"), 500, UNREADABLE),
            ("once-broken", len(self.bodies) == 1, 500, "only this time"),
        ):
            if model == name and refused:
                return refusal(status, message)
        if model == "slow":
            await asyncio.sleep(5)
        text = "The program time is 700 µs."
        if body.get("stream"):
            return StreamingResponse(stream(model, text), media_type="text/event-stream")
        finish = "length" if model == "cut-short" else "stop"
        logprobs = LOGPROBS if body.get("logprobs") and model == "good" else None
        return completion(model, text, finish, logprobs=logprobs)

    async def answer_prompt(self, body: dict[str, Any], authorization: str) -> Response:
        model = body["model"]
        if model == "unknown":
            return refusal(404, f"The model `{model}` does not exist.")
        if model == "no-schema" and "response_format" in body:
            return refusal(400, "response_format is not supported")
        if model in TOO_LONG:
            return JSONResponse({"error": TOO_LONG[model]}, status_code=400)
        choice: dict[str, Any] = {"index": 0, "text": "answerable", "finish_reason": "stop", "logprobs": None}
        if body.get("stream"):
            return StreamingResponse(stream_prompt(model), media_type="text/event-stream")
        if body.get("logprobs"):
            # llama.cpp returns those of a prompt in the chat format.
            choice["logprobs"] = LOGPROBS if self.adapters else COMPLETED_LOGPROBS
        usage = {"prompt_tokens": 11, "completion_tokens": 2, "total_tokens": 13}
        return JSONResponse({**TEXT_HEAD, "model": model, "choices": [choice], "usage": usage})


async def stream_prompt(model: str) -> AsyncIterator[str]:
    for text, finish in (("answer", None), ("able", "stop")):
        choice = {"index": 0, "text": text, "finish_reason": finish, "logprobs": None}
        yield event({**TEXT_HEAD, "model": model, "choices": [choice]})
    yield "data: [DONE]\n\n"


async def stream(model: str, text: str) -> AsyncIterator[str]:
    errors = {"unreadable": UNREADABLE, "reports": "out of memory"}
    for word in text.split(" "):
        match model if word == "is" else "":
            case "breaks-off":
                raise ConnectionAbortedError("the test breaks the stream off")
            case "stops":
                return
            case "stalls":
                await asyncio.sleep(5)
            case "garbles":
                yield "data: {not json\n\n"
            case "unreadable" | "reports":
                yield event({"error": {"message": errors[model], "type": "server_error", "code": 500}})
        yield chunk(model, {"content": word + " "})
    yield chunk(model, {}, "stop")
    yield event({**CHUNK_HEAD, "model": model, "choices": [], "usage": None})
    yield "data: [DONE]\n\n"


def completion(model: str, text: str, finish: str = "stop", **more: Any) -> JSONResponse:
    """Return a whole reply; ``more`` are fields of its choice."""
    choice = {"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": finish, **more}
    usage = {"prompt_tokens": 11, "completion_tokens": 7, "total_tokens": 18}
    head = {"id": "1", "object": "chat.completion", "created": 1, "model": model}
    return JSONResponse({**head, "choices": [choice], "usage": usage})


def chunks(model: str, pieces: Iterable[str]) -> Iterator[str]:
    """Yield the events of a reply that comes in ``pieces``, to its end."""
    yield from (chunk(model, {"content": piece}) for piece in pieces)
    yield chunk(model, {}, "stop")
    yield "data: [DONE]\n\n"


def chunk(model: str, delta: dict[str, str], finish: str | None = None) -> str:
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    return event({**CHUNK_HEAD, "model": model, "choices": [choice]})


def event(content: dict[str, Any]) -> str:
    return f"data: {json.dumps(content)}\n\n"


def refusal(status: int, message: str) -> JSONResponse:
    return JSONResponse({"error": {"message": message, "type": "error", "code": status}}, status_code=status)


@contextmanager
def running_server() -> Iterator[ChatServer]:
    """Run the server in a thread on a free port of the loopback."""
    server = ChatServer()
    with serving(server.app()) as address:
        server.url = f"{address}/v1"
        yield server


@contextmanager
def serving(app: FastAPI) -> Iterator[str]:
    """Serve ``app`` in a thread on a free port of the loopback, and yield its address."""
    served = listening(app, lifespan="off", timeout_graceful_shutdown=0)
    with start_blocking_portal() as portal, portal.wrap_async_context_manager(served) as address:
        yield address


def free_port() -> int:
    """Return a port on which nothing listens."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return int(listener.getsockname()[1])
