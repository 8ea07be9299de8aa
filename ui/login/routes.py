"""Routes for logging in: the page, the login with a key, the redirect to the identity provider and back, the logout.

The page is plain HTML with a form and its own style; it has no scripts and loads nothing from other hosts.
"""

import asyncio
import base64
import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response
from markupsafe import Markup

from contracts.errors import GoldenError
from contracts.keys import ApiKey
from library.keys import KeyStore
from library.sessions import SessionStore
from serving.access import REQUEST_HEADER, Actor, Forbidden, RequestInfo, TooManyRequests, refuse_other_origin
from serving.authentication import LOGIN, request_info
from serving.identity.credentials import COOKIE, actor_of
from serving.identity.guards import Guard
from serving.login.addresses import CALLBACK, LOGOUT, START, Addresses
from serving.login.code_flow import LASTS_S, CodeFlow, LoginFailed
from serving.problems import problem_of, request_id_of
from serving.rate_limits import RequestLimits
from ui.html import render
from ui.style import read_static
from ui.words import language_for, words_in

# The cookie of a browser during a login at the provider, to recognise the response.
BEGUN_COOKIE = "golden_login"
# Enough for a key and a path.
MAX_BODY_BYTES = 16 * 1024
_MAX_FIELDS = 8
_OWN_SITES = frozenset({"same-origin", "none"})
_SEE_OTHER = 303
_POLICY = (
    "default-src 'none'; img-src data:; style-src 'sha256-{style}'; form-action 'self'; base-uri 'none'; "
    "frame-ancestors 'none'"
)
_STATUSES = {"provider_unavailable": 503, "provider_denied": 403, "provider_refused": 403, "provider_stale": 400}


@dataclass(frozen=True, slots=True, kw_only=True)
class Login:
    """Logs people in and out.

    ``attempts`` limits the logins from each address. ``provider`` can log people in, too.
    """

    keys: KeyStore
    sessions: SessionStore
    addresses: Addresses
    attempts: RequestLimits
    guard: Guard
    provider: CodeFlow | None = None

    async def show(self, request: Request) -> Response:
        """Show the page; if the server does not authenticate people, there is nothing to log in to."""
        try:
            self.guard.expect_own_name(request_info(request))
        except GoldenError as error:
            return self._refusal(request, error)
        following = self.addresses.next_place(request.query_params.get("next", ""))
        if not self.guard.asks_everyone:
            return RedirectResponse(following, _SEE_OTHER)
        return self._page(request, following, logged_out="logged_out" in request.query_params)

    async def log_in(self, request: Request) -> Response:
        try:
            info = request_info(request)
            self._expect_own_page(info)
            async with request.form(max_files=0, max_fields=_MAX_FIELDS) as form:
                key, following = str(form.get("key", "")).strip(), self.addresses.next_place(str(form.get("next", "")))
            async with self.attempts.counted(f"login:{info.peer}"):
                return await self._with_key(request, key, following)
        except GoldenError as error:
            return self._refusal(request, error)

    async def _with_key(self, request: Request, key: str, following: str) -> Response:
        if not key:
            return self._page(request, following, "no_key", status=400)
        record = await asyncio.to_thread(self.keys.find, key)
        if record is None or record.state != "active":
            asked = {"www-authenticate": 'Bearer realm="Golden Retriever"'}
            return self._page(request, following, "wrong_key", status=401, headers=asked)
        if "ask" not in record.scopes:
            return self._page(request, following, "no_ask_scope", status=403)
        return await self._begin(request, following, actor_of(record), record)

    async def go_to_provider(self, request: Request) -> Response:
        provider, addresses = self.provider, self.addresses
        assert provider is not None
        following = self.addresses.next_place(request.query_params.get("next", ""))
        try:
            info = request_info(request)
            self.guard.expect_own_name(info)
            address = addresses.address_of(request, info)
            url, cookie = await provider.begin(following, return_url=address + CALLBACK)
        except GoldenError as error:
            return self._refusal(request, error, following)
        response = RedirectResponse(url, _SEE_OTHER)
        self._keep(request, response, BEGUN_COOKIE, cookie, lasts_s=LASTS_S)
        return response

    async def come_back(self, request: Request) -> Response:
        provider, addresses = self.provider, self.addresses
        assert provider is not None
        try:
            info = request_info(request)
            self.guard.expect_own_name(info)
            async with self.attempts.counted(f"login:{info.peer}"):
                actor, following = await provider.finish(
                    dict(request.query_params),
                    request.cookies.get(BEGUN_COOKIE, ""),
                    return_url=addresses.address_of(request, info) + CALLBACK,
                )
                following = self.addresses.next_place(following)
                if "ask" in actor.scopes:
                    response = await self._begin(request, following, actor)
                else:
                    response = self._page(
                        request, following, "person_no_ask_scope", values={"name": actor.name}, status=403
                    )
        except GoldenError as error:
            response = self._refusal(request, error)
        # A provider's response can be used only once.
        self._forget(request, response, BEGUN_COOKIE)
        return response

    async def log_out(self, request: Request) -> Response:
        try:
            info = request_info(request)
            self._expect_own_page(info)
            token = request.cookies.get(COOKIE, "")
            await asyncio.to_thread(self.sessions.end, token)
        except GoldenError as error:
            return self._refusal(request, error)
        response = RedirectResponse(f"{self.addresses.login}?logged_out=1", _SEE_OTHER)
        self._forget(request, response, COOKIE)
        return response

    async def _begin(self, request: Request, following: str, who: Actor, key: ApiKey | None = None) -> Response:
        """Start a session with a new secret, regardless of what the browser sent, and end its previous session."""
        # For the request log.
        request.state.actor = who
        sessions = self.sessions
        await asyncio.to_thread(sessions.end, request.cookies.get(COOKIE, ""))
        if key is not None:
            token = await asyncio.to_thread(sessions.begin_for_key, key, account=who.account)
        else:
            token = await asyncio.to_thread(
                sessions.begin_for_person, who.name, account=who.account, scopes=who.scopes, groups=who.groups
            )
        response = RedirectResponse(following, _SEE_OTHER)
        # The server decides when a session ends, even if the browser keeps the cookie longer.
        self._keep(request, response, COOKIE, token, lasts_s=int(sessions.whole.total_seconds()))
        return response

    def _keep(self, request: Request, response: Response, name: str, value: str, *, lasts_s: int) -> None:
        """Set a cookie that scripts cannot read and that requests from other sites carry only if they open a page."""
        response.set_cookie(name, value, max_age=lasts_s, **self._cookie(request))

    def _forget(self, request: Request, response: Response, name: str) -> None:
        response.delete_cookie(name, **self._cookie(request))

    def _cookie(self, request: Request) -> dict[str, Any]:
        addresses = self.addresses
        return {
            "path": addresses.prefix or "/",
            "secure": addresses.is_secure(request),
            "httponly": True,
            "samesite": "lax",
        }

    def _page(
        self,
        request: Request,
        following: str,
        message: str = "",
        *,
        values: Mapping[str, object] | None = None,
        logged_out: bool = False,
        status: int = 200,
        headers: Mapping[str, str] | None = None,
    ) -> Response:
        """Return the page with a ``message`` ("": none) and its ``values``; it is not cached and runs no scripts."""
        provider = self.provider.name if self.provider is not None else ""
        words = words_in(language_for("", request.headers.get("accept-language", "")))
        style = read_static("login.css")
        text = render(
            "login/page.html",
            words=words,
            style=Markup(style),
            message=words(f"login.{message}", provider=provider, **(values or {})) if message else "",
            path=self.addresses.login,
            following=following,
            provider=provider,
            logged_out=logged_out,
        )
        digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
        own = {
            "content-security-policy": _POLICY.format(style=digest),
            "cache-control": "no-store",
            "content-language": words.language,
            "vary": "Accept-Language",
        }
        return HTMLResponse(text, status, {**own, **(headers or {})})

    def _refusal(self, request: Request, error: GoldenError, following: str = "") -> Response:
        following = following or self.addresses.next_place("")
        if isinstance(error, LoginFailed):
            values = {"reason": error.reason}
            return self._page(request, following, error.failure, values=values, status=_STATUSES[error.failure])
        if isinstance(error, TooManyRequests):
            wait_s = error.retry_after_s
            headers = {"retry-after": str(wait_s)}
            return self._page(request, following, "too_often", values={"seconds": wait_s}, status=429, headers=headers)
        status, problem = problem_of(error, request_id_of(request))
        message = "refused" if status < 500 else "unavailable"
        return self._page(request, following, message, values={"reason": problem.message}, status=status)

    def _expect_own_page(self, info: RequestInfo) -> None:
        """Check that this server's page sent the form: no other page may log anybody in or out.

        Raises:
            Forbidden: another page sent it, or this cannot be ruled out.
        """
        self.guard.expect_own_name(info)
        refuse_other_origin(info, self.guard.hosts)
        site = info.headers.get("sec-fetch-site", "").strip().lower()
        if site and site not in _OWN_SITES:
            raise Forbidden("Other web pages are not allowed to do this: use the server's own page.")
        if not site and "origin" not in info.headers and REQUEST_HEADER not in info.headers:
            raise Forbidden("The browser must state which page sends this (Origin), so that no other page can.")


def login_router(login: Login) -> APIRouter:
    """Return ``/login`` and ``/logout``, open to everybody: they reveal nothing without a login."""
    router = APIRouter(include_in_schema=False, max_body_size=MAX_BODY_BYTES)
    router.add_api_route(LOGIN, login.show, methods=["GET", "HEAD"])
    router.add_api_route(LOGIN, login.log_in, methods=["POST"])
    router.add_api_route(LOGOUT, login.log_out, methods=["POST"])
    if login.provider is not None:
        router.add_api_route(START, login.go_to_provider, methods=["GET"])
        router.add_api_route(CALLBACK, login.come_back, methods=["GET"])
    return router
