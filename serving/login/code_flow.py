"""The authorization code flow with PKCE: people log in at the identity provider, which reports who they are.

Source: OpenID Connect Core 1.0, section 3.1; RFC 6749, section 4.1; RFC 7636 (PKCE); RFC 9207 (issuer of the response);
RFC 9700 (attacks).
"""

import base64
import hashlib
import hmac
import logging
import re
import secrets
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Annotated, Literal
from urllib.parse import quote_plus

import httpx
from pydantic import BaseModel, ConfigDict, Field, StrictInt

from contracts.errors import GoldenError, Unavailable
from serving.access import Actor, Unauthenticated
from serving.identity.provider import ask_json, discover, safe_url_in
from serving.identity.tokens import TokenRecogniser

# Possible failures, named like the texts that describe them.
Failure = Literal["provider_denied", "provider_stale", "provider_unavailable", "provider_refused"]

# How long to wait for the provider's answer.
LASTS_S = 600
_LOG = logging.getLogger(__name__)
_PLAIN_ERROR = re.compile(r"[a-z_]{1,60}")
_AWAY = frozenset({"server_error", "temporarily_unavailable"})
_Text = Annotated[str, Field(min_length=1)]


class LoginFailed(GoldenError):
    """The provider did not identify the person; ``failure`` is the cause, and the text is the reason to show."""

    code = "login_failed"

    def __init__(self, failure: Failure, reason: str = "") -> None:
        super().__init__(reason or failure)
        self.failure: Failure = failure
        self.reason = reason


class _Begun(BaseModel):
    """A login that was started, as stored in the browser's cookie: nobody else's response matches it."""

    model_config = ConfigDict(frozen=True)

    state: _Text
    nonce: _Text
    verifier: _Text
    following: _Text
    at_s: StrictInt


@dataclass(frozen=True, slots=True, kw_only=True)
class CodeFlow:
    """Logs people in with the authorization code flow.

    ``client_id`` and ``client_secret`` ("" for a public client) identify this server to the provider, which is called
    ``name``; ``scopes`` are OAuth scopes, separated by spaces. ``reader`` reads its tokens; ``clock`` returns Unix time
    in seconds. The state of a login is in the browser's cookie, so that any server process can finish it.
    """

    issuer: str
    client_id: str
    client_secret: str = field(default="", repr=False)
    scopes: str = "openid profile"
    name: str = ""
    reader: TokenRecogniser
    clock: Callable[[], float] = time.time

    async def begin(self, following: str, *, return_url: str) -> tuple[str, str]:
        """Return the address at which a browser logs in before it opens ``following``, and a cookie for the browser.

        Raises:
            LoginFailed: the provider cannot be reached right now.
        """
        endpoint = await self._endpoint("authorization_endpoint")
        state, nonce, verifier = secrets.token_urlsafe(32), secrets.token_urlsafe(32), secrets.token_urlsafe(48)
        begun = _Begun(state=state, nonce=nonce, verifier=verifier, following=following, at_s=int(self.clock()))
        asked = {
            "response_type": "code",
            "client_id": self.client_id,
            "redirect_uri": return_url,
            "scope": self.scopes,
            "state": state,
            "nonce": nonce,
            "code_challenge": _segment(hashlib.sha256(verifier.encode("ascii")).digest()),
            "code_challenge_method": "S256",
        }
        return str(httpx.URL(endpoint).copy_merge_params(asked)), _segment(begun.model_dump_json().encode())

    async def finish(self, answer: Mapping[str, str], cookie: str, *, return_url: str) -> tuple[Actor, str]:
        """Return the person named in the provider's response to the browser with this cookie, and the page to open.

        Raises:
            LoginFailed: the response names nobody, does not belong to this browser, or cannot be trusted.
        """
        begun = _read(cookie)
        if begun is None or not 0 <= self.clock() - begun.at_s + 1 <= LASTS_S:
            raise LoginFailed("provider_stale")
        if not hmac.compare_digest(answer.get("state", "").encode(), begun.state.encode()):
            raise LoginFailed("provider_stale")
        if "error" in answer:
            raise _failure_of(answer["error"])
        if answer.get("iss", self.issuer) != self.issuer:
            raise LoginFailed("provider_refused", "a different provider answered.")
        if not answer.get("code"):
            raise LoginFailed("provider_refused", "it sent no code.")
        token = await self._exchanged(answer["code"], begun.verifier, return_url)
        try:
            actor = await self.reader.read(token, nonce=begun.nonce, client_id=self.client_id)
        except Unauthenticated as error:
            raise LoginFailed("provider_refused", str(error)) from None
        except Unavailable as error:
            raise LoginFailed("provider_unavailable", str(error)) from None
        return actor, begun.following

    async def _exchanged(self, code: str, verifier: str, return_url: str) -> str:
        """Return the ID token that the provider issues for a code."""
        endpoint = await self._endpoint("token_endpoint")
        form = {"grant_type": "authorization_code", "code": code, "redirect_uri": return_url, "code_verifier": verifier}
        shown = (quote_plus(self.client_id), quote_plus(self.client_secret)) if self.client_secret else None
        if shown is None:
            form["client_id"] = self.client_id
        try:
            status, content = await ask_json("POST", endpoint, ok_only=False, data=form, auth=shown)
        except ValueError as error:
            _LOG.warning("the identity provider %s issued no token: %s", self.issuer, error)
            raise LoginFailed("provider_unavailable") from None
        if status != httpx.codes.OK:
            _LOG.warning("the identity provider %s issued no token: %s", self.issuer, _plain(content.get("error")))
            if status >= httpx.codes.INTERNAL_SERVER_ERROR:
                raise LoginFailed("provider_unavailable")
            raise (
                LoginFailed("provider_stale")
                if content.get("error") == "invalid_grant"
                else _failure_of(content.get("error"))
            )
        token = content.get("id_token")
        if not isinstance(token, str):
            raise LoginFailed("provider_refused", "it sent no ID token (is the scope openid asked for?).")
        return token

    async def _endpoint(self, name: str) -> str:
        try:
            return safe_url_in(await discover(self.issuer), name)
        except ValueError as error:
            _LOG.warning("nobody can log in at the identity provider %s: %s", self.issuer, error)
            raise LoginFailed("provider_unavailable") from None


def _failure_of(error: object) -> LoginFailed:
    """Return a message for an error code of the provider; its own text cannot be trusted."""
    if error == "access_denied":
        return LoginFailed("provider_denied")
    if error in _AWAY:
        return LoginFailed("provider_unavailable")
    return LoginFailed("provider_refused", f"it answered {_plain(error)}.")


def _plain(error: object) -> str:
    return error if isinstance(error, str) and _PLAIN_ERROR.fullmatch(error) else "with an error in an unknown format"


def _segment(raw: bytes) -> str:
    return base64.urlsafe_b64encode(raw).rstrip(b"=").decode("ascii")


def _read(cookie: str) -> _Begun | None:
    """Return the login stored in a cookie, None if there is none: browsers can send anything."""
    try:
        return _Begun.model_validate_json(base64.urlsafe_b64decode(cookie + "=" * (-len(cookie) % 4)))
    except ValueError:
        return None
