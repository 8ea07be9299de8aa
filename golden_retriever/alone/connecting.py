"""The connections to the server, shared by everybody who uses the pages, and keeping nothing of anybody."""

from http.cookiejar import CookieJar, DefaultCookiePolicy

import httpx

_CONNECTIONS = httpx.Limits(max_connections=1_000, max_keepalive_connections=100)
# A question may take minutes; whoever waits can stop it.
_TIMEOUT = httpx.Timeout(30, read=None)


def shared_transport() -> httpx.AsyncBaseTransport:
    """Return what holds the connections; no proxy of the environment stands between."""
    return httpx.AsyncHTTPTransport(limits=_CONNECTIONS)


def shared_client(server: str, transport: httpx.AsyncBaseTransport) -> httpx.AsyncClient:
    """Return a client of the server at ``server`` that keeps no cookie: what one person is given, no other ever sends.

    Redirects go on to the browser.
    """
    nobodys = CookieJar(policy=DefaultCookiePolicy(allowed_domains=()))
    return httpx.AsyncClient(
        base_url=server, transport=transport, timeout=_TIMEOUT, follow_redirects=False, cookies=nobodys
    )
