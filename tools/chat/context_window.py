"""Requests that fit the model's window: passages are left out by rank, the last first."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from typing import TypeVar

from tools.chat.base import ChatModel, ChatRequest, ContextWindow
from tools.chat.errors import ChatTooLong

RequestOf = Callable[[int], ChatRequest]

_Answered = TypeVar("_Answered")

# What a chat template adds to each message, and to the whole: role names and marks.
_TOKENS_A_MESSAGE = 8
_TOKENS_A_PROMPT = 16
# A shorter reply is not worth asking for.
_LEAST_REPLY_TOKENS = 64
# The server's count of one prompt, taken to another one of the same kind.
_CAUTION = 1.05


@dataclass(frozen=True, slots=True, kw_only=True)
class _Fitted:
    """A request, how many passages are in it, and how many tokens its prompt takes; 0: not counted."""

    request: ChatRequest
    passages: int
    prompt_tokens: int


async def send_fitting(
    chat: ChatModel,
    request_of: RequestOf,
    passages: int,
    send: Callable[[ChatRequest], Awaitable[_Answered]],
    model: str = "",
) -> _Answered:
    """Return what ``send`` makes of ``request_of(n)``: n is how many of ``passages`` fit the model's window.

    ``request_of(n)`` makes the request with the n best passages. Where not even one fits, the limit of the reply is
    lowered to what is left, 64 tokens at least. Where the window is not known, the request is as long as it is. One
    that the server finds too long is sent once more, shorter.

    Raises:
        ChatUnavailable: as ``send`` does; ``ChatTooLong`` where the shorter one does not fit either.
        MalformedReply: as ``send`` does.
    """
    fitted = _fitted(request_of, passages, await chat.window(model))
    try:
        return await send(fitted.request)
    except ChatTooLong as error:
        again = _shorter(request_of, fitted, error, await chat.window(model))
    return await send(again.request)


def count_prompt(request: ChatRequest, window: ContextWindow) -> int:
    """Return how many tokens the request's messages take, with what the chat template adds to them."""
    if request.prompt:
        return window.counter.count(request.prompt) + _TOKENS_A_PROMPT
    texts = sum(window.counter.count(message.content) for message in request.messages)
    return texts + _TOKENS_A_MESSAGE * len(request.messages) + _TOKENS_A_PROMPT


def _most_tokens(request: ChatRequest) -> int:
    """Return more tokens than the request's prompt can take: no vocabulary has tokens of less than a byte."""
    texts = [request.prompt] if request.prompt else [message.content for message in request.messages]
    marks = _TOKENS_A_MESSAGE * len(texts) + _TOKENS_A_PROMPT
    return sum(len(text.encode("utf-8", "surrogatepass")) for text in texts) + marks


def _fitted(request_of: RequestOf, passages: int, window: ContextWindow, scale: float = 1.0) -> _Fitted:
    def counted(request: ChatRequest, number: int) -> _Fitted:
        return _Fitted(request=request, passages=number, prompt_tokens=int(scale * count_prompt(request, window)))

    def made(number: int) -> _Fitted:
        return counted(request_of(number), number)

    whole = request_of(passages)
    if not window.max_tokens or int(scale * _most_tokens(whole)) + whole.max_tokens <= window.max_tokens:
        # Usually there is room enough: counting the words of a long prompt takes a few milliseconds.
        return _Fitted(request=whole, passages=passages, prompt_tokens=0)
    best = counted(whole, passages)
    if best.prompt_tokens + best.request.max_tokens <= window.max_tokens:
        return best
    fits, too_many, best = min(1, passages), passages, made(min(1, passages))
    while too_many - fits > 1:
        middle = made((fits + too_many) // 2)
        if middle.prompt_tokens + middle.request.max_tokens <= window.max_tokens:
            fits, best = middle.passages, middle
        else:
            too_many = middle.passages
    left = max(window.max_tokens - best.prompt_tokens, _LEAST_REPLY_TOKENS)
    if left < best.request.max_tokens:
        best = replace(best, request=replace(best.request, max_tokens=left))
    return best


def _shorter(request_of: RequestOf, sent: _Fitted, error: ChatTooLong, window: ContextWindow) -> _Fitted:
    """Return a shorter request than the one that was refused.

    Raises:
        ChatTooLong: ``error``; there is nothing to leave out.
    """
    window = replace(window, max_tokens=error.max_tokens or window.max_tokens)
    counted = count_prompt(sent.request, window)
    scale = max(1.0, _CAUTION * error.prompt_tokens / counted) if error.prompt_tokens else 1.0
    again = _fitted(request_of, sent.passages, window, scale)
    if again.request == sent.request:
        # The numbers do not say why: half of it.
        if sent.passages > 1:
            again = _fitted(request_of, sent.passages // 2, window, scale)
        elif sent.request.max_tokens > _LEAST_REPLY_TOKENS:
            half = max(sent.request.max_tokens // 2, _LEAST_REPLY_TOKENS)
            again = replace(sent, request=replace(sent.request, max_tokens=half))
        else:
            raise error
    return again
