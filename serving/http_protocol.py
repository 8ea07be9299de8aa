"""The HTTP protocol of the server: uvicorn's, which also ends a connection whose headers do not come."""

from asyncio import TimerHandle, Transport
from typing import Any

from uvicorn.protocols.http.h11_impl import H11Protocol

# The address and all headers: cookies and tokens of a proxy fit many times. For ``h11_max_incomplete_event_size``.
MAX_HEAD_BYTES = 64 * 1024
# How long a client may take to begin its first request, and for a request's address and headers.
HEAD_TIMEOUT_S = 20.0


class TimedHttpProtocol(H11Protocol):
    """Closes a connection on which the headers of a request take too long."""

    def __init__(self, *args: Any, **named: Any) -> None:
        super().__init__(*args, **named)
        self._timer: TimerHandle | None = None

    def connection_made(self, transport: Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._timer = self.loop.call_later(HEAD_TIMEOUT_S, transport.close)

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        under_way = self.cycle is not None and not (self.cycle.response_complete and not self.cycle.more_body)
        if under_way and self._timer is not None:
            self._timer.cancel()
            self._timer = None
        elif not under_way and self._timer is None:
            self._timer = self.loop.call_later(HEAD_TIMEOUT_S, self.transport.close)

    def connection_lost(self, exc: Exception | None) -> None:
        if self._timer is not None:
            self._timer.cancel()
        super().connection_lost(exc)
