"""Logging in at the company's provider, which is a real server with real keys: there, back, and what may go wrong."""

from collections.abc import AsyncIterator
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

import httpx
import pytest

from serving.identity.base import Grants
from serving.identity.credentials import COOKIE
from serving.identity.provider import SigningKeys
from serving.identity.tokens import TokenRecogniser
from serving.login.code_flow import CodeFlow
from tests.serving.identity.provider import CLIENT_SECRET, Provider
from tests.serving.login.served import CALLS, OPENS, House, from_page, serve, who
from ui.login.routes import BEGUN_COOKIE

pytestmark = pytest.mark.slow

FROM_PROVIDER = OPENS | {"sec-fetch-site": "cross-site"}
ROLES = {"helpdesk": frozenset({"manage"}), "it": frozenset({"all-groups"})}


def flow_of(
    provider: Provider, *, client_id: str = "golden-web", everybody: tuple[Any, ...] = ("ask",), **rules: Any
) -> CodeFlow:
    grants = Grants(everybody=frozenset(everybody), by_role=ROLES)  # type: ignore[arg-type]
    keys, issuer = SigningKeys(provider.issuer), provider.issuer
    reader = TokenRecogniser(keys=keys, issuer=issuer, audiences=(client_id,), grants=grants)
    secret = "" if client_id == "golden-public" else CLIENT_SECRET
    client: dict[str, Any] = {"client_id": client_id, "client_secret": secret, "name": "Corp <ID>"}
    return CodeFlow(issuer=issuer, reader=reader, **client, **rules)


@pytest.fixture
async def http(house: House, provider: Provider) -> AsyncIterator[httpx.AsyncClient]:
    async with serve(house.with_desk(provider=flow_of(provider))) as opened:
        yield opened


async def depart(http: httpx.AsyncClient, following: str = "/review?x=1") -> str:
    """Go to the provider as a browser does; return where it sends the browser back to."""
    gone = await http.get(f"/login/oidc?{urlencode({'next': following})}", headers=OPENS)
    assert gone.status_code == 303, gone.text
    async with httpx.AsyncClient() as elsewhere:
        back = await elsewhere.get(gone.headers["location"])
    assert back.status_code == 302
    return back.headers["location"]


async def come_back(http: httpx.AsyncClient, following: str = "/review?x=1") -> httpx.Response:
    return await http.get(await depart(http, following), headers=FROM_PROVIDER)


@pytest.mark.parametrize("client_id", ["golden-web", "golden-public"])
async def test_login_at_provider_gives_identity_in_its_token(house: House, provider: Provider, client_id: str) -> None:
    provider.extra_claims = {"groups": ["/lab", "helpdesk"], "preferred_username": "Ada"}
    async with serve(house.with_desk(provider=flow_of(provider, client_id=client_id))) as http:
        page = await http.get("/login?next=/review", headers=OPENS)
        assert "Log in with Corp &lt;ID&gt;" in page.text
        assert 'href="/login/oidc?next=%2Freview"' in page.text
        done = await come_back(http)
        assert (done.status_code, done.headers["location"]) == (303, "/review?x=1")
        assert BEGUN_COOKIE not in http.cookies, "each response is accepted once"
        account = await who(http)
        assert (account["name"], account["scopes"], account["can_log_out"]) == ("Ada", ["ask", "manage"], True)
        assert account["groups"] == ["everyone", "helpdesk", "lab"]
        assert (await http.post("/logout", headers=from_page(http))).status_code == 303
        assert (await http.get("/api/me", headers=CALLS)).status_code == 401


async def test_authorization_request_has_a_challenge_but_not_the_verifier(http: httpx.AsyncClient) -> None:
    gone = await http.get("/login/oidc", headers=OPENS)
    asked = {name: values[0] for name, values in parse_qs(urlsplit(gone.headers["location"]).query).items()}
    assert asked["redirect_uri"] == f"{str(http.base_url).rstrip('/')}/login/oidc/callback"
    assert (asked["response_type"], asked["scope"], asked["client_id"]) == ("code", "openid profile", "golden-web")
    assert (asked["code_challenge_method"], len(asked["code_challenge"])) == ("S256", 43)
    assert CLIENT_SECRET not in gone.headers["location"]
    again = await http.get("/login/oidc", headers=OPENS)
    second = {name: values[0] for name, values in parse_qs(urlsplit(again.headers["location"]).query).items()}
    for name in ("state", "nonce", "code_challenge"):
        assert len(asked[name]) >= 43
        assert asked[name] != second[name]
    cookie = next(each for each in again.headers.get_list("set-cookie") if each.startswith(BEGUN_COOKIE))
    assert "HttpOnly" in cookie
    assert "Max-Age=600" in cookie


async def test_callback_uses_the_public_address(house: House, provider: Provider) -> None:
    placed = house.with_addresses(prefix="/golden", public_url="https://intranet.example/golden")
    async with serve(placed.with_desk(provider=flow_of(provider))) as http:
        gone = await http.get("/golden/login/oidc", headers=OPENS)
        asked = parse_qs(urlsplit(gone.headers["location"]).query)
        assert asked["redirect_uri"] == ["https://intranet.example/golden/login/oidc/callback"]
        assert "Secure" in gone.headers["set-cookie"]


async def test_callback_for_another_browser_is_refused(http: httpx.AsyncClient, subtests: pytest.Subtests) -> None:
    # Changes to the callback's address, or to the cookie of the login that started it.
    for old, new, cookie, status, words in (
        ("", "", None, 400, "started in another window"),
        ("", "", "W10", 400, "started in another window"),
        ("state=", "state=x", "", 400, "started in another window"),
        ("code=code-", "code=stolen-", "", 400, "started in another window"),
        ("iss=", "iss=https%3A%2F%2Fevil.example", "", 403, "a different provider answered"),
        ("code=", "other=", "", 403, "it sent no code"),
    ):
        with subtests.test(old=old, new=new, cookie=cookie):
            back = (await depart(http)).replace(old, new)
            if cookie != "":
                http.cookies.clear()
            if cookie:
                http.cookies.set(BEGUN_COOKIE, cookie)
            page = await http.get(back, headers=FROM_PROVIDER)
            assert (page.status_code, COOKIE in page.headers.get("set-cookie", "")) == (status, False)
            assert words in page.text
            assert (await http.get("/api/me", headers=CALLS)).status_code == 401


async def test_callback_is_accepted_once_within_ten_minutes(house: House, provider: Provider) -> None:
    now = [1_000_000.0]
    async with serve(house.with_desk(provider=flow_of(provider, clock=lambda: now[0]))) as http:
        back = await depart(http)
        kept = dict(http.cookies)
        assert (await http.get(back, headers=FROM_PROVIDER)).status_code == 303
        http.cookies.clear()
        http.cookies.update(kept)
        assert (await http.get(back, headers=FROM_PROVIDER)).status_code == 400, "the provider accepts a code once"
        late = await depart(http)
        now[0] += 601
        assert "has expired" in (await http.get(late, headers=FROM_PROVIDER)).text


async def test_provider_error_is_shown_in_our_words(
    http: httpx.AsyncClient, provider: Provider, subtests: pytest.Subtests
) -> None:
    for error, status, words in (
        ("access_denied", 403, "did not let you in"),
        ("temporarily_unavailable", 503, "cannot be reached right now"),
        ("login_required", 403, "it answered login_required"),
        ("<b>call 0190</b>", 403, "an error in an unknown format"),
    ):
        provider.answers = {"code": None, "error": error, "error_description": "call 0190 now"}
        with subtests.test(error=error):
            page = await come_back(http)
            assert page.status_code == status
            assert words in page.text
            assert "0190 now" not in page.text
            assert "<b>" not in page.text


async def test_invalid_token_from_the_provider_is_refused(
    http: httpx.AsyncClient, provider: Provider, subtests: pytest.Subtests
) -> None:
    for claims in [
        {"nonce": "another"}, {"nonce": None}, {"aud": "golden-retriever"}, {"aud": ["golden-web", "other"]},
        {"azp": "other"}, {"exp": 1},
    ]:  # fmt: skip
        provider.extra_claims = claims
        with subtests.test(claims=claims):
            page = await come_back(http)
            assert (page.status_code, COOKIE in page.headers.get("set-cookie", "")) == (403, False)
            assert "cannot be accepted" in page.text


async def test_token_of_several_audiences_is_valid_for_this_client(http: httpx.AsyncClient, provider: Provider) -> None:
    provider.extra_claims = {"aud": ["other", "golden-web"], "azp": "golden-web"}
    assert (await come_back(http)).status_code == 303


async def test_person_without_scopes_is_told_so(house: House, provider: Provider) -> None:
    async with serve(house.with_desk(provider=flow_of(provider, everybody=()))) as http:
        page = await come_back(http)
        assert (page.status_code, COOKIE in page.headers.get("set-cookie", "")) == (403, False)
        assert "You are logged in as ada" in page.text


async def test_unreachable_provider_is_reported_and_keys_still_work(
    http: httpx.AsyncClient, house: House, provider: Provider
) -> None:
    key, _ = house.keys.create("bot")
    provider.away = True
    page = await http.get("/login/oidc", headers=OPENS)
    assert (page.status_code, "cannot be reached right now" in page.text) == (503, True)
    assert (await http.post("/login", data={"key": key}, headers=from_page(http))).status_code == 303
    provider.away = False
    back = await depart(http)
    provider.away = True
    assert (await http.get(back, headers=FROM_PROVIDER)).status_code == 503
    provider.away = False
    provider.clients["golden-web"] = "changed"
    refused = await come_back(http)
    assert (refused.status_code, "invalid_client" in refused.text) == (403, True)


async def test_insecure_authorization_endpoint_is_refused(house: House, provider: Provider) -> None:
    for endpoint in ("http://id.example/authorize", "javascript:alert(1)", None):
        provider.description["authorization_endpoint"] = endpoint
        async with serve(house.with_desk(provider=flow_of(provider))) as http:
            assert (await http.get("/login/oidc", headers=OPENS)).status_code == 503, endpoint
