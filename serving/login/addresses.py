"""Addresses: where a browser goes after a login, and the address under which people reach this server."""

from dataclasses import dataclass

from fastapi import Request

from serving.access import RequestInfo
from serving.authentication import LOGIN

LOGOUT = "/logout"
START, CALLBACK = f"{LOGIN}/oidc", f"{LOGIN}/oidc/callback"
PATHS = (LOGIN, LOGOUT, START, CALLBACK)
_MAX_CHARACTERS = 2_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Addresses:
    """The addresses at which people reach this server; ``prefix`` is its path ("/golden", "" for none).

    ``public_url`` is the whole address with the prefix, "" if taken from each browser's request.
    """

    prefix: str = ""
    public_url: str = ""

    @property
    def login(self) -> str:
        return self.prefix + LOGIN

    def next_place(self, wanted: str) -> str:
        """Return ``wanted`` if it is a path of this server other than the login, otherwise the first page.

        Anything that a browser could read as another server's address is rejected: "//host", a backslash, a control
        character.
        """
        first = f"{self.prefix}/"
        if not wanted.startswith(first) or wanted.startswith("//") or len(wanted) > _MAX_CHARACTERS:
            return first
        path = wanted.partition("?")[0].partition("#")[0].removeprefix(self.prefix)
        # Browsers resolve dots before they send a request, and the login is not a page to return to.
        dotted = any(part in (".", "..") for part in path.lower().replace("%2e", ".").split("/"))
        odd = "\\" in wanted or " " in wanted or not wanted.isprintable()
        return first if odd or dotted or path.startswith((LOGIN, LOGOUT)) else wanted

    def is_secure(self, request: Request) -> bool:
        """Return whether a browser used https.

        A header may report this; a false one only affects the sender's own cookie.
        """
        said = request.headers.get("x-forwarded-proto", "").partition(",")[0].strip().lower()
        origin = request.headers.get("origin", "").lower()
        public = self.public_url.startswith("https://")
        return public or request.url.scheme == "https" or said == "https" or origin[:8] == "https://"

    def address_of(self, request: Request, info: RequestInfo) -> str:
        """Return the address at which the browser reaches this server, with the prefix, without a trailing "/"."""
        if self.public_url:
            return self.public_url
        scheme = "https" if self.is_secure(request) else "http"
        return f"{scheme}://{info.headers.get('host', '')}{self.prefix}"
