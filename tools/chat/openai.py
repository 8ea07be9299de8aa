"""Chat models behind any server that speaks OpenAI's protocol: vLLM, llama.cpp, Ollama, OpenAI."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from contracts.errors import ChatUnavailable, MalformedReply
from tools.chat.base import ChatReply, ChatRequest
from tools.chat.refusal import ChatRefused

if TYPE_CHECKING:
    from openai import APIStatusError, AsyncOpenAI

_CONNECT_S = 5.0
_SHOWN_CHARACTERS = 300
# Statuses that speak of the request, not of the server.
_REFUSALS = frozenset({400, 413, 422})


class OpenAIChatModel:
    """Completes chats on the server at ``base_url`` with its model ``model``; empty: the first that it lists.

    ``api_key`` may be empty where the server asks for none. ``timeout_s`` bounds the wait for an answer, and in a
    stream for each next piece. A request that could not be sent, or met a busy server, is sent again ``max_retries``
    times. A server that refuses the JSON schema is asked without it.
    """

    def __init__(
        self, base_url: str, api_key: str, model: str, timeout_s: float = 60.0, *, max_retries: int = 1
    ) -> None:
        self._base_url = base_url
        self._api_key = api_key
        self._model = model
        self._timeout_s = timeout_s
        self._max_retries = max_retries
        self._schema_refused = False
        self._client: AsyncOpenAI | None = None
        self._loop: asyncio.AbstractEventLoop | None = None

    @property
    def model(self) -> str:
        """The default model's name; empty until a server that is to choose was asked."""
        return self._model

    async def complete(self, request: ChatRequest) -> ChatReply:
        """Return the whole reply.

        Raises:
            ChatUnavailable: no answer in time, or the server refused; the text says what to do.
            MalformedReply: the server's answer is not a chat completion.
        """
        with self._explained():
            completion = await self._create(request, stream=False)
            choices = getattr(completion, "choices", None)
            message = choices[0].message if choices else None
            if message is None or not isinstance(message.content, str):
                raise self._malformed("it holds no message")
            usage = completion.usage
            return ChatReply(
                text=message.content,
                model=completion.model or request.model or self._model,
                prompt_tokens=usage.prompt_tokens if usage else 0,
                completion_tokens=usage.completion_tokens if usage else 0,
            )

    async def stream(self, request: ChatRequest) -> AsyncIterator[str]:
        """Yield the reply's text as it comes. Raises as ``complete`` does, before the first piece or between two."""
        with self._explained():
            chunks = await self._create(request, stream=True)
            if not hasattr(chunks, "__aiter__"):
                raise self._malformed("it is no stream")
            finished = False
            try:
                async for chunk in chunks:
                    for choice in (chunk.choices or [])[:1]:
                        finished = finished or choice.finish_reason is not None
                        if choice.delta is not None and choice.delta.content:
                            yield choice.delta.content
            finally:
                await chunks.close()
            if not finished:
                raise ChatUnavailable(f"The chat server at {self._base_url} broke off before its answer was whole.")

    async def close(self) -> None:
        """Close the connections."""
        client, self._client = self._client, None
        if client is not None:
            await client.close()

    async def _create(self, request: ChatRequest, *, stream: bool) -> Any:
        from openai import BadRequestError, UnprocessableEntityError

        if request.json_schema is None or self._schema_refused:
            return await self._send(replace(request, json_schema=None), stream=stream)
        try:
            return await self._send(request, stream=stream)
        except (BadRequestError, UnprocessableEntityError) as refusal:
            try:
                answer = await self._send(replace(request, json_schema=None), stream=stream)
            except (BadRequestError, UnprocessableEntityError):
                # Something else is wrong with the request: its first refusal says what.
                raise refusal from None
            self._schema_refused = True
            return answer

    async def _send(self, request: ChatRequest, *, stream: bool) -> Any:
        more: dict[str, Any] = {}
        if request.json_schema is not None:
            schema = {"name": "reply", "schema": dict(request.json_schema), "strict": True}
            more["response_format"] = {"type": "json_schema", "json_schema": schema}
        if request.stop:
            more["stop"] = list(request.stop)
        messages: Any = [{"role": message.role, "content": message.content} for message in request.messages]
        return await self._connected().chat.completions.create(
            model=request.model or self._model or await self._first_listed(),
            messages=messages,
            max_tokens=request.max_tokens,
            temperature=request.temperature,
            stream=stream,
            **more,
        )

    async def _first_listed(self) -> str:
        listed = await self._connected().models.list()
        if not listed.data:
            raise ChatUnavailable(f"The chat server at {self._base_url} lists no model. Set GOLDEN_LLM_MODEL.")
        self._model = str(listed.data[0].id)
        return self._model

    def _connected(self) -> "AsyncOpenAI":
        # Connections belong to the event loop they were opened in.
        loop = asyncio.get_running_loop()
        if self._client is None or self._loop is not loop:
            from openai import AsyncOpenAI, Timeout

            self._client = AsyncOpenAI(
                base_url=self._base_url,
                api_key=self._api_key or "none",
                timeout=Timeout(self._timeout_s, connect=min(_CONNECT_S, self._timeout_s)),
                max_retries=self._max_retries,
            )
            self._loop = loop
        return self._client

    @contextmanager
    def _explained(self) -> Iterator[None]:
        import httpx2
        from openai import APIConnectionError, APIError, APIResponseValidationError, APIStatusError, APITimeoutError

        place = f"The chat server at {self._base_url}"
        try:
            yield
        except (APITimeoutError, httpx2.TimeoutException) as error:
            raise ChatUnavailable(f"{place} did not answer within {self._timeout_s:g} s.") from error
        except APIStatusError as error:
            kind = ChatRefused if error.status_code in _REFUSALS else ChatUnavailable
            raise kind(f"{place} {self._refusal(error)}") from error
        except APIResponseValidationError as error:
            raise self._malformed(_shortened(error.message)) from error
        except APIConnectionError as error:
            reason = error.__cause__ or error
            if isinstance(reason, httpx2.RemoteProtocolError | httpx2.ReadError):
                raise ChatUnavailable(
                    f"{place} broke off before its answer was whole ({_shortened(reason)})."
                ) from error
            raise ChatUnavailable(
                f"{place} cannot be reached ({_shortened(reason)}). Is it running, and is GOLDEN_LLM_BASE_URL right?"
            ) from error
        except httpx2.HTTPError as error:
            raise ChatUnavailable(f"{place} broke off before its answer was whole ({_shortened(error)}).") from error
        except APIError as error:
            raise ChatUnavailable(f"{place} reported an error: {_shortened(error.message)}") from error
        except (ValueError, TypeError, AttributeError, KeyError, IndexError) as error:
            # What the client makes of an answer that is not what the protocol says.
            raise self._malformed(f"{type(error).__name__}: {_shortened(error)}") from error

    def _refusal(self, error: "APIStatusError") -> str:
        said = _shortened(error.message)
        if error.status_code in (401, 403):
            return f"refused the key ({error.status_code}). Check GOLDEN_LLM_API_KEY."
        if error.status_code == 404 and not self._model:
            return f"does not list its models ({said}). Set GOLDEN_LLM_MODEL, and check GOLDEN_LLM_BASE_URL."
        if error.status_code == 404:
            return f"does not know the model {self._model!r} ({said}). Check GOLDEN_LLM_MODEL and GOLDEN_LLM_BASE_URL."
        if error.status_code == 429:
            return f"is busy or its quota is used up ({said}). Try again later."
        if error.status_code < 500:
            return f"refused the request with status {error.status_code}: {said}"
        return f"failed with status {error.status_code}: {said}"

    def _malformed(self, reason: str) -> MalformedReply:
        return MalformedReply(f"The answer of the chat server at {self._base_url} is not a chat completion: {reason}.")


def _shortened(text: object) -> str:
    words = " ".join(str(text).split())
    return words if len(words) <= _SHOWN_CHARACTERS else words[:_SHOWN_CHARACTERS] + "…"
