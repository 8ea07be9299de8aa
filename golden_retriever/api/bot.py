"""The bot for synchronous programs and notebooks: the asynchronous bot on an event loop in its own thread."""

import threading
import weakref
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterator
from concurrent.futures import Future
from contextlib import ExitStack, aclosing
from functools import cache, wraps
from os import PathLike
from queue import SimpleQueue
from types import TracebackType
from typing import Any, Concatenate, ParamSpec, Self, TypeVar

from anyio.from_thread import start_blocking_portal

from contracts.answer import AnswerEvent
from golden_retriever.api.async_bot import AsyncGoldenRetriever
from golden_retriever.api.jargon import Jargon

_Parameters = ParamSpec("_Parameters")
_Result = TypeVar("_Result")


def _blocking(
    method: Callable[Concatenate[AsyncGoldenRetriever, _Parameters], Awaitable[_Result]],
) -> Callable[Concatenate["GoldenRetriever", _Parameters], _Result]:
    @wraps(method)
    def call(self: "GoldenRetriever", /, *args: _Parameters.args, **named: _Parameters.kwargs) -> _Result:
        return self._thread.run(lambda: method(self._bot, *args, **named))

    return call


def _iterating(
    method: Callable[Concatenate[AsyncGoldenRetriever, _Parameters], AsyncGenerator[AnswerEvent, None]],
) -> Callable[Concatenate["GoldenRetriever", _Parameters], Iterator[AnswerEvent]]:
    @wraps(method)
    def iterate(
        self: "GoldenRetriever", /, *args: _Parameters.args, **named: _Parameters.kwargs
    ) -> Iterator[AnswerEvent]:
        events = method(self._bot, *args, **named)
        heard: SimpleQueue[AnswerEvent | None] = SimpleQueue()

        async def hear() -> None:
            try:
                async with aclosing(events):
                    async for event in events:
                        heard.put(event)
            finally:
                heard.put(None)

        hearing = self._thread.start(hear)
        try:
            while (event := heard.get()) is not None:
                yield event
            hearing.result()
        finally:
            hearing.cancel()

    return iterate


class GoldenRetriever:
    """A bot on the data folder ``folder``, which is created if it is missing; the bot stays open until it is closed.

    ``settings`` are keyword arguments with the names of the program's settings (``top_k=6``); they override the
    environment (``GOLDEN_TOP_K``) and ``golden.toml``. It can be used next to a running event loop and from several
    threads. ``close`` closes it, as does the end of a ``with`` block, garbage collection, or the end of the program.

    Raises:
        ConfigurationError: a setting is wrong (the message names it) or does not fit this machine.
        Unavailable: the database does not answer.
    """

    def __init__(self, folder: str | PathLike[str], **settings: Any) -> None:
        self._bot = AsyncGoldenRetriever(folder, **settings)
        self._thread = _BotThread(self._bot)
        self._closer = weakref.finalize(self, self._thread.close)
        # _close_all closes the bot when the program ends; a weakref finalizer would run too late then.
        self._closer.atexit = False

    @staticmethod
    def open(folder: str | PathLike[str], **settings: Any) -> AsyncGoldenRetriever:
        """Return the asynchronous bot on ``folder``, to be opened with ``async with``."""
        return AsyncGoldenRetriever(folder, **settings)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the bot; a second call does nothing."""
        self._closer()

    @property
    def jargon(self) -> Jargon:
        """The dictionary."""
        return self._bot.jargon.blocking

    ingest = _blocking(AsyncGoldenRetriever.ingest)
    ask = _blocking(AsyncGoldenRetriever.ask)
    search = _blocking(AsyncGoldenRetriever.search)

    stream = _iterating(AsyncGoldenRetriever.stream)


class _BotThread:
    """A thread with an event loop on which a bot is open until ``close``."""

    def __init__(self, bot: AsyncGoldenRetriever) -> None:
        self._closing = threading.Lock()
        with ExitStack() as parts:
            self._portal = parts.enter_context(start_blocking_portal())
            self._thread_id = self._portal.call(threading.get_ident)
            parts.enter_context(self._portal.wrap_async_context_manager(bot))
            self._parts = parts.pop_all()
        _OPEN.add(self)
        _close_all_at_the_end()

    def start(self, work: Callable[[], Awaitable[_Result]]) -> Future[_Result]:
        if self not in _OPEN:
            raise RuntimeError("This GoldenRetriever is closed.")
        return self._portal.start_task_soon(work)

    def run(self, work: Callable[[], Awaitable[_Result]]) -> _Result:
        """Run ``work`` on the loop and return its result; an interrupt in this thread, such as Ctrl+C, cancels it."""
        future = self.start(work)
        try:
            return future.result()
        except BaseException:
            future.cancel()
            raise

    def close(self) -> None:
        """Close the bot and end the thread; a second call does nothing."""
        if threading.get_ident() == self._thread_id:
            # The garbage collector may run on the loop, which cannot wait for itself.
            threading.Thread(target=self.close).start()
            return
        with self._closing:
            _OPEN.discard(self)
            self._parts.close()


_OPEN: set[_BotThread] = set()


@cache
def _close_all_at_the_end() -> None:
    # Closing needs thread pools, and these no longer accept work when atexit functions run. concurrent.futures ends its
    # threads with the same call.
    threading._register_atexit(_close_all)  # type: ignore[attr-defined]


def _close_all() -> None:
    for each in list(_OPEN):
        each.close()
