"""A chat model that keeps what it is asked, and replies what should be replied."""

from collections.abc import AsyncGenerator, Callable

from contracts.errors import InvalidInput
from tools.chat.base import ChatReply, ChatRequest, ContextWindow
from tools.chat.tokens import EstimatingTokenCounter


class CapturingChatModel:
    """Replies ``reply(request)``, and keeps the one request that was made; ``request`` is None before that.

    Its window has no end, so that no passage is left out: what is too long for a model is left out whole, by training.
    Being asked the same again is fine; a second prompt is refused, since a case says what is right for one.
    """

    def __init__(self, reply: Callable[[ChatRequest], str]) -> None:
        self._reply = reply
        self.request: ChatRequest | None = None
        self.completion = ""

    @property
    def model(self) -> str:
        """The default model's name."""
        return "captured"

    async def complete(self, request: ChatRequest) -> ChatReply:
        """Return the right reply.

        Raises:
            InvalidInput: it is another prompt than before.
        """
        return ChatReply(text=self._replied(request), model=self.model, finish_reason="stop")

    async def stream(self, request: ChatRequest) -> AsyncGenerator[str, None]:
        """Yield the right reply as one piece. Raises as ``complete`` does."""
        yield self._replied(request)

    async def window(self, model: str = "") -> ContextWindow:
        """Return a window without an end."""
        return ContextWindow(max_tokens=None, counter=EstimatingTokenCounter())

    async def check(self) -> None:
        """Do nothing: it is always there."""

    async def close(self) -> None:
        """Do nothing: there is no connection."""

    def _replied(self, request: ChatRequest) -> str:
        if self.request is None:
            self.request, self.completion = request, self._reply(request)
        elif (request.prompt, request.messages) != (self.request.prompt, self.request.messages):
            first = len(self.request.messages)
            if first and request.messages[:first] == self.request.messages:
                complaint = request.messages[-1].content.split("Answer again")[0].strip()
                raise InvalidInput(f"the reply that should be right is sent back: {complaint}", field="case")
            raise InvalidInput("it takes several requests; make a case of each of its parts", field="case")
        return self.completion
