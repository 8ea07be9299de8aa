"""How fast a chat server reads prompts and writes replies."""

import secrets
import time
from contextlib import aclosing, suppress
from dataclasses import dataclass

from tools.chat.base import ChatMessage, ChatModel, ChatRequest
from tools.chat.context_window import estimate_tokens
from tools.chat.reply_limits import TruncatedReply

# This many lines also fit into a window of 1,024 tokens.
_FEW_LINES, _MANY_LINES = 6, 40
_QUICK_S = 1.0
_WRITTEN_TOKENS = 16


@dataclass(frozen=True, slots=True, kw_only=True)
class Speed:
    """Tokens per second: how fast prompts are read and replies are written."""

    read_per_s: float
    written_per_s: float

    def __str__(self) -> str:
        return f"reads {_rounded(self.read_per_s)} tokens/s, writes {_rounded(self.written_per_s)} tokens/s"

    def seconds(self, read: int, written: int) -> float:
        """Return how many seconds this many tokens of prompts and replies take, one call after the other."""
        return read / self.read_per_s + written / self.written_per_s


async def measure_speed(chat: ChatModel) -> Speed:
    """Measure with one request that is mostly prompt and one that is mostly reply; no document text is sent.

    Raises:
        ChatUnavailable: the server does not answer.
        MalformedReply: its answer is not a chat completion.
    """
    tokens, read_s = await _read(chat, _FEW_LINES)
    if read_s < _QUICK_S:
        # Most of such a short time is network latency.
        tokens, read_s = await _read(chat, _MANY_LINES)
    times, written = [], ""
    stream = chat.stream(_asked("Count from one to fifty, in digits.", _WRITTEN_TOKENS))
    # The reply is cut off on purpose.
    with suppress(TruncatedReply):
        async with aclosing(stream) as pieces:
            async for piece in pieces:
                times.append(time.monotonic())
                written += piece
    # A piece is a token on most servers. The first one waits for the prompt, so it is not counted.
    more = max(len(times), estimate_tokens(written)) - 1
    writing_s = times[-1] - times[0] if len(times) > 1 else 0.0
    written_per_s = more / writing_s if writing_s > 0 else 1 / read_s
    reading_s = max(read_s - 1 / written_per_s, read_s / 10)
    return Speed(read_per_s=tokens / reading_s, written_per_s=written_per_s)


async def _read(chat: ChatModel, lines: int) -> tuple[int, float]:
    # Each prompt begins with a different number, so the server cannot use its cache.
    papers = [f"There are {line} pieces of blue paper on the table by the window." for line in range(lines)]
    text = "\n".join([secrets.token_hex(4), *papers, "How many are there?"])
    begun = time.monotonic()
    reply = await chat.complete(_asked(text, 1))
    return reply.prompt_tokens or estimate_tokens(text), time.monotonic() - begun


def _asked(text: str, tokens: int) -> ChatRequest:
    return ChatRequest(messages=(ChatMessage(role="user", content=text),), max_tokens=tokens)


def _rounded(value: float) -> str:
    return f"{value:.0f}" if value >= 10 else f"{value:.1f}"
