"""Streams that end when their reader goes away."""

from collections.abc import AsyncGenerator, AsyncIterator
from typing import cast


def closing(stream: AsyncIterator[str]) -> AsyncGenerator[str, None]:
    """Return the stream as one that can be closed early, which ends the request on the server at once.

    A stream that can be closed is returned as it is: each layer more is work for each word of a reply.
    """
    if hasattr(stream, "aclose"):
        return cast("AsyncGenerator[str, None]", stream)
    return _generated(stream)


async def _generated(stream: AsyncIterator[str]) -> AsyncGenerator[str, None]:
    async for piece in stream:
        yield piece
