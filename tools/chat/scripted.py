"""A chat model whose replies are written beforehand: for tests, and for trying the bot without a server."""

import re
from collections.abc import AsyncIterator, Callable, Sequence

from contracts.errors import ChatUnavailable, GoldenError
from tools.chat.base import ChatReply, ChatRequest

Script = Sequence[str | GoldenError] | Callable[[ChatRequest], str]


class ScriptedChatModel:
    """Replies from a list, one after the other (an error in it is raised), or from a function of the request.

    ``requests`` keeps what was asked, in order.
    """

    def __init__(self, replies: Script, *, model: str = "scripted") -> None:
        self._replies = replies
        self._model = model
        self._next = 0
        self.requests: list[ChatRequest] = []

    @property
    def model(self) -> str:
        """The default model's name."""
        return self._model

    async def complete(self, request: ChatRequest) -> ChatReply:
        """Return the next reply; token counts are words.

        Raises:
            ChatUnavailable: the list has no more replies.
            GoldenError: the list has this error next.
        """
        text = self._reply(request)
        asked = sum(len(message.content.split()) for message in request.messages)
        return ChatReply(
            text=text, model=request.model or self._model, prompt_tokens=asked, completion_tokens=len(text.split())
        )

    async def stream(self, request: ChatRequest) -> AsyncIterator[str]:
        """Yield the next reply word by word. Raises as ``complete`` does, before the first."""
        for piece in re.findall(r"\S+\s*|\s+", self._reply(request)):
            yield piece

    def _reply(self, request: ChatRequest) -> str:
        self.requests.append(request)
        if callable(self._replies):
            return self._replies(request)
        if self._next >= len(self._replies):
            raise ChatUnavailable(
                f"The script has {len(self._replies)} replies; request {len(self.requests)} has none."
            )
        reply = self._replies[self._next]
        self._next += 1
        if isinstance(reply, GoldenError):
            raise reply
        return reply
