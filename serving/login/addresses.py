"""Addresses: where a browser goes after a login, and under which address people know this server."""

from dataclasses import dataclass
from urllib.parse import urlsplit

from fastapi import Request

from serving.access import RequestInfo
from serving.authentication import LOGIN

LOGOUT = "/logout"
_MAX_CHARACTERS = 2_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Addresses:
    """Where people find this server: ``prefix`` ("/golden", "" for none) is its path for them.

    ``public_url`` is the whole address with the prefix, "" where each browser says it.
    """

    prefix: str = ""
    public_url: str = ""

    @property
    def login(self) -> str:
        return self.prefix + LOGIN

    def next_place(self, wanted: str) -> str:
        """Return ``wanted`` where it is a path of this server behind its login, else the first page.

        Whatever a browser could read as another server's address is none: "//host", a backslash, a control character.
        """
        first = f"{self.prefix}/"
        if not wanted.startswith(first) or len(wanted) > _MAX_CHARACTERS:
            return first
        if wanted.startswith("//") or "\\" in wanted or not wanted.isprintable() or " " in wanted:
            return first
        try:
            parts = urlsplit(wanted)
        except ValueError:
            return first
        # A browser resolves dots before it asks, and the login is no place to come back to.
        dotted = any(part in (".", "..") for part in parts.path.replace("%2e", ".").replace("%2E", ".").split("/"))
        beside = parts.path.removeprefix(self.prefix).startswith((LOGIN, LOGOUT))
        return first if dotted or beside or parts.scheme or parts.netloc else wanted

    def is_secure(self, request: Request) -> bool:
        """Return whether a browser asked over https.

        A header may say so: whoever lies in it only marks their own cookie.
        """
        said = request.headers.get("x-forwarded-proto", "").partition(",")[0].strip().lower()
        origin = request.headers.get("origin", "").lower()
        public = self.public_url.startswith("https://")
        return public or request.url.scheme == "https" or said == "https" or origin[:8] == "https://"

    def address_of(self, request: Request, info: RequestInfo) -> str:
        """Return the address under which the browser knows this server, prefix and all, without a "/" at its end."""
        if self.public_url:
            return self.public_url
        scheme = "https" if self.is_secure(request) else "http"
        return f"{scheme}://{info.headers.get('host', '')}{self.prefix}"
