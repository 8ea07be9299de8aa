"""Server-sent events: the JSON values that a chat server streams, read from the bytes of its response.

The OpenAI client reads them too, with ten times the work for each: a language model's every token passes here.
"""

import asyncio
import json
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Any

from httpx2 import Response
from openai import APIError

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


async def read_events(response: Response) -> AsyncGenerator[Any, None]:
    """Yield the JSON values of the events of ``response`` up to its ``[DONE]``; it is closed at the end.

    Raises:
        openai.APIError: one of them is an error.
        httpx2.HTTPError: the connection broke.
        ValueError: what came is not JSON.
    """
    reader = EventReader()
    try:
        async with aclosing(response.aiter_bytes()) as parts:
            async for part in parts:
                for data in reader.feed(part):
                    if data.startswith(_DONE):
                        await _read_to_end(parts)
                        return
                    yield _value_of(data, response)
    finally:
        await response.aclose()


async def _read_to_end(parts: AsyncGenerator[bytes, None]) -> None:
    try:
        async with asyncio.timeout(_ENDING_S):
            async for _ in parts:
                pass
    except TimeoutError:
        return


def _value_of(data: bytes, response: Response) -> Any:
    value = json.loads(data)
    error = value.get("error") if isinstance(value, dict) else None
    if error:
        said = error.get("message") if isinstance(error, dict) else None
        message = said if isinstance(said, str) and said else "An error occurred during streaming"
        raise APIError(message, request=response.request, body=error)
    return value
