"""The web application around language models of this process: models, chats, completed prompts."""

import asyncio
import hmac
import time
import uuid
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing
from typing import Any, Protocol

from fastapi import Depends, FastAPI, Request
from fastapi.responses import JSONResponse, Response, StreamingResponse

from contracts.errors import GoldenError, NotFound
from golden_lab.local_chat.pieces import WrittenPiece
from golden_lab.model_server.reply_wire import ReplyForm
from golden_lab.model_server.request_wire import ModelChatRequest, ModelTextRequest
from serving.access import LoopbackGuard, Unauthenticated, refuse_other_pages
from serving.doorway import knock_of
from serving.problems import install_problems, problem_of, request_id_of, respond
from serving.requests import MAX_BODY_BYTES, BoundedBodies, RequestIds
from serving.streaming import DONE, event_of
from serving.wire import Problem, ProblemBody
from tools.chat.base import ChatRequest, ContextWindow
from tools.chat.refusal import ChatRefused, ChatTooLong, ChatWithout

_DISCONNECT_POLL_S = 0.2


class LanguageModels(Protocol):
    """Language models that share their weights; ``models`` are their names, the base model's first."""

    @property
    def models(self) -> tuple[str, ...]:
        """What may be asked for."""
        ...

    def pieces(self, request: ChatRequest) -> AsyncGenerator[WrittenPiece, None]:
        """Yield the reply token by token.

        Raises:
            ChatUnavailable: or the kind of it that fits.
        """
        ...

    async def window(self, model: str = "") -> ContextWindow:
        """Return how long a request may be."""
        ...


def create_model_app(models: LanguageModels, *, key: str = "", loopback: bool = True) -> FastAPI:
    """Return the application.

    With ``key`` every request must bring it. With ``loopback`` it must ask for this server by a name of this machine;
    other web pages in a browser may send nothing in any case.
    """
    app = FastAPI(title="Golden Retriever: language models", docs_url=None, redoc_url=None)
    started = int(time.time())
    allowed = [Depends(_door(key, loopback=loopback))]

    async def card(name: str) -> dict[str, Any]:
        base = models.models[0]
        told: dict[str, Any] = {"id": name, "object": "model", "created": started, "owned_by": "golden-retriever"}
        window = (await models.window(name)).max_tokens
        return {**told, "root": base, "parent": None if name == base else base, "max_model_len": window}

    @app.get("/health")
    async def health() -> Response:
        return Response(status_code=200)

    @app.get("/v1/models", dependencies=allowed)
    async def listed() -> dict[str, Any]:
        return {"object": "list", "data": [await card(name) for name in models.models]}

    @app.get("/v1/models/{name:path}", dependencies=allowed)
    async def one(name: str) -> dict[str, Any]:
        if name not in models.models:
            raise NotFound(f"There is no model {name!r} here; there are: {', '.join(models.models)}.")
        return await card(name)

    @app.post("/v1/chat/completions", dependencies=allowed)
    async def chat(body: ModelChatRequest, request: Request) -> Response:
        return await _answer(models, body, request, measured=bool(body.logprobs))

    @app.post("/v1/completions", dependencies=allowed)
    async def complete(body: ModelTextRequest, request: Request) -> Response:
        return await _answer(models, body, request, measured=body.logprobs is not None)

    install_problems(app)
    app.add_exception_handler(ChatRefused, _on_refusal)
    app.add_exception_handler(ChatWithout, _on_refusal)
    app.add_middleware(BoundedBodies, bounds={"/": MAX_BODY_BYTES})
    app.add_middleware(RequestIds)
    return app


def _door(key: str, *, loopback: bool) -> Any:
    guard = LoopbackGuard()

    async def enter(request: Request) -> None:
        knock = knock_of(request)
        if loopback:
            await guard.admit(knock, "ask")
        else:
            refuse_other_pages(knock)
        brought = request.headers.get("authorization", "").removeprefix("Bearer ").strip()
        if key and not hmac.compare_digest(brought.encode(), key.encode()):
            raise Unauthenticated("This server asks for a key: send it as Authorization: Bearer KEY.")

    return enter


async def _answer(
    models: LanguageModels, body: ModelChatRequest | ModelTextRequest, request: Request, *, measured: bool
) -> Response:
    body.refuse_the_undone()
    as_chat = isinstance(body, ModelChatRequest)
    form = ReplyForm(
        f"{'chatcmpl' if as_chat else 'cmpl'}-{uuid.uuid4().hex}",
        int(time.time()),
        body.model or models.models[0],
        as_chat=as_chat,
        measured=measured,
        options=body.options,
    )
    pieces = models.pieces(body.as_chat())
    if not body.stream:
        return await _whole(pieces, form, request)
    # What is wrong with the request shows before the first piece, while the status can still say so.
    first = await anext(pieces)
    chunks = _chunks(first, pieces, form, request_id_of(request), with_usage=body.with_usage)
    return StreamingResponse(chunks, media_type="text/event-stream", headers={"cache-control": "no-store"})


async def _whole(pieces: AsyncGenerator[WrittenPiece, None], form: ReplyForm, request: Request) -> Response:
    async def gather() -> list[WrittenPiece]:
        async with aclosing(pieces):
            return [piece async for piece in pieces]

    work = asyncio.create_task(gather())
    try:
        while not (await asyncio.wait({work}, timeout=_DISCONNECT_POLL_S))[0]:
            if await request.is_disconnected():
                return Response(status_code=499)
        return JSONResponse(form.whole(work.result()))
    finally:
        work.cancel()
        await asyncio.wait({work})


async def _chunks(
    first: WrittenPiece,
    pieces: AsyncGenerator[WrittenPiece, None],
    form: ReplyForm,
    request_id: str,
    *,
    with_usage: bool,
) -> AsyncIterator[str]:
    last = first
    async with aclosing(pieces):
        yield event_of(form.chunk(first, first=True))
        try:
            async for piece in pieces:
                last = piece
                if piece.text or piece.tokens or piece.finish_reason:
                    yield event_of(form.chunk(piece))
        except GoldenError as error:
            yield event_of(ProblemBody(error=_told(error, request_id)[1]).model_dump())
            return
    if with_usage:
        yield event_of(form.usage(last))
    yield DONE


async def _on_refusal(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, GoldenError)
    return respond(*_told(error, request_id_of(request)))


def _told(error: GoldenError, request_id: str) -> tuple[int, Problem]:
    """Return status and problem in the words that OpenAI's clients know."""
    if isinstance(error, ChatWithout):
        return 404, Problem(message=str(error), type="invalid_request_error", param="model", code="model_not_found")
    if isinstance(error, ChatRefused):
        code = "context_length_exceeded" if isinstance(error, ChatTooLong) else "invalid_value"
        return 400, Problem(message=str(error), type="invalid_request_error", code=code)
    return problem_of(error, request_id)
