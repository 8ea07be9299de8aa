"""Chat models on any server with OpenAI's protocol, such as vLLM, llama.cpp, Ollama and OpenAI.

The client takes a second to load, which the time limits of calls do not include: import this module only when needed.
"""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, cast

import httpx2
import openai.resources.chat.chat
import openai.resources.chat.completions.completions
import openai.resources.completions
import openai.resources.models  # noqa: F401  the first call would load them, within its time
from openai import APIStatusError, AsyncOpenAI, DefaultAsyncHttpxClient, NotFoundError, Timeout

from contracts.errors import ChatUnavailable, MalformedReply
from tools.chat.base import ChatReply, ChatRequest
from tools.chat.completions import piece_of, text_of, tokens_of
from tools.chat.errors import ChatLocked, ChatWithout
from tools.chat.lora_adapters import OWNER, LoadedAdapters
from tools.chat.openai_errors import explained, is_too_long, malformed
from tools.chat.reply_limits import TruncatedReply
from tools.chat.server_features import ModelListing, ServerFeatures

_MOST_LOGPROBS = 20
_CONNECT_TIMEOUT_S = 5.0
# A token takes 2 KB with its log-probabilities, and 300 bytes in a stream, so no requested reply is longer than this.
_MOST_BYTES = 8_000_000


class _BoundedAnswer(httpx2.AsyncByteStream):
    """The bytes of a response as they arrive, up to a limit."""

    def __init__(self, stream: httpx2.AsyncByteStream) -> None:
        self._stream = stream

    async def __aiter__(self) -> AsyncIterator[bytes]:
        left = _MOST_BYTES
        async for part in self._stream:
            left -= len(part)
            if left < 0:
                raise MalformedReply(f"The chat server's answer is longer than {_MOST_BYTES // 1_000_000} MB.")
            yield part

    async def aclose(self) -> None:
        await self._stream.aclose()


async def _bound_answer(response: httpx2.Response) -> None:
    response.stream = _BoundedAnswer(cast(httpx2.AsyncByteStream, response.stream))


class OpenAIChatModel:
    """Completes chats on the server at ``base_url`` with the model ``model``, or with the first listed model if empty.

    ``api_key`` may be empty if the server requires none. ``timeout_s`` limits the wait for a response and for each
    piece of a stream; connecting and listing the models may take five seconds. If the server is busy or breaks off,
    the request is repeated up to ``retries`` times, after the requested or an increasing wait. Options that the server
    refuses (JSON schemas, log-probabilities) are left out from then on. ``max_context_tokens`` is the model's context
    window; 0 means the value that the server reports. Token counts are estimated. ``extra_body`` is added unchanged to
    every chat request, for options beyond OpenAI's protocol, such as ``chat_template_kwargs`` to switch off a model's
    thinking. ``features`` records what the server has accepted and refused so far.
    """

    def __init__(
        self,
        base_url: str,
        api_key: str,
        model: str,
        timeout_s: float = 60.0,
        *,
        retries: int = 0,
        max_context_tokens: int = 0,
        extra_body: Mapping[str, object] | None = None,
    ) -> None:
        self.address = base_url
        self._place = f"The chat server at {base_url}"
        self._api_key = api_key
        self._model = model
        self._chooses = not model
        self._timeout_s = timeout_s
        self._connect_timeout_s = min(_CONNECT_TIMEOUT_S, timeout_s)
        self._retries = retries
        self._max_context_tokens = max_context_tokens
        self._extra_body = dict(extra_body or {})
        self.features = ServerFeatures()
        self._listing = ModelListing()
        self._adapters = LoadedAdapters()
        self._client: AsyncOpenAI | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._naming = asyncio.Lock()

    @property
    def model(self) -> str:
        return self._model

    @property
    def listed(self) -> tuple[str, ...]:
        """The models that the server has listed, including its adapters; empty before the first request."""
        return tuple(dict.fromkeys((*self._listing.names, *self._adapters.names)))

    async def complete(self, request: ChatRequest) -> ChatReply:
        with self._explained(request):
            completion = await self._create(request, stream=False)
            choices = getattr(completion, "choices", None)
            choice = choices[0] if choices else None
            text = text_of(choice)
            if choice is None or not isinstance(text, str):
                raise malformed(self._place, "it contains no message")
            usage, asked = completion.usage, request.model or self._model
            return ChatReply(
                text=text,
                # llama.cpp returns the name of the base model even if an adapter answered.
                model=asked if asked in self._adapters.names else completion.model or asked,
                prompt_tokens=usage.prompt_tokens if usage else 0,
                completion_tokens=usage.completion_tokens if usage else 0,
                tokens=tokens_of(choice) if request.top_logprobs else None,
                finish_reason=choice.finish_reason or "",
            )

    async def stream(self, request: ChatRequest) -> AsyncGenerator[str, None]:
        with self._explained(request):
            finished = ""
            async with await self._create(request, stream=True) as chunks:
                async for chunk in chunks:
                    piece, reason = piece_of(chunk)
                    finished = finished or reason
                    if piece:
                        yield piece
            if not finished:
                raise ChatUnavailable(f"{self._place} broke off before its answer was complete.")
            if finished == "length":
                raise TruncatedReply(f"The language model's text was cut off at {request.max_tokens} tokens.")

    async def window(self, model: str = "") -> int | None:
        name = model or self._model
        if not self._max_context_tokens:
            await self._list()
        return self._max_context_tokens or self._listing.max_tokens(self._served(name)) or None

    async def check(self) -> None:
        with explained(self._place, self._model, self._connect_timeout_s):
            try:
                listed = (
                    await self._connected().with_options(max_retries=0).models.list(timeout=self._connect_timeout_s)
                )
            except NotFoundError:
                # The server is available, but does not list its models.
                self._listing.take([])
                return
            cards = [card.to_dict() for card in listed.data]
            self._listing.take(cards)
            self._adapters.take(await self._loaded() if any(card.get("owned_by") == OWNER for card in cards) else None)

    async def close(self) -> None:
        client, self._client = self._client, None
        if client is not None:
            await client.close()

    async def _create(self, request: ChatRequest, *, stream: bool) -> Any:
        wanted = self.features.fitted(request)
        model = request.model or self._model or await self._first_listed()
        if model not in (self._model, *self.listed):
            await self._list()
            if self._adapters.known and model not in self.listed:
                # The server would answer, but without the adapter.
                raise ChatWithout(
                    f"{self._place} has no adapter {model!r}: start llama.cpp with --lora-scaled {model}.gguf:0."
                )
        while True:
            try:
                answer = await self._send(wanted, model, stream=stream)
            except APIStatusError as refusal:
                if not self._is_simplifiable(refusal):
                    raise
                if self.features.adapt(refusal.message):
                    continue
                return await self._send_simpler(wanted, model, refusal, stream=stream)
            self.features.learn(wanted, wanted)
            return answer

    async def _send_simpler(self, wanted: ChatRequest, model: str, refusal: Any, *, stream: bool) -> Any:
        for simpler in self.features.simpler(wanted, refusal.message):
            try:
                answer = await self._send(simpler, model, stream=stream)
            except APIStatusError as again:
                if not self._is_simplifiable(again):
                    raise
                continue
            self.features.learn(wanted, simpler)
            return answer
        # Something else is wrong with the request, so raise the first refusal, which describes it.
        raise refusal

    def _is_simplifiable(self, refusal: Any) -> bool:
        if is_too_long(refusal):
            return False
        return refusal.status_code in (400, 422) or (
            refusal.status_code >= 500 and self.features.is_about_features(refusal.message)
        )

    async def _send(self, request: ChatRequest, model: str, *, stream: bool) -> Any:
        more: dict[str, Any] = {self.features.token_field: request.max_tokens}
        if self.features.temperature:
            more["temperature"] = request.temperature
        if request.json_schema is not None:
            schema = {"name": "reply", "schema": dict(request.json_schema), "strict": True}
            more["response_format"] = {"type": "json_schema", "json_schema": schema}
        if request.seed is not None:
            more["seed"] = request.seed
        if request.stop and self.features.stop:
            more["stop"] = list(request.stop)
        more |= {"model": self._served(model), "stream": stream}
        options = min(request.top_logprobs, _MOST_LOGPROBS) if not stream else 0
        client = self._connected()
        if request.prompt:
            extra = self._adapters.fields(model)
            form = more.pop("response_format", None)
            if form is not None:
                # The client does not support schemas for this endpoint, but vLLM, SGLang and llama.cpp do.
                llama_cpp = self._adapters.known
                extra |= {"json_schema": form["json_schema"]["schema"]} if llama_cpp else {"response_format": form}
            more["max_tokens"] = more.pop(self.features.token_field)
            if options:
                more["logprobs"] = options
            return await client.completions.create(prompt=request.prompt, extra_body=extra or None, **more)
        if options:
            more |= {"logprobs": True, "top_logprobs": options}
        messages: Any = [{"role": message.role, "content": message.content} for message in request.messages]
        extra = {**self._extra_body, **self._adapters.fields(model)}
        return await client.chat.completions.create(messages=messages, extra_body=extra or None, **more)

    async def _loaded(self) -> Any:
        """Return the list of adapters from a llama.cpp server, not validated; None if the server has no such list."""
        address = f"{self.address.rstrip('/').removesuffix('/v1')}/lora-adapters"
        client = self._connected().with_options(max_retries=0, timeout=self._connect_timeout_s)
        try:
            return await client.get(address, cast_to=object)
        except APIStatusError:
            return None

    def _served(self, model: str) -> str:
        """Return the server's name for ``model``: for an adapter on llama.cpp, the base model."""
        return self._listing.first if model in self._adapters.names else model

    async def _list(self) -> None:
        """Ask the server for its models if the list is due; if it does not answer, ask again later."""
        try:
            await self._check_if_due()
        except ChatUnavailable:
            self._listing.put_off()

    async def _check_if_due(self) -> None:
        self._connected()
        async with self._naming:
            # If several calls begin at the same time, one sends the request, and the others wait for its result.
            if self._listing.is_due:
                await self.check()

    async def _first_listed(self) -> str:
        await self._check_if_due()
        if not self._listing.first:
            raise ChatLocked(f"{self._place} lists no models. Name one in GOLDEN_LLM.")
        self._model = self._listing.first
        return self._model

    def _connected(self) -> AsyncOpenAI:
        # Connections belong to the event loop in which they were opened.
        loop = asyncio.get_running_loop()
        if self._client is None or self._loop is not loop:
            self._client = AsyncOpenAI(
                # Questions and passages are sent only to the configured address, so redirects are not followed.
                http_client=DefaultAsyncHttpxClient(follow_redirects=False, event_hooks={"response": [_bound_answer]}),
                base_url=self.address,
                api_key=self._api_key or "none",
                timeout=Timeout(self._timeout_s, connect=self._connect_timeout_s),
                max_retries=self._retries,
            )
            self._loop = loop
            self._naming = asyncio.Lock()
        return self._client

    @contextmanager
    def _explained(self, request: ChatRequest) -> Iterator[None]:
        try:
            with explained(self._place, request.model or self._model, self._timeout_s):
                yield
        except ChatLocked as error:
            if isinstance(error, ChatWithout) and request.model:
                raise
            if self._chooses:
                # After a restart, the server may have a different model.
                self._model = ""
                self._listing.put_off(0.0)
            if isinstance(error, ChatWithout):
                # If the server lacks the default model, no request can succeed.
                raise ChatLocked(str(error)) from error
            raise
