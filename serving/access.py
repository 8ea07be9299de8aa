"""Access: who makes a request, what they may do, and which requests are refused before they are read.

Without keys the server listens on loopback only, where every program of this machine may ask anything. What must not
reach it there are other web pages in the user's browser: they can send requests to loopback addresses, too. Where there
are keys, or a provider of identities is set (``serving.identity``), each request must say who makes it.
"""

import ipaddress
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol
from urllib.parse import unquote, urlsplit

from contracts.errors import GoldenError
from contracts.keys import SCOPES, KeyScope

Scope = KeyScope

REQUEST_HEADER = "x-golden-request"
MAX_NAME_CHARACTERS = 100

# What a browser says about where a request comes from: the same page, or the person themselves.
_OWN_SITES = frozenset({"same-origin", "none"})
_JSON = re.compile(r"application/([\w.!#$&^-]+\+)?json", re.ASCII)
_EXTENDED = re.compile(r"UTF-8''", re.IGNORECASE)
_LOOPBACK_NAMES = frozenset({"localhost", "ip6-localhost", "ip6-loopback"})


class Forbidden(GoldenError):
    """The request is not let in as it is, whoever repeats it (HTTP 403)."""

    code = "forbidden"


class Unauthenticated(GoldenError):
    """The request brings no key that opens anything (HTTP 401)."""

    code = "invalid_api_key"


class TooManyRequests(GoldenError):
    """Whoever asks has asked too much; ``retry_after_s`` (at least 1) is when to come back (HTTP 429)."""

    code = "rate_limit_exceeded"

    def __init__(self, message: str, *, retry_after_s: int) -> None:
        super().__init__(message)
        self.retry_after_s = retry_after_s


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestInfo:
    """What a guard sees of a request: its method and its headers by lower-case name.

    ``peer`` is the address at the other end of the socket, "" where it has none; no header changes it. ``repeated``
    are the headers that were sent more than once. ``from_allowed_origin``: a page of an allowed origin may send it
    (``serving.origins``).
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
    """Who makes a request: the name that histories show, and the document groups they may read (None: all).

    ``scopes`` are what they may do, ``department`` (a context's name or "") where they ask from unless they say so;
    ``key_id`` is the key that they came with, "" for none. ``account`` is who they are from one request to the next,
    whatever they call themselves: ``key:…``, ``token:…`` or ``proxy:…``; "" where nobody is told apart.
    ``by_session`` says that a login of before let them in, which they can end.
    """

    name: str
    groups: frozenset[str] | None = None
    scopes: frozenset[Scope] = frozenset(SCOPES)
    department: str = ""
    key_id: str = ""
    account: str = ""
    by_session: bool = False


def expect_scope(actor: Actor, scope: Scope) -> Actor:
    """Return ``actor``, who may do what needs ``scope``.

    Raises:
        Forbidden: they may not.
    """
    if scope not in actor.scopes:
        own = ", ".join(sorted(actor.scopes)) or "none"
        raise Forbidden(f"This needs the scope {scope!r}, and you have {own}: ask whoever runs the server for it.")
    return actor


def expect_all_groups(actor: Actor, what: str) -> None:
    """Check that ``actor`` may read every document; ``what`` names what would tell of all of them.

    Raises:
        Forbidden: they may not.
    """
    if actor.groups is not None:
        raise Forbidden(
            f"{what} would tell of documents that you may not read: use a key that may read every group "
            "(golden keys create NAME --all-groups)."
        )


class Guard(Protocol):
    """Says who makes each request, and lets it in."""

    @property
    def asks_everyone(self) -> bool:
        """Whether each request must say who makes it; it may become true, and stays so."""
        ...

    async def authenticate(self, info: RequestInfo) -> Actor:
        """Return who makes the request; called before anything of its body is read.

        Raises:
            Unauthenticated: it brings no key that opens anything.
            Forbidden: it could come from another web page, or asks for this server by a name that is not its own.
            InvalidInput: a header that names whoever asks cannot be used.
        """
        ...


class LoopbackGuard:
    """Lets in what comes from this machine and from no other web page; everybody may do everything.

    Histories call them ``user``. ``hosts`` are the names under which a proxy with a login of its own serves this.
    """

    asks_everyone = False

    def __init__(self, *, user: str = "", hosts: Sequence[str] = ()) -> None:
        self._user = user
        self._hosts = frozenset(map(str.lower, hosts))

    async def authenticate(self, info: RequestInfo) -> Actor:
        """Return who makes the request.

        Raises:
            Forbidden: the request asks for this server by a name that others may have bound to this machine, or could
                come from another web page and opens no page; the text says what a program adds to it.
        """
        refuse_unknown_host(info, self._hosts)
        if not info.from_allowed_origin and not is_navigation(info):
            refuse_other_origin(info, self._hosts)
            refuse_other_pages(info)
        return Actor(name=self._user)


def refuse_unknown_host(info: RequestInfo, hosts: Collection[str]) -> None:
    """Check that a request asks for this server by a name of this machine, or by one of ``hosts``.

    Raises:
        Forbidden: by another, which others may have bound to this machine's address (DNS rebinding).
    """
    host = info.headers.get("host", "")
    name = _host_name(host)
    if name not in hosts and not is_loopback(name):
        raise Forbidden(
            f"This server is not asked for as {host!r}: use http://127.0.0.1 or http://localhost, or name the host "
            "of your proxy in GOLDEN_TRUSTED_HOSTS."
        )


def refuse_other_origin(info: RequestInfo, hosts: Collection[str]) -> None:
    """Check that the page from which a browser sends a request, if one does, is the server's own.

    Raises:
        Forbidden: it is not.
    """
    origin, host = info.headers.get("origin"), info.headers.get("host", "")
    if origin is None:
        return
    scheme, _, place = origin.strip().lower().partition("://")
    # A proxy may ask for the page under its own address while the browser knows it under the proxy's.
    if scheme not in ("http", "https") or not (place == host.strip().lower() or _host_name(place) in hosts):
        raise Forbidden(f"The page at {origin!r} may not use this server: open the server's own page.")


def is_loopback(host: str) -> bool:
    """Return whether a host name or address is this machine's own, which no other machine can be reached by."""
    try:
        return host in _LOOPBACK_NAMES or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def sends_json(content_type: str) -> bool:
    """Return whether a content type is JSON's."""
    return _JSON.fullmatch(content_type.partition(";")[0].strip().lower()) is not None


def refuse_other_site(info: RequestInfo) -> None:
    """Check that no browser says of a request that another site sent it.

    Raises:
        Forbidden: it says so.
    """
    site = info.headers.get("sec-fetch-site")
    if site is not None and site.strip().lower() not in _OWN_SITES:
        raise Forbidden("Another web page may not use this server: open the server's own page.")


def refuse_other_pages(info: RequestInfo) -> None:
    """Check that no web page of others can have sent a request in the name of the browser's user.

    Raises:
        Forbidden: one can; the text says what a program adds to it.
    """
    refuse_other_site(info)
    # Of what changes something, a browser sends only a POST to another site without asking it first (a CORS preflight,
    # which nobody answers), and that only without any of these.
    if info.method != "POST":
        return
    marked = REQUEST_HEADER in info.headers or "if-match" in info.headers
    if not marked and not sends_json(info.headers.get("content-type", "")):
        raise Forbidden(
            "A request that changes something must show that no web page of others sent it: add the header "
            "X-Golden-Request: 1, or send a JSON body with Content-Type: application/json."
        )


def is_navigation(info: RequestInfo) -> bool:
    """Return whether a browser opens a page: following a link of another page to it does no harm."""
    return info.method == "GET" and info.headers.get("sec-fetch-mode", "").strip().lower() == "navigate"


def _host_name(host: str) -> str:
    try:
        return (urlsplit(f"//{host.strip()}").hostname or "").rstrip(".")
    except ValueError:
        return ""


def text_in(header: str) -> str:
    """Return a header's text, whichever way what is not ASCII was written; characters that are none become U+FFFD."""
    if _EXTENDED.match(header):
        return unquote(header[7:], errors="replace")
    # What is not ASCII arrives as bytes that were read as Latin-1.
    try:
        return header.encode("latin-1", errors="replace").decode("utf-8")
    except UnicodeDecodeError:
        return header
