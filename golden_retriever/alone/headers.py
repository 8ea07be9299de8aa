"""Which headers go on: a person's own credentials and what they ask for, and nothing that a proxy could vouch with."""

from collections.abc import Iterable, Mapping

# Nothing else of a request goes on: what the server believes of a proxy, such as X-Forwarded-User, anybody may send.
_OF_REQUESTS = frozenset(
    {
        "accept", "accept-encoding", "accept-language", "access-control-request-headers",
        "access-control-request-method", "authorization", "cache-control", "content-length", "content-type", "cookie",
        "host", "if-match", "if-modified-since", "if-none-match", "if-range", "last-event-id", "origin", "range",
        "referer", "sec-fetch-dest", "sec-fetch-mode", "sec-fetch-site", "sec-fetch-user", "traceparent", "tracestate",
        "user-agent", "x-conversation-id", "x-forwarded-proto", "x-golden-request", "x-golden-user", "x-request-id",
    }
)  # fmt: skip
# Source: RFC 9110, section 7.6.1; the last two each server says of itself.
_OF_CONNECTIONS = frozenset(
    {
        "connection", "keep-alive", "proxy-authenticate", "proxy-connection", "te", "trailer", "transfer-encoding",
        "upgrade", "date", "server",
    }
)  # fmt: skip


def request_headers(sent: Mapping[str, str] | Iterable[tuple[str, str]], peer: str) -> list[tuple[str, str]]:
    """Return the headers of a browser's request that go on to the server, and from which address it came."""
    given = sent.items() if isinstance(sent, Mapping) else sent
    kept = [(name, value) for name, value in given if name.lower() in _OF_REQUESTS]
    return [*kept, ("x-forwarded-for", peer)] if peer else kept


def answer_headers(answered: Iterable[tuple[bytes, bytes]]) -> list[tuple[bytes, bytes]]:
    """Return the headers of the server's answer that go on to the browser."""
    return [(name.lower(), value) for name, value in answered if name.lower().decode("latin-1") not in _OF_CONNECTIONS]
