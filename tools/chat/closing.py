"""Streams that end when their reader goes away."""

from collections.abc import AsyncGenerator, AsyncIterator


async def closing(stream: AsyncIterator[str]) -> AsyncGenerator[str, None]:
    """Yield the stream's pieces; closed early, it closes the stream at once, which ends the request on the server."""
    try:
        async for piece in stream:
            yield piece
    finally:
        close = getattr(stream, "aclose", None)
        if close is not None:
            await close()
