"""A chat model whose replies are written beforehand."""

import re
from collections.abc import AsyncGenerator, Callable, Sequence

from contracts.errors import ChatUnavailable, GoldenError
from tools.chat.base import ChatReply, ChatRequest

Written = str | ChatReply
Script = Sequence[Written | GoldenError] | Callable[[ChatRequest], Written]


class ScriptedChatModel:
    """Replies from a list, in order (an error in it is raised), or from a function of the request.

    A ``ChatReply`` is given as it is, with its log-probabilities; a text becomes a reply without them. ``requests``
    keeps what was asked, in order. ``max_context_tokens`` is the window that it reports; it does not enforce it.
    """

    def __init__(self, replies: Script, *, model: str = "scripted", max_context_tokens: int | None = None) -> None:
        self._replies = replies
        self._model = model
        self._max_context_tokens = max_context_tokens
        self._next = 0
        self.requests: list[ChatRequest] = []

    @property
    def model(self) -> str:
        return self._model

    async def complete(self, request: ChatRequest) -> ChatReply:
        text = self._reply(request)
        if isinstance(text, ChatReply):
            return text
        asked = sum(len(text.split()) for text in (request.prompt, *(each.content for each in request.messages)))
        return ChatReply(
            text=text,
            model=request.model or self._model,
            prompt_tokens=asked,
            completion_tokens=len(text.split()),
            finish_reason="stop",
        )

    async def stream(self, request: ChatRequest) -> AsyncGenerator[str, None]:
        reply = self._reply(request)
        for piece in re.findall(r"\S+\s*|\s+", reply.text if isinstance(reply, ChatReply) else reply):
            yield piece

    async def window(self, model: str = "") -> int | None:
        return self._max_context_tokens

    async def check(self) -> None:
        """Do nothing: a script is always there."""

    async def close(self) -> None:
        """Do nothing: there is no connection."""

    def _reply(self, request: ChatRequest) -> Written:
        self.requests.append(request)
        if callable(self._replies):
            return self._replies(request)
        if self._next >= len(self._replies):
            raise ChatUnavailable(f"There are {len(self._replies)} replies; request {len(self.requests)} has none.")
        reply = self._replies[self._next]
        self._next += 1
        if isinstance(reply, GoldenError):
            raise reply
        return reply
