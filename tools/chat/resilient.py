"""A chat model with a time limit, one retry, and a circuit breaker."""

import asyncio
import time
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterator
from contextlib import aclosing, contextmanager

from contracts.errors import ChatUnavailable, GoldenError, MalformedReply
from tools.chat.base import ChatModel, ChatReply, ChatRequest, ContextWindow
from tools.chat.refusal import ChatRefused


class ResilientChatModel:
    """Asks ``inner``, bounded in time, and spares a dead server's time-out to the questions that follow.

    A whole reply, both tries together, takes at most ``timeout_s``; a stream's first piece, and each next one, too, and
    a whole stream at most ``stream_timeout_s``. A stream is tried again only while nothing of it has been given out.
    After ``failures`` calls in a row that found the server unavailable nothing is sent for ``cool_down_s``; then one
    call tries, and opens the way for the others or shuts it again. ``clock`` counts seconds.

    Source: Nygard 2007, "Release It!", the circuit breaker.
    """

    def __init__(
        self,
        inner: ChatModel,
        *,
        timeout_s: float = 60.0,
        stream_timeout_s: float = 300.0,
        failures: int = 2,
        cool_down_s: float = 30.0,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._inner = inner
        self._timeout_s = timeout_s
        self._stream_timeout_s = stream_timeout_s
        self._most_failures = failures
        self._cool_down_s = cool_down_s
        self._clock = clock
        self._failures = 0
        self._shut_until = 0.0
        self._trying = False
        self._last_reason = ""

    @property
    def model(self) -> str:
        """The default model's name."""
        return self._inner.model

    @property
    def available(self) -> bool:
        """Whether a call would be sent now."""
        return self._failures < self._most_failures or (self._clock() >= self._shut_until and not self._trying)

    async def complete(self, request: ChatRequest) -> ChatReply:
        """Return the whole reply.

        Raises:
            ChatUnavailable: no answer in time, the server refused twice, or it is not asked just now.
            MalformedReply: both answers are no chat completion.
        """
        with self._counted():
            try:
                async with asyncio.timeout(self._timeout_s):
                    try:
                        return await self._inner.complete(request)
                    except ChatRefused:
                        raise
                    except (ChatUnavailable, MalformedReply):
                        return await self._inner.complete(request)
            except TimeoutError as error:
                raise self._too_late(self._timeout_s) from error

    async def stream(self, request: ChatRequest) -> AsyncIterator[str]:
        """Yield the reply's text as it comes. Raises as ``complete`` does, before the first piece or between two."""
        with self._counted():
            given = False
            deadline = asyncio.get_running_loop().time() + self._stream_timeout_s
            for last in (False, True):
                try:
                    async for piece in self._pieces(request, deadline):
                        given = True
                        yield piece
                    return
                except (ChatUnavailable, MalformedReply) as error:
                    if given or last or isinstance(error, ChatRefused):
                        raise

    async def window(self, model: str = "") -> ContextWindow:
        """Return how long a request may be."""
        return await self._inner.window(model)

    async def check(self) -> None:
        """Ask whether the server is there."""
        await self._inner.check()

    async def close(self) -> None:
        """Close the connections."""
        await self._inner.close()

    async def _pieces(self, request: ChatRequest, deadline: float) -> AsyncIterator[str]:
        loop = asyncio.get_running_loop()
        async with aclosing(_generator(self._inner.stream(request))) as pieces:
            while True:
                limit = min(loop.time() + self._timeout_s, deadline)
                try:
                    async with asyncio.timeout_at(limit):
                        piece = await anext(pieces)
                except StopAsyncIteration:
                    return
                except TimeoutError as error:
                    raise self._too_late(self._stream_timeout_s if limit == deadline else self._timeout_s) from error
                yield piece

    @contextmanager
    def _counted(self) -> Iterator[None]:
        if not self.available:
            wait = max(0.0, self._shut_until - self._clock())
            raise ChatUnavailable(
                f"The chat server was unavailable {self._failures} times in a row and is not asked for another "
                f"{wait:.0f} s. Last: {self._last_reason}"
            )
        tries_the_way = self._failures >= self._most_failures
        self._trying = self._trying or tries_the_way
        try:
            yield
        except ChatRefused:
            self._failures = 0
            raise
        except ChatUnavailable as error:
            self._failures += 1
            self._last_reason = str(error)
            if self._failures >= self._most_failures:
                self._shut_until = self._clock() + self._cool_down_s
            raise
        except GoldenError:
            # It answers, if badly.
            self._failures = 0
            raise
        else:
            self._failures = 0
        finally:
            if tries_the_way:
                self._trying = False

    def _too_late(self, limit_s: float) -> ChatUnavailable:
        return ChatUnavailable(f"The chat server did not answer within {limit_s:g} s.")


async def _generator(pieces: AsyncIterator[str]) -> AsyncGenerator[str, None]:
    async for piece in pieces:
        yield piece
