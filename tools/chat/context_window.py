"""Fits requests into the model's context window by leaving out passages, starting with the last."""

import math
import re
from bisect import bisect_right
from collections.abc import Awaitable, Callable
from dataclasses import replace
from functools import lru_cache
from typing import TypeVar

from tools.chat.base import ChatModel, ChatRequest
from tools.chat.errors import ChatTooLong

RequestOf = Callable[[int], ChatRequest]

_Answered = TypeVar("_Answered")

# The tokens (role names and marks) that a chat template adds to each message, and to the whole prompt.
_TOKENS_A_MESSAGE = 8
_TOKENS_A_PROMPT = 16
# A shorter reply is not worth requesting.
_LEAST_REPLY_TOKENS = 64
# Byte-level tokenizers first split text approximately like this: into words, digits, runs of punctuation, spaces and
# line breaks.
_RUNS = re.compile(r"[A-Za-z]+|[0-9]+|[ \t]+|[\r\n]+|[^\x00-\x7f]+|[^A-Za-z0-9\s]|.", re.DOTALL)
_LETTERS_A_TOKEN = 4
_NAME_LETTERS_A_TOKEN = 2
_BYTES_A_TOKEN = 2


async def send_fitting(
    chat: ChatModel,
    request_of: RequestOf,
    passages: int,
    send: Callable[[ChatRequest], Awaitable[_Answered]],
    model: str = "",
) -> _Answered:
    """Return the result of ``send`` for ``request_of(n)``, where n passages fit into the model's context window.

    ``request_of(n)`` makes the request with the n best of ``passages``. If not even one fits, the reply gets the
    remaining tokens, but at least 64. If the size of the window is unknown, the request is not shortened. If the server
    reports that a request is too long, it is sent once more with half of the passages.

    Raises:
        ChatUnavailable: as in ``send``; ``ChatTooLong`` if the shorter request does not fit either.
        MalformedReply: as in ``send``.
    """
    window = await chat.window(model)
    number, request = _fitted(request_of, passages, window)
    try:
        return await send(request)
    except ChatTooLong:
        again = _shorter(request_of, number, request, window)
        if again is None:
            raise
    return await send(again)


def count_prompt(request: ChatRequest) -> int:
    """Return the number of tokens in the request's messages, including those that the chat template adds."""
    texts = [message.content for message in request.messages]
    count = sum(map(estimate_tokens, [request.prompt, *texts]))
    return count + _TOKENS_A_MESSAGE * len(texts) + _TOKENS_A_PROMPT


def _fitted(request_of: RequestOf, passages: int, window: int | None) -> tuple[int, ChatRequest]:
    """Return the number of passages that fit into ``window``, and the request with them."""

    def whole(number: int) -> int:
        request = request_of(number)
        return count_prompt(request) + request.max_tokens

    if not window or whole(passages) <= window:
        return passages, request_of(passages)
    number = max(bisect_right(range(1, passages), window, key=whole), min(1, passages))
    request = request_of(number)
    left = max(window - count_prompt(request), _LEAST_REPLY_TOKENS)
    return number, replace(request, max_tokens=min(left, request.max_tokens))


def _shorter(request_of: RequestOf, number: int, sent: ChatRequest, window: int | None) -> ChatRequest | None:
    """Return a shorter request than ``sent``, which has ``number`` passages; None if it cannot be shortened.

    Half of the passages are left out, because our token count was too low, or the size of the window is unknown.
    """
    if number > 1:
        return _fitted(request_of, number // 2, window)[1]
    if sent.max_tokens <= _LEAST_REPLY_TOKENS:
        return None
    return replace(sent, max_tokens=max(sent.max_tokens // 2, _LEAST_REPLY_TOKENS))


def estimate_tokens(text: str) -> int:
    """Estimate the number of tokens in ``text`` for a model whose tokenizer is not available.

    Words count as one token for every four letters (rounded up), or for every two if they have capitals. Each digit and
    mark counts as one token; non-ASCII letters count as one for every two bytes of UTF-8. Models with vocabularies of
    30,000 or more tokens need fewer for prose, tables and abbreviations.
    """
    return sum(map(_estimated, _RUNS.findall(text)))


# Most words in prompts occur repeatedly.
@lru_cache(maxsize=16_384)
def _estimated(run: str) -> int:
    if run.isascii():
        if run.isalpha():
            plain = run[1:].islower() or len(run) == 1
            return math.ceil(len(run) / (_LETTERS_A_TOKEN if plain else _NAME_LETTERS_A_TOKEN))
        if run.isspace():
            # The space before a word is part of the word's token.
            return 0 if run == " " else 1 + len(run) // 16
        return len(run)
    return math.ceil(len(run.encode("utf-8", "surrogatepass")) / _BYTES_A_TOKEN)
