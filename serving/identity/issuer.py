"""The identity provider: where its signing keys are found, fetched beside the requests and kept while it is away."""

import asyncio
import logging
import time
from collections.abc import Callable

import httpx

from contracts.errors import Unavailable
from serving.identity.discovery import TIMEOUT_S, discover, read_json, safe_url_in
from serving.identity.signing import SigningKey, chosen_key, signing_keys_of

_LOG = logging.getLogger(__name__)
# Sets are fetched again after an hour, so that a key which the provider withdrew is refused within it.
_FRESH_FOR_S = 3_600.0
# A key id that nobody knows may be new: the set is asked for again, but seldom, whatever flood of made-up ids comes.
_ASKED_AGAIN_AFTER_S = 30.0
# While the provider does not answer, the keys that it had hold on; beyond a day they no longer tell who is who.
_KEPT_FOR_S = 24 * 3_600.0


class IssuerKeys:
    """Keeps an identity provider's signing keys. For one event loop; ``clock`` tells seconds that only grow.

    ``issuer`` is its name, an address under which it describes itself, unless ``jwks_url`` says where the keys are.
    The first request waits for them, and so does one whose key is not known; an old set is renewed beside the requests.
    """

    def __init__(self, issuer: str, *, jwks_url: str = "", clock: Callable[[], float] = time.monotonic) -> None:
        self._issuer = issuer
        self._jwks_url = jwks_url
        self._clock = clock
        self._keys: tuple[SigningKey, ...] = ()
        self._got_s = self._tried_s = float("-inf")
        self._failure = ""
        self._fetching: asyncio.Task[None] | None = None

    async def find(self, kid: str, algorithm: str) -> SigningKey | None:
        """Return the key with this id ("": the only one) for this algorithm, or None where the provider has none.

        Raises:
            Unavailable: the provider does not answer, and no keys of it are known that may still be used.
        """
        now_s = self._clock()
        if now_s - self._got_s > _KEPT_FOR_S:
            self._keys = ()
        found = chosen_key(self._keys, kid, algorithm)
        if found is None or now_s - self._got_s > _FRESH_FOR_S:
            # One fetch serves all who wait; who goes away does not stop it for the others.
            task = self._begin(now_s)
            if found is None and task is not None:
                await asyncio.shield(task)
                found = chosen_key(self._keys, kid, algorithm)
        if not self._keys:
            raise Unavailable(
                f"The identity provider {self._issuer} cannot be asked for its keys ({self._failure}), so that no "
                "token can be checked: try again in a minute."
            )
        return found

    def _begin(self, now_s: float) -> "asyncio.Task[None] | None":
        if self._fetching is None and now_s - self._tried_s >= _ASKED_AGAIN_AFTER_S:
            self._tried_s = now_s
            self._fetching = asyncio.create_task(self._fetch())
            self._fetching.add_done_callback(self._ended)
        return self._fetching

    def _ended(self, _: "asyncio.Task[None]") -> None:
        self._fetching = None

    async def _fetch(self) -> None:
        try:
            async with httpx.AsyncClient(timeout=TIMEOUT_S, follow_redirects=False) as http:
                url = self._jwks_url or safe_url_in(await discover(http, self._issuer), "jwks_uri")
                self._keys = signing_keys_of(await read_json(http, url))
        except (httpx.HTTPError, httpx.InvalidURL, ValueError, TimeoutError) as error:
            self._failure = str(error) or type(error).__name__
            kept = f"its {len(self._keys)} known keys hold on" if self._keys else "nobody with a token can be let in"
            _LOG.warning(
                "the keys of the identity provider %s were not read, %s: %s", self._issuer, kept, self._failure
            )
        else:
            self._got_s, self._failure = self._clock(), ""
