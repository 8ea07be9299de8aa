"""Server-sent events: the JSON values that a chat server streams, read from the bytes of its response.

The OpenAI client reads them too, with ten times the work for each: a language model's every token passes here.
"""

import asyncio
import json
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from typing import Any

from aiohttp import StreamReader
from httpx2 import Response
from openai import APIError

from tools.chat.patience import Patience

_DONE = b"[DONE]"
# Behind its last event a response ends at once as a rule, and only then can its connection be used again.
_ENDING_S = 0.5


class EventReader:
    """Cuts a stream of bytes into the data of its events; whatever else they say is read past.

    Source: the HTML standard, "Server-sent events", interpreting an event stream.
    """

    def __init__(self) -> None:
        self._rest = b""
        self._data: list[bytes] = []

    def feed(self, received: bytes) -> list[bytes]:
        """Take what came; return the data of the events that have ended with it."""
        text = self._rest + received
        # The second half of a line end may come with the next piece.
        half = text[-1:] if text.endswith(b"\r") else b""
        if b"\r" in text:
            text = text[: len(text) - len(half)].replace(b"\r\n", b"\n").replace(b"\r", b"\n")
        *lines, rest = text.split(b"\n")
        self._rest = rest + half
        found: list[bytes] = []
        for line in lines:
            if line.startswith(b"data:"):
                self._data.append(line[6:] if line[5:6] == b" " else line[5:])
            elif not line and self._data:
                found.append(b"\n".join(self._data))
                self._data = []
        return found


async def read_events(response: Response, *, silence_s: float) -> AsyncGenerator[list[Any], None]:
    """Yield the JSON values of the events of ``response`` up to its ``[DONE]``: those together that came together.

    It is closed at the end.

    Raises:
        openai.APIError: one of them is an error.
        httpx2.HTTPError: the connection broke.
        TimeoutError: nothing came for ``silence_s`` seconds.
        ValueError: what came is not JSON.
    """
    reader, patience, loop = EventReader(), Patience(), asyncio.get_running_loop()
    try:
        async with aclosing(response.aiter_bytes()) as parts:
            while True:
                with patience.until(loop.time() + silence_s):
                    part = await anext(parts, None)
                if part is None:
                    return
                found = reader.feed(part)
                done = next((at for at, data in enumerate(found) if data.startswith(_DONE)), None)
                values, broken = _values_of(found[:done], response)
                if values:
                    yield values
                if broken is not None:
                    raise broken
                if done is not None:
                    await _read_to_end(parts)
                    return
    finally:
        patience.close()
        await response.aclose()


def end_of(response: Response) -> asyncio.Event | None:
    """Return what is set when the whole of ``response`` has come, read or not; None where that cannot be known."""
    # The client wraps what aiohttp received, and shows no way to it; one who finds none reads without a pause.
    stream = getattr(response.stream, "_stream", response.stream)
    body = getattr(getattr(stream, "_aiohttp_response", None), "content", None)
    if not isinstance(body, StreamReader):
        return None
    ended = asyncio.Event()
    body.on_eof(ended.set)
    return ended


async def _read_to_end(parts: AsyncGenerator[bytes, None]) -> None:
    try:
        async with asyncio.timeout(_ENDING_S):
            async for _ in parts:
                pass
    except TimeoutError:
        return


def _values_of(found: Sequence[bytes], response: Response) -> tuple[list[Any], Exception | None]:
    """Return the values, and what is wrong with the one behind them: what was said comes before what broke."""
    values: list[Any] = []
    for data in found:
        try:
            values.append(_value_of(data, response))
        except (APIError, ValueError) as error:
            return values, error
    return values, None


def _value_of(data: bytes, response: Response) -> Any:
    value = json.loads(data)
    error = value.get("error") if isinstance(value, dict) else None
    if error:
        said = error.get("message") if isinstance(error, dict) else None
        message = said if isinstance(said, str) and said else "An error occurred during streaming"
        raise APIError(message, request=response.request, body=error)
    return value
