"""The identity provider (OpenID Connect): its metadata and its signing keys.

Source: OpenID Connect Discovery 1.0, section 4; RFC 7517 (key sets).
"""

import asyncio
import logging
import time
from collections.abc import Callable
from typing import Any
from urllib.parse import urlsplit

import httpx
import jwt

from contracts.errors import Unavailable
from serving.access import is_loopback

_LOG = logging.getLogger(__name__)
_TIMEOUT_S = 5.0
# Keys are fetched again after an hour, so that a withdrawn key is refused within that time.
_FRESH_FOR_S = 3_600.0
# An unknown key id may be new: the set is fetched again, but rarely, even in a flood of made-up ids.
_ASKED_AGAIN_AFTER_S = 30.0
# While the provider does not answer, its known keys stay valid, but for at most a day.
_KEPT_FOR_S = 24 * 3_600.0
# Signatures that only the provider can make. "none" is not a signature, and HS… would use the public key as a secret.
ALGORITHMS = ("RS256", "ES256", "EdDSA")


class SigningKeys:
    """Keeps an identity provider's signing keys, in one event loop; ``clock`` is a monotonic clock in seconds.

    ``issuer`` is the provider's name, an address under which it publishes its metadata. Keys are fetched for the first
    request, for a request with an unknown key, and once an hour; these requests wait.
    """

    def __init__(self, issuer: str, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._issuer = issuer
        self._clock = clock
        self._keys: tuple[jwt.PyJWK, ...] = ()
        self._got_s = self._tried_s = float("-inf")
        self._failure = ""
        self._lock = asyncio.Lock()

    async def find(self, kid: str, algorithm: str) -> jwt.PyJWK | None:
        """Return the key with this id ("": the only one) for this algorithm, or None if the provider has no such key.

        Raises:
            Unavailable: the provider does not answer, and no known key may still be used.
        """
        async with self._lock:
            found, now_s = self._chosen(kid, algorithm), self._clock()
            wanted = found is None or now_s - self._got_s > _FRESH_FOR_S
            if wanted and now_s - self._tried_s >= _ASKED_AGAIN_AFTER_S:
                await self._fetch()
                found = self._chosen(kid, algorithm)
            if not self._keys or now_s - self._got_s > _KEPT_FOR_S:
                raise Unavailable(
                    f"The identity provider {self._issuer} did not supply its keys ({self._failure}), so no "
                    "token can be checked: try again in a minute."
                )
        return found

    def _chosen(self, kid: str, algorithm: str) -> jwt.PyJWK | None:
        fitting = [key for key in self._keys if key.algorithm_name == algorithm and (not kid or key.key_id == kid)]
        return fitting[0] if len(fitting) == 1 else None

    async def _fetch(self) -> None:
        try:
            url = safe_url_in(await discover(self._issuer), "jwks_uri")
            self._keys = signing_keys_of((await ask_json("GET", url))[1])
            self._got_s, self._failure = self._clock(), ""
        except ValueError as error:
            self._failure = str(error)
            kept = f"its {len(self._keys)} known keys stay in use" if self._keys else "nobody with a token is admitted"
            _LOG.warning("the keys of the identity provider %s could not be read, %s: %s", self._issuer, kept, error)
        self._tried_s = self._clock()


def signing_keys_of(key_set: dict[str, Any]) -> tuple[jwt.PyJWK, ...]:
    """Return the usable signing keys of a key set.

    Raises:
        ValueError: it is not a key set, or none of its keys can be used.
    """
    try:
        keys = jwt.PyJWKSet.from_dict(key_set).keys
    except (jwt.PyJWTError, TypeError, AttributeError) as error:
        raise ValueError(str(error)) from None
    found = tuple(key for key in keys if key.algorithm_name in ALGORITHMS and key.public_key_use in ("sig", None))
    if not found:
        raise ValueError(f"none of its keys is for {', '.join(ALGORITHMS)}")
    return found


async def discover(issuer: str) -> dict[str, Any]:
    """Return the provider's metadata.

    Raises:
        ValueError: it does not answer, sends something else, or calls itself by a different name.
    """
    described = (await ask_json("GET", issuer.rstrip("/") + "/.well-known/openid-configuration"))[1]
    named = described.get("issuer")
    if named != issuer:
        # Otherwise this server could present another provider's keys.
        raise ValueError(f"its issuer is {named!r}: GOLDEN_OIDC_ISSUER must match exactly")
    return described


def safe_url_in(described: dict[str, Any], name: str) -> str:
    """Return an address from a provider's metadata.

    Raises:
        ValueError: there is no address with this name, or it is not safe.
    """
    url = described.get(name)
    if not isinstance(url, str) or not is_safe_url(url):
        raise ValueError(f"its {name} {url!r} is not an https address")
    return url


def is_safe_url(url: str) -> bool:
    """Return whether data read from ``url`` cannot be changed in transit: it uses https, or is on this machine."""
    try:
        parts = urlsplit(url)
        host = parts.hostname or ""
    except ValueError:
        return False
    return bool(host) and (parts.scheme == "https" or (parts.scheme == "http" and is_loopback(host)))


async def ask_json(method: str, url: str, *, ok_only: bool = True, **request: Any) -> tuple[int, dict[str, Any]]:
    """Send a request (with httpx's arguments ``request``) to ``url``; return the status and the JSON object received.

    Raises:
        ValueError: there is no answer, or it is not a JSON object; with ``ok_only``, the status is not 200.
    """
    try:
        async with asyncio.timeout(_TIMEOUT_S), httpx.AsyncClient(timeout=_TIMEOUT_S) as http:
            response = await http.request(method, url, **request)
    except (httpx.HTTPError, httpx.InvalidURL, TimeoutError) as error:
        raise ValueError(str(error) or type(error).__name__) from None
    if ok_only and response.status_code != httpx.codes.OK:
        raise ValueError(f"{url} answered {response.status_code}")
    try:
        read = response.json()
    except (ValueError, RecursionError):
        read = None
    if not isinstance(read, dict):
        raise ValueError(f"{url} did not send a JSON object")
    return response.status_code, read
