"""The server's HTTP protocol: uvicorn's, with limits on addresses and headers, and responses that reach the client."""

from asyncio import TimerHandle, Transport
from http import HTTPStatus
from typing import Any

from uvicorn.protocols.http.httptools_impl import STATUS_LINE, HttpToolsProtocol, RequestResponseCycle

from serving.problems import Problem, respond

# As in nginx and Apache; the longest addresses here are links to a cited passage.
MAX_URL_BYTES = 8 * 1024
# Limit for the address and all headers together: many times the size of a proxy's cookies and tokens.
MAX_HEAD_BYTES = 64 * 1024
# A client that is still sending reads the response only afterwards; if the connection were closed at once, it would be
# reset before that.
LINGER_S = 30.0
# How long a client may take to send a request's address and headers, and to start its first request.
HEAD_TIMEOUT_S = 20.0
_REASONS = {
    400: "This is not a valid HTTP request.",
    408: f"The headers took too long: they must arrive within {HEAD_TIMEOUT_S:g} seconds.",
    414: f"The address is too long: at most {MAX_URL_BYTES} bytes are allowed.",
    431: f"The headers are too large: address and headers together may have at most {MAX_HEAD_BYTES} bytes.",
}
_CODES = {400: "invalid_http", 408: "request_timeout", 414: "address_too_long", 431: "headers_too_large"}


class BoundedHttpProtocol(HttpToolsProtocol):
    """Answers 414 if the address is too long, 431 if the headers are too large, and 408 if they arrive too slowly.

    Data after such a response, or after the response to a request whose body was not read, is discarded for at most
    ``LINGER_S`` seconds; then the connection is closed.
    """

    def __init__(self, *args: Any, **named: Any) -> None:
        super().__init__(*args, **named)
        self._status = HTTPStatus.BAD_REQUEST
        self._refused = False
        # Bytes received since the last piece of a body or the last complete request.
        self._head_bytes = 0
        self._head_timer: TimerHandle | None = None

    def connection_made(self, transport: Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._start_timer()

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_timer()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        if self._refused:
            return
        self._head_bytes += len(data)
        super().data_received(data)
        between = self.cycle is None or (self.cycle.response_complete and not self.cycle.more_body)
        if between and self._head_bytes and self._head_timer is None and not self._refused:
            # The parser does not count line breaks before a request as part of it, but they end the server's wait for
            # the request.
            self._start_timer()
        # The parser never reports a header that does not end, and would buffer all of it.
        if not self._refused and self._head_bytes > MAX_HEAD_BYTES:
            self._status = HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE
            self.send_400_response("")

    def on_message_begin(self) -> None:
        super().on_message_begin()
        self._start_timer()

    def on_url(self, url: bytes) -> None:
        """Handle a piece of the address. An error here is answered by ``send_400_response``."""
        super().on_url(url)
        if len(self.url) > MAX_URL_BYTES:
            self._status = HTTPStatus.REQUEST_URI_TOO_LONG
            raise ValueError("the address is too long")

    def on_headers_complete(self) -> None:
        self._stop_timer()
        if len(self.url) + sum(len(name) + len(value) for name, value in self.headers) > MAX_HEAD_BYTES:
            self._status = HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE
            raise ValueError("the headers are too large")
        super().on_headers_complete()

    def on_body(self, body: bytes) -> None:
        self._head_bytes = 0
        super().on_body(body)

    def on_message_complete(self) -> None:
        self._head_bytes = 0
        super().on_message_complete()

    def send_400_response(self, msg: str) -> None:
        self._refused = True
        if self.cycle is not None and not self.cycle.response_complete:
            # An error response cannot be inserted into a response that has already begun.
            self.transport.close()
            return
        problem = Problem(message=_REASONS[self._status], type="invalid_request_error", code=_CODES[self._status])
        response = respond(self._status, problem, {"connection": "close"})
        head = b"".join(name + b": " + value + b"\r\n" for name, value in response.raw_headers)
        self.transport.write(STATUS_LINE[self._status] + head + b"\r\n" + bytes(response.body))
        if self.transport.can_write_eof():
            self.transport.write_eof()
        self.loop.call_later(LINGER_S, self.transport.close)

    def on_response_complete(self) -> None:
        """End a response; the rest of an unread body is discarded for a limited time."""
        super().on_response_complete()
        if self.cycle.response_complete and self.cycle.more_body:
            self.loop.call_later(LINGER_S, self._end_unread, self.cycle)

    def _start_timer(self) -> None:
        self._stop_timer()
        self._head_timer = self.loop.call_later(HEAD_TIMEOUT_S, self._end_slow)

    def _stop_timer(self) -> None:
        if self._head_timer is not None:
            self._head_timer.cancel()
            self._head_timer = None

    def _end_slow(self) -> None:
        self._head_timer = None
        if not self._head_bytes:
            # Close without a response: a browser that connects in advance would take it for the response to a later
            # request.
            self.transport.close()
        elif not self._refused:
            self._status = HTTPStatus.REQUEST_TIMEOUT
            self.send_400_response("")

    def _end_unread(self, cycle: RequestResponseCycle) -> None:
        # Unless another request has arrived over the same connection.
        if cycle is self.cycle:
            self.transport.close()
