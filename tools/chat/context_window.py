"""Requests that fit the model's window: passages are left out by rank, the last first."""

from bisect import bisect_right
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import TypeVar

from tools.chat.base import ChatModel, ChatRequest
from tools.chat.errors import ChatTooLong
from tools.chat.tokens import estimate_tokens

RequestOf = Callable[[int], ChatRequest]

_Answered = TypeVar("_Answered")

# What a chat template adds to each message, and to the whole: role names and marks.
_TOKENS_A_MESSAGE = 8
_TOKENS_A_PROMPT = 16
# A shorter reply is not worth asking for.
_LEAST_REPLY_TOKENS = 64
# The server's count of one prompt, taken to another one of the same kind.
_CAUTION = 1.05


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
    number, request = _fitted(request_of, passages, await chat.window(model))
    try:
        return await send(request)
    except ChatTooLong as error:
        again = _shorter(request_of, number, request, error, await chat.window(model))
    return await send(again)


def count_prompt(request: ChatRequest) -> int:
    """Return how many tokens the request's messages take, with what the chat template adds to them."""
    texts = [message.content for message in request.messages]
    count = sum(map(estimate_tokens, [request.prompt, *texts]))
    return count + _TOKENS_A_MESSAGE * len(texts) + _TOKENS_A_PROMPT


def _fitted(request_of: RequestOf, passages: int, window: int | None, scale: float = 1.0) -> tuple[int, ChatRequest]:
    """Return how many passages fit ``window``, and the request with them; ``scale`` corrects our count of tokens."""

    def prompt_tokens(request: ChatRequest) -> int:
        return int(scale * count_prompt(request))

    def whole(number: int) -> int:
        request = request_of(number)
        return prompt_tokens(request) + request.max_tokens

    if not window or whole(passages) <= window:
        return passages, request_of(passages)
    number = max(bisect_right(range(1, passages), window, key=whole), min(1, passages))
    request = request_of(number)
    left = max(window - prompt_tokens(request), _LEAST_REPLY_TOKENS)
    return number, replace(request, max_tokens=min(left, request.max_tokens))


def _shorter(
    request_of: RequestOf, number: int, sent: ChatRequest, error: ChatTooLong, window: int | None
) -> ChatRequest:
    """Return a shorter request than ``sent``, which has ``number`` passages and was refused.

    Raises:
        ChatTooLong: ``error``; there is nothing to leave out.
    """
    window = error.max_tokens or window
    scale = max(1.0, _CAUTION * error.prompt_tokens / count_prompt(sent)) if error.prompt_tokens else 1.0
    _, again = _fitted(request_of, number, window, scale)
    if again != sent:
        return again
    # The numbers do not say why: half of it.
    if number > 1:
        return _fitted(request_of, number // 2, window, scale)[1]
    if sent.max_tokens <= _LEAST_REPLY_TOKENS:
        raise error
    return replace(sent, max_tokens=max(sent.max_tokens // 2, _LEAST_REPLY_TOKENS))
