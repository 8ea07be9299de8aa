"""A chat model over weights in this process."""

import asyncio
import threading
from collections.abc import AsyncGenerator, Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import aclosing
from dataclasses import replace
from pathlib import Path

from contracts.errors import ChatUnavailable
from golden_lab.local_chat.pieces import WrittenPiece
from golden_lab.local_chat.weights import LocalWeights
from golden_lab.local_chat.writing import prompt_ids, write
from tools.chat.base import ChatReply, ChatRequest, ContextWindow
from tools.chat.refusal import ChatWithout


class LocalChat:
    """Completes chats with a language model of transformers in this process, and with PEFT's adapters on it by name.

    A request's ``model`` picks the adapter; "" and the base model's own name ask it without any. One reply is written
    at a time, in a thread of its own; the others wait in their order. A call that is cancelled, or a stream that is
    closed, stops the writing at the next token. A reply is not held to a ``json_schema``: it is passed over, as
    servers without schemas do. For trying adapters out, and for tests: a server such as vLLM answers many at once.
    """

    def __init__(self, weights: LocalWeights) -> None:
        self._weights = weights
        self._thread: ThreadPoolExecutor | None = None
        self._under_way: set[threading.Event] = set()

    @classmethod
    def load(
        cls,
        base: str,
        adapters: Mapping[str, Path] | None = None,
        *,
        name: str = "",
        revision: str = "main",
        device: str = "",
        dtype: str = "auto",
    ) -> "LocalChat":
        """Load what ``LocalWeights.load`` loads; blocking.

        Raises:
            ConfigurationError: torch, transformers or peft is not installed, or something cannot be loaded.
        """
        return cls(LocalWeights.load(base, adapters, name=name, revision=revision, device=device, dtype=dtype))

    @property
    def model(self) -> str:
        """The base model's name."""
        return self._weights.name

    @property
    def models(self) -> tuple[str, ...]:
        """What may be asked for: the base model, then the adapters."""
        return self._weights.names

    async def complete(self, request: ChatRequest) -> ChatReply:
        """Return the whole reply.

        Raises:
            ChatUnavailable: there is no such adapter, the request is too long, or the memory does not suffice.
        """
        async with aclosing(self.pieces(request)) as written:
            pieces = [piece async for piece in written]
        last = pieces[-1]
        tokens = tuple(token for piece in pieces for token in piece.tokens)
        return ChatReply(
            text="".join(piece.text for piece in pieces),
            model=request.model or self.model,
            prompt_tokens=last.prompt_tokens,
            completion_tokens=last.completion_tokens,
            tokens=tokens if request.top_logprobs else None,
            finish_reason=last.finish_reason,
        )

    async def stream(self, request: ChatRequest) -> AsyncGenerator[str, None]:
        """Yield the reply's text token by token. Raises as ``complete`` does, before the first piece or between two."""
        async with aclosing(self.pieces(request)) as written:
            async for piece in written:
                if piece.text:
                    yield piece.text

    async def pieces(self, request: ChatRequest) -> AsyncGenerator[WrittenPiece, None]:
        """Yield the reply token by token, with all that is known of it. Raises as ``complete`` does."""
        asked = replace(request, model=self._known(request.model))
        loop = asyncio.get_running_loop()
        queue: asyncio.Queue[WrittenPiece | Exception | None] = asyncio.Queue()
        stopped = threading.Event()

        def tell(item: WrittenPiece | Exception | None) -> None:
            try:
                loop.call_soon_threadsafe(queue.put_nowait, item)
            except RuntimeError:
                # The loop was closed with the call in it: nobody listens.
                stopped.set()

        self._under_way.add(stopped)
        job = self._executor().submit(self._work, asked, stopped, tell)
        try:
            while (item := await queue.get()) is not None:
                if isinstance(item, Exception):
                    raise item
                yield item
        finally:
            stopped.set()
            job.cancel()
            self._under_way.discard(stopped)

    async def window(self, model: str = "") -> ContextWindow:
        """Return the base model's length, which its adapters share, and its own tokenizer as the counter."""
        return ContextWindow(max_tokens=self._weights.window or None, counter=self._weights)

    async def check(self) -> None:
        """Do nothing: what is loaded is there."""

    async def close(self) -> None:
        """Stop what is being written and end the thread; a later call starts another. The weights stay."""
        thread, self._thread = self._thread, None
        for stopped in tuple(self._under_way):
            stopped.set()
        if thread is not None:
            # Those that wait are let through: each sees that it was stopped, and says so.
            await asyncio.to_thread(thread.shutdown)

    def _work(
        self, request: ChatRequest, stopped: threading.Event, tell: Callable[[WrittenPiece | Exception | None], None]
    ) -> None:
        try:
            if not stopped.is_set():
                ids = prompt_ids(self._weights, request)
                for piece in write(self._weights, request, ids, stopped.is_set):
                    tell(piece)
            tell(ChatUnavailable(f"{self.model} was closed before its answer was whole.") if stopped.is_set() else None)
        except RuntimeError as error:
            # What torch says of a device without memory, and of what it cannot compute.
            tell(ChatUnavailable(f"{self.model} broke off: {error}"))
        except Exception as error:
            tell(error)

    def _known(self, model: str) -> str:
        if model and model not in self.models:
            raise ChatWithout(f"There is no model {model!r} here; there are: {', '.join(self.models)}.")
        return model or self.model

    def _executor(self) -> ThreadPoolExecutor:
        # One thread: PEFT has one adapter active at a time.
        self._thread = self._thread or ThreadPoolExecutor(max_workers=1, thread_name_prefix="local-chat")
        return self._thread
