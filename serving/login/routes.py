"""Routes of the login: its page, a login with a key, the way to the identity provider and back, the logout."""

import asyncio
import ipaddress
from collections.abc import Mapping
from datetime import UTC, datetime
from urllib.parse import parse_qs

from fastapi import APIRouter, Request
from fastapi.responses import RedirectResponse, Response

from contracts.errors import GoldenError
from library.key_values import ApiKey
from serving.access import (
    REQUEST_HEADER,
    Actor,
    Forbidden,
    Guard,
    Knock,
    TooManyRequests,
    refuse_strange_host,
    refuse_strange_origin,
)
from serving.areas import Area
from serving.doorway import LOGIN, knock_of
from serving.identity.session import COOKIE, cookie_in
from serving.keys import actor_of
from serving.login.cookies import JOURNEY, give_journey, give_session, take_journey, take_session
from serving.login.desk import LoginDesk
from serving.login.page import LoginPage
from serving.login.places import LOGOUT
from serving.login.provider import LoginFailed
from serving.login.words import language_for
from serving.problems import problem_of, request_id_of

START, CALLBACK = f"{LOGIN}/oidc", f"{LOGIN}/oidc/callback"
PATHS = (LOGIN, LOGOUT, START, CALLBACK)
# A key and a path, and room to spare.
MAX_BODY_BYTES = 16 * 1024
_MAX_FIELDS = 8
_OWN_SITES = frozenset({"same-origin", "none"})
_SEE_OTHER = 303
_STATUSES = {"provider_away": 503, "provider_denied": 403, "provider_refused": 403, "provider_stale": 400}


def login_area(desk: LoginDesk, guard: Guard) -> Area:
    """Return ``/login`` and ``/logout``, open to everybody: they tell nothing, and let in who shows who they are."""
    login = _Login(desk, guard)
    router = APIRouter(include_in_schema=False)
    router.add_api_route(LOGIN, login.show, methods=["GET", "HEAD"])
    router.add_api_route(LOGIN, login.log_in, methods=["POST"])
    router.add_api_route(LOGOUT, login.log_out, methods=["POST"])
    if desk.provider is not None:
        router.add_api_route(START, login.depart, methods=["GET"])
        router.add_api_route(CALLBACK, login.arrive, methods=["GET"])
    return Area(routers=(router,), bounds=dict.fromkeys((LOGIN, LOGOUT), MAX_BODY_BYTES), open=PATHS)


class _Login:
    def __init__(self, desk: LoginDesk, guard: Guard) -> None:
        self._desk = desk
        self._guard = guard

    async def show(self, request: Request) -> Response:
        """Show the page; where nobody is asked who they are, there is nothing to log in to."""
        try:
            self._expect_own_name(knock_of(request))
        except GoldenError as error:
            return self._refusal(request, error)
        following = self._following(request.query_params.get("next", ""))
        if not self._guard.asks_everyone:
            return RedirectResponse(following, _SEE_OTHER)
        left = "left" in request.query_params
        provider, left_url = self._desk.provider, ""
        if left and provider is not None:
            address = self._desk.places.address_of(request, knock_of(request))
            left_url = await provider.leaving_url(return_url=address + LOGIN)
        return self._page(request, following, left=left, left_url=left_url).response()

    async def log_in(self, request: Request) -> Response:
        """Begin a session for whoever sends a key in force."""
        try:
            knock = knock_of(request)
            self._expect_own_page(knock)
            form = await _form_in(request)
            following = self._following(form.get("next", ""))
            with self._desk.attempts.counted(_counted_as(knock.peer)):
                return await self._with_key(request, form.get("key", "").strip(), following)
        except GoldenError as error:
            return self._refusal(request, error)

    async def _with_key(self, request: Request, key: str, following: str) -> Response:
        if not key:
            return self._page(request, following, said="no_key").response(400)
        record = await asyncio.to_thread(self._desk.keys.find, key)
        if record is None or record.state_at(datetime.now(UTC)) != "active":
            asked = {"www-authenticate": 'Bearer realm="Golden Retriever"'}
            return self._page(request, following, said="wrong_key").response(401, asked)
        if "ask" not in record.scopes:
            return self._page(request, following, said="no_asking").response(403)
        return await self._begin(request, following, actor_of(record), record)

    async def depart(self, request: Request) -> Response:
        """Send the browser to the identity provider."""
        provider, places = self._desk.provider, self._desk.places
        assert provider is not None
        following = self._following(request.query_params.get("next", ""))
        try:
            knock = knock_of(request)
            self._expect_own_name(knock)
            address = places.address_of(request, knock)
            journey = await provider.depart(following, return_url=address + CALLBACK)
        except GoldenError as error:
            return self._refusal(request, error, following)
        response = RedirectResponse(journey.url, _SEE_OTHER)
        secure = places.is_secure(request)
        give_journey(response, journey.cookie, path=places.cookie_path, secure=secure, lasts_s=journey.lasts_s)
        return response

    async def arrive(self, request: Request) -> Response:
        """Begin a session for whom the identity provider names."""
        provider, places = self._desk.provider, self._desk.places
        assert provider is not None
        try:
            knock = knock_of(request)
            self._expect_own_name(knock)
            with self._desk.attempts.counted(_counted_as(knock.peer)):
                arrival = await provider.arrive(
                    dict(request.query_params),
                    cookie_in(knock.headers.get("cookie", ""), JOURNEY),
                    return_url=places.address_of(request, knock) + CALLBACK,
                )
                following = self._following(arrival.following)
                if "ask" in arrival.actor.scopes:
                    response = await self._begin(request, following, arrival.actor)
                else:
                    said = {"name": arrival.actor.name}
                    response = self._page(request, following, said="person_no_asking", values=said).response(403)
        except GoldenError as error:
            response = self._refusal(request, error)
        take_journey(response, path=places.cookie_path, secure=places.is_secure(request))
        return response

    async def log_out(self, request: Request) -> Response:
        """End the browser's session."""
        try:
            knock = knock_of(request)
            self._expect_own_page(knock)
            token = cookie_in(knock.headers.get("cookie", ""), COOKIE)
            await asyncio.to_thread(self._desk.sessions.end, token)
        except GoldenError as error:
            return self._refusal(request, error)
        places = self._desk.places
        response = RedirectResponse(f"{places.login}?left=1", _SEE_OTHER)
        take_session(response, path=places.cookie_path, secure=places.is_secure(request))
        return response

    async def _begin(self, request: Request, following: str, who: Actor, key: ApiKey | None = None) -> Response:
        """Begin a session of its own secret, whatever the browser sent, and end the one that it had."""
        # For the log's line of the request.
        request.state.actor = who
        sessions, places = self._desk.sessions, self._desk.places
        await asyncio.to_thread(sessions.end, cookie_in(request.headers.get("cookie", ""), COOKIE))
        if key is not None:
            token = await asyncio.to_thread(sessions.begin_for_key, key, account=who.account)
        else:
            token = await asyncio.to_thread(
                sessions.begin_for_person, who.name, account=who.account, scopes=who.scopes, groups=who.groups
            )
        response = RedirectResponse(following, _SEE_OTHER)
        lasts_s = int(sessions.whole.total_seconds())
        secure = places.is_secure(request)
        give_session(response, token, path=places.cookie_path, secure=secure, lasts_s=lasts_s)
        return response

    def _following(self, wanted: str) -> str:
        return self._desk.places.next_place(wanted)

    def _page(
        self,
        request: Request,
        following: str,
        *,
        said: str = "",
        values: Mapping[str, object] | None = None,
        left: bool = False,
        left_url: str = "",
    ) -> LoginPage:
        provider = self._desk.provider
        return LoginPage(
            language=language_for(request.headers.get("accept-language", "")),
            path=self._desk.places.login,
            following=following,
            provider=provider.name if provider is not None else "",
            said=said,
            values={"provider": provider.name if provider is not None else "", **(values or {})},
            left=left,
            left_url=left_url,
        )

    def _refusal(self, request: Request, error: GoldenError, following: str = "") -> Response:
        following = following or self._following("")
        if isinstance(error, LoginFailed):
            page = self._page(request, following, said=error.failure, values={"reason": error.reason})
            return page.response(_STATUSES[error.failure])
        if isinstance(error, TooManyRequests):
            seconds = {"seconds": error.retry_after_s}
            page = self._page(request, following, said="too_often", values=seconds)
            return page.response(429, {"retry-after": str(error.retry_after_s)})
        status, problem = problem_of(error, request_id_of(request))
        said = "refused" if status < 500 else "unavailable"
        return self._page(request, following, said=said, values={"reason": problem.message}).response(status)

    def _expect_own_name(self, knock: Knock) -> None:
        if self._desk.hosts or not self._guard.asks_everyone:
            refuse_strange_host(knock, self._desk.hosts)

    def _expect_own_page(self, knock: Knock) -> None:
        """See that the form was sent by the page of this server: nobody is logged in or out by another one.

        Raises:
            Forbidden: another page sent it, or nothing says that none did.
        """
        self._expect_own_name(knock)
        refuse_strange_origin(knock, self._desk.hosts)
        site = knock.headers.get("sec-fetch-site", "").strip().lower()
        if site and site not in _OWN_SITES:
            raise Forbidden("Another web page may not do this: open the server's own page.")
        if not site and "origin" not in knock.headers and REQUEST_HEADER not in knock.headers:
            raise Forbidden("The browser must say which page sends this (Origin), so that no other one can.")


async def _form_in(request: Request) -> dict[str, str]:
    """Return the fields of a form, of several of one name the first."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/x-www-form-urlencoded":
        return {}
    try:
        read = parse_qs((await request.body()).decode("utf-8", errors="replace"), max_num_fields=_MAX_FIELDS)
    except ValueError:
        return {}
    return {name: values[0] for name, values in read.items()}


def _counted_as(peer: str) -> str:
    """Return what counts as one address: of IPv6, whoever has one has the 64 bits behind it, too."""
    try:
        address = ipaddress.ip_address(peer.partition("%")[0])
    except ValueError:
        return f"login:{peer}"
    mapped = getattr(address, "ipv4_mapped", None)
    behind = address.version == 6 and mapped is None
    return f"login:{ipaddress.ip_network((int(address), 64), strict=False) if behind else mapped or address}"
