"""Access control: who makes a request, what they may do, and which requests are refused before they are read.

Without keys the server listens on loopback only, where every program on this machine may ask anything. Other web pages
in the user's browser must not reach it: they can send requests to loopback addresses, too. If there are keys, or an
identity provider is configured (``serving.identity``), each request must be authenticated.
"""

import ipaddress
import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from urllib.parse import urlsplit

from contracts.errors import GoldenError
from contracts.keys import SCOPES, KeyScope

Scope = KeyScope

REQUEST_HEADER = "x-golden-request"
MAX_NAME_CHARACTERS = 100

# What a browser reports as the origin of a request: the same site, or the user directly.
_OWN_SITES = frozenset({"same-origin", "none"})
_JSON = re.compile(r"application/([\w.!#$&^-]+\+)?json", re.ASCII)
_LOOPBACK_NAMES = frozenset({"localhost", "ip6-localhost", "ip6-loopback"})


class Forbidden(GoldenError):
    """The request is not allowed (HTTP 403)."""

    code = "forbidden"


class Unauthenticated(GoldenError):
    """The request has no valid credential (HTTP 401)."""

    code = "invalid_api_key"


class TooManyRequests(GoldenError):
    """The caller has made too many requests; ``retry_after_s`` (at least 1) is how long to wait (HTTP 429)."""

    code = "rate_limit_exceeded"

    def __init__(self, message: str, *, retry_after_s: int) -> None:
        super().__init__(message)
        self.retry_after_s = retry_after_s


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestInfo:
    """The part of a request that a guard sees: its method and its headers by lower-case name.

    ``peer`` is the address at the other end of the socket, "" if there is none; headers cannot change it. ``repeated``
    are the headers that were sent more than once. ``from_allowed_origin`` means that a page of an allowed origin may
    send the request (``serving.origins``).
    """

    method: str
    headers: Mapping[str, str]
    peer: str = ""
    repeated: frozenset[str] = frozenset()
    from_allowed_origin: bool = False

    @property
    def bearer(self) -> str:
        """The bearer token, "" for none."""
        kind, _, token = self.headers.get("authorization", "").strip().partition(" ")
        return token.strip() if kind.lower() == "bearer" else ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Actor:
    """The caller: the name that histories show, and the document groups they may read (None: all).

    ``scopes`` are what they may do; ``department`` (a context's name or "") is their context unless they name another;
    ``key_id`` is the key that they used, "" for none. ``account`` identifies them from one request to the next, even
    if their name changes: ``key:…``, ``token:…`` or ``proxy:…``; "" if callers are not distinguished. ``by_session``
    means that they are logged in with a browser, and can log out.
    """

    name: str
    groups: frozenset[str] | None = None
    scopes: frozenset[Scope] = frozenset(SCOPES)
    department: str = ""
    key_id: str = ""
    account: str = ""
    by_session: bool = False


def expect_scope(actor: Actor, scope: Scope) -> Actor:
    """Return ``actor`` if they have ``scope``. Raises ``Forbidden`` if they do not."""
    if scope not in actor.scopes:
        own = ", ".join(sorted(actor.scopes)) or "none"
        raise Forbidden(f"This needs the scope {scope!r}, and you have {own}: ask your administrator for it.")
    return actor


def expect_all_groups(actor: Actor, what: str) -> None:
    """Check that ``actor`` may read every document; ``what`` names the action that would reveal all of them.

    Raises:
        Forbidden: they may not.
    """
    if actor.groups is not None:
        raise Forbidden(
            f"{what} would reveal documents that you may not read: use a key that may read every group "
            "(golden keys create NAME --all-groups)."
        )


def refuse_unknown_host(info: RequestInfo, hosts: Collection[str]) -> None:
    """Check that a request addresses this server by a name of this machine, or by one of ``hosts``.

    Raises:
        Forbidden: it uses a different name, which others may have bound to this machine's address (DNS rebinding).
    """
    host = info.headers.get("host", "")
    name = _host_name(host)
    if name not in hosts and not is_loopback(name):
        raise Forbidden(
            f"This server does not accept the host {host!r}: use http://127.0.0.1 or http://localhost, or name "
            "the host of your proxy in GOLDEN_TRUSTED_HOSTS."
        )


def refuse_other_origin(info: RequestInfo, hosts: Collection[str]) -> None:
    """Check that a request from a browser comes from a page of this server.

    Raises:
        Forbidden: it comes from another page.
    """
    origin, host = info.headers.get("origin"), info.headers.get("host", "")
    if origin is None:
        return
    scheme, _, place = origin.strip().lower().partition("://")
    # A proxy may request the page under this server's address, although the browser uses the proxy's.
    if scheme not in ("http", "https") or not (place == host.strip().lower() or _host_name(place) in hosts):
        raise Forbidden(f"The page at {origin!r} may not use this server: open the server's own page.")


def is_loopback(host: str) -> bool:
    """Return whether a host name or address always means this machine."""
    try:
        return host in _LOOPBACK_NAMES or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def sends_json(content_type: str) -> bool:
    """Return whether a content type is JSON."""
    return _JSON.fullmatch(content_type.partition(";")[0].strip().lower()) is not None


def refuse_other_pages(info: RequestInfo) -> None:
    """Check that no other web page can have sent a request on behalf of the browser's user.

    Raises:
        Forbidden: another page can have sent it; the message explains what a program has to add.
    """
    site = info.headers.get("sec-fetch-site")
    if site is not None and site.strip().lower() not in _OWN_SITES:
        raise Forbidden("Another web page may not use this server: open the server's own page.")
    # Without a CORS preflight, which nobody answers, the only request with side effects that a browser sends to another
    # site is a POST without these headers.
    if info.method != "POST":
        return
    marked = REQUEST_HEADER in info.headers or "if-match" in info.headers
    if not marked and not sends_json(info.headers.get("content-type", "")):
        raise Forbidden(
            "A request that changes something must show that no other web page sent it: add the header "
            "X-Golden-Request: 1, or send a JSON body with Content-Type: application/json."
        )


def is_navigation(info: RequestInfo) -> bool:
    """Return whether a browser is opening a page, which is harmless even if the link is on another site."""
    return info.method == "GET" and info.headers.get("sec-fetch-mode", "").strip().lower() == "navigate"


def _host_name(host: str) -> str:
    try:
        return (urlsplit(f"//{host.strip()}").hostname or "").rstrip(".")
    except ValueError:
        return ""


def text_in(header: str) -> str:
    """Return a header's text, whether its non-ASCII characters were encoded as UTF-8 or Latin-1."""
    # Non-ASCII text arrives as bytes that were decoded as Latin-1.
    try:
        return header.encode("latin-1", errors="replace").decode("utf-8")
    except UnicodeDecodeError:
        return header
