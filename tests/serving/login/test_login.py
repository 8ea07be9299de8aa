"""Logging in with a key over a real server: the page, the session, what other pages try, and the way out."""

import re
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from typing import Any

import httpx
import pytest
from sqlalchemy import update

from library.tables import sessions
from serving.identity.credentials import COOKIE
from serving.identity.guards import Guard
from serving.rate_limits import RequestLimits
from tests.serving.login.served import CALLS, OPENS, House, cookie_of, from_page, log_in, serve, who


@pytest.fixture
async def http(house: House) -> AsyncIterator[httpx.AsyncClient]:
    async with serve(house) as opened:
        yield opened


async def test_browser_is_sent_to_the_login_and_back(http: httpx.AsyncClient, house: House) -> None:
    key, _ = house.keys.create("nand-team", groups=None)
    sent = await http.get("/documents?page=2", headers=OPENS)
    assert sent.status_code == 303
    assert sent.headers["location"] == "/login?next=%2Fdocuments%3Fpage%3D2"
    page = await http.get(sent.headers["location"], headers=OPENS)
    assert (page.status_code, page.headers["cache-control"]) == (200, "no-store")
    assert 'name="next" value="/documents?page=2"' in page.text
    assert "set-cookie" not in page.headers
    done = await log_in(http, key, next="/documents?page=2")
    assert (done.status_code, done.headers["location"]) == (303, "/documents?page=2")
    # The request is accepted, but there is no such page.
    assert (await http.get("/documents", headers=OPENS)).status_code == 404
    account = await who(http)
    assert (account["name"], account["can_log_out"], account["groups"]) == ("nand-team", True, None)


async def test_programs_are_refused_without_redirect_or_password_dialog(http: httpx.AsyncClient, house: House) -> None:
    house.keys.create("bot")
    for path, headers in (
        ("/", {}),
        ("/", {"accept": "text/html", "sec-fetch-mode": "no-cors", "sec-fetch-dest": "script"}),
        ("/v1/models", {"accept": "text/html"}),
        ("/api/me", CALLS),
        ("/", OPENS | {"authorization": "Bearer gr_" + "0" * 49}),
    ):
        refused = await http.get(path, headers=headers)
        assert refused.status_code == 401, (path, headers)
        assert refused.headers["www-authenticate"] == 'Bearer realm="Golden Retriever"'
        assert refused.json()["error"]["code"] in ("missing_api_key", "invalid_api_key")
    assert (await http.post("/", headers=OPENS)).status_code == 401
    # A link to an API page leads back to it after the login.
    assert (await http.get("/api/me", headers=OPENS)).headers["location"] == "/login?next=%2Fapi%2Fme"


async def test_cookie_is_http_only_same_site_and_new_for_each_login(http: httpx.AsyncClient, key: str) -> None:
    http.cookies.set(COOKIE, "A" * 43)
    first = cookie_of(await log_in(http, key))
    assert first["value"] != "A" * 43, "a session id set by somebody else is never accepted"
    assert re.fullmatch(r"[\w-]{43}", first["value"])
    assert (first["path"], first["samesite"].lower(), "httponly" in first) == ("/", "lax", True)
    assert "secure" not in first
    assert "domain" not in first
    http.cookies.clear()
    http.cookies.set(COOKIE, first["value"])
    second = cookie_of(await log_in(http, key))
    assert second["value"] != first["value"]
    http.cookies.clear()
    old = await http.get("/api/me", headers=CALLS | {"cookie": f"{COOKIE}={first['value']}"})
    assert old.status_code == 401, "a new login ends the browser's previous session"
    assert (await who(http, cookie=f"{COOKIE}={second['value']}"))["name"] == "bot"


async def test_cookie_is_secure_over_https(house: House, key: str, subtests: pytest.Subtests) -> None:
    cases: tuple[tuple[dict[str, Any], str], ...] = (
        ({"public_url": "https://bot.example"}, "http"), ({}, "https"), ({}, "https, http")
    )  # fmt: skip
    for addresses, proto in cases:
        async with serve(house.with_addresses(**addresses)) as http:
            with subtests.test(addresses=addresses, proto=proto):
                headers = from_page(http) | {"x-forwarded-proto": proto}
                done = await http.post("/login", data={"key": key}, headers=headers)
                assert "secure" in cookie_of(done)


async def test_wrong_key_shows_the_page_again_with_a_clear_message(http: httpx.AsyncClient, house: House) -> None:
    revoked, record = house.keys.create("gone")
    house.keys.revoke(record.id)
    soon = datetime.now(UTC) + timedelta(seconds=0.05)
    expired, short = house.keys.create("short", expires_at=soon)
    while short.state == "active":
        pass
    for wrong in ("gr_" + "0" * 49, "secret", revoked, expired, "<script>alert(1)</script>"):
        page = await log_in(http, wrong, next="/documents")
        assert (page.status_code, "set-cookie" in page.headers) == (401, False)
        assert "This key is not valid" in page.text
        assert 'value="/documents"' in page.text
        assert wrong not in page.text
        assert page.headers["www-authenticate"].startswith("Bearer")
    assert (await log_in(http, "  ")).status_code == 400
    no_form = await http.post("/login", json={"key": revoked}, headers=from_page(http))
    assert no_form.status_code == 400
    key, _ = house.keys.create("spaced")
    assert (await log_in(http, f" {key}\n")).status_code == 303, "white space around a pasted key is ignored"


async def test_key_without_ask_scope_is_told_so_without_a_redirect_loop(http: httpx.AsyncClient, house: House) -> None:
    key, _ = house.keys.create("nightly", scopes=["manage"])
    page = await log_in(http, key)
    assert (page.status_code, "set-cookie" in page.headers) == (403, False)
    assert "lacks the scope ask" in page.text


async def test_session_ends_with_its_key_with_time_and_logout(http: httpx.AsyncClient, house: House, key: str) -> None:
    await log_in(http, key)
    assert (await who(http))["name"] == "bot"
    token = http.cookies[COOKIE]
    out = await http.post("/logout", headers=from_page(http))
    assert (out.status_code, out.headers["location"]) == (303, "/login?logged_out=1")
    assert COOKIE not in http.cookies
    assert "You are logged out." in (await http.get(out.headers["location"])).text
    kept = {"cookie": f"{COOKIE}={token}"}
    # The session is ended on the server, not only in the browser.
    assert (await http.get("/api/me", headers=CALLS | kept)).status_code == 401
    await log_in(http, key)
    with house.engine.begin() as connection:
        connection.execute(update(sessions).values(seen_at=datetime.now(UTC) - timedelta(hours=1)))
    assert (await http.get("/api/me", headers=CALLS)).status_code == 401
    await log_in(http, key)
    house.keys.revoke("bot")
    assert (await http.get("/api/me", headers=CALLS)).status_code == 401
    assert (await http.get("/", headers=OPENS)).status_code == 303, "the browser is sent to the login again"


@pytest.mark.parametrize("path", ["/login", "/logout"])
async def test_other_sites_cannot_log_users_in_or_out(http: httpx.AsyncClient, key: str, path: str) -> None:
    await log_in(http, key)
    own = str(http.base_url).rstrip("/")
    for headers in (
        {},
        {"origin": "http://evil.example"},
        {"origin": "null"},
        {"origin": own, "sec-fetch-site": "cross-site"},
        {"origin": own, "sec-fetch-site": "same-site"},
        {"sec-fetch-site": "cross-site"},
        {"origin": own.replace("127.0.0.1", "localhost")},
    ):
        refused = await http.post(path, data={"key": key}, headers=headers)
        assert (refused.status_code, "set-cookie" in refused.headers) == (403, False), headers
    assert (await who(http))["name"] == "bot"
    # A header that no form on another page can send.
    assert (await http.post(path, data={"key": key}, headers={"x-golden-request": "1"})).status_code == 303
    assert (await http.get("/logout")).status_code in (401, 405), "a link does not log users out"


async def test_login_attempts_per_address_are_limited(house: House, key: str) -> None:
    async with serve(house.with_desk(attempts=RequestLimits(a_minute=3, at_once=2))) as http:
        for _ in range(3):
            assert (await log_in(http, "gr_" + "0" * 49)).status_code == 401
        page = await log_in(http, key)
        assert page.status_code == 429
        assert 1 <= int(page.headers["retry-after"]) <= 60
        assert "too many logins" in page.text
        assert (await http.get("/login")).status_code == 200


async def test_login_never_redirects_elsewhere(subtests: pytest.Subtests, http: httpx.AsyncClient, key: str) -> None:
    for wanted in [
        "https://evil.example/", "//evil.example", "/\\evil.example", "\\\\evil.example", "javascript:alert(1)",
        "/ok\r\nset-cookie: x=1", "/a b", "/%2e%2e//evil.example", "/./..//evil.example", "evil.example", "",
        "/\t/evil.example", "/login", "/login/oidc?next=/", "/logout", "/" + "a" * 3_000,
    ]:  # fmt: skip
        with subtests.test(wanted=wanted):
            assert (await log_in(http, key, next=wanted)).headers["location"] == "/"
            assert 'name="next" value="/"' in (await http.get("/login", params={"next": wanted})).text
    # A path of this server keeps its query and its letter case.
    done = await log_in(http, key, next="/c/Zähler?q=1&x=%2F")
    assert done.headers["location"] == "/c/Z%C3%A4hler?q=1&x=%2F"


async def test_addresses_and_cookie_have_the_path_prefix(house: House, key: str) -> None:
    async with serve(house.with_addresses(prefix="/golden")) as http:
        sent = await http.get("/golden/review?x=1", headers=OPENS)
        assert sent.headers["location"] == "/golden/login?next=%2Fgolden%2Freview%3Fx%3D1"
        # Browsers need the prefix even if the proxy removes it.
        stripped = await http.get("/review?x=1", headers=OPENS)
        assert stripped.headers["location"] == sent.headers["location"]
        page = await http.get(sent.headers["location"], headers=OPENS)
        assert 'action="/golden/login"' in page.text
        done = await log_in(http, key, "/golden/login", next="/golden/review?x=1")
        assert done.headers["location"] == "/golden/review?x=1"
        assert cookie_of(done)["path"] == "/golden"
        assert (await log_in(http, key, "/golden/login", next="/elsewhere")).headers["location"] == "/golden/"
        out = await http.post("/golden/logout", headers=from_page(http))
        assert out.headers["location"] == "/golden/login?logged_out=1"
        assert COOKIE not in http.cookies


async def test_login_page_has_no_scripts_and_two_languages(http: httpx.AsyncClient) -> None:
    page = await http.get("/login", headers={"accept-language": "fr, de-AT;q=0.8, en;q=0.5"})
    assert '<html lang="de">' in page.text
    assert "Ihr Schlüssel" in page.text
    assert "<script" not in page.text
    assert not re.search(r"https?://|//", page.text.replace("<!doctype html>", ""))
    policy = page.headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert "form-action 'self'" in policy
    assert page.headers["x-frame-options"] == "DENY"
    assert re.search(r'<input[^>]*type="password"[^>]*autocomplete="current-password"', page.text)
    assert '<label for="key">' in page.text
    for language in ("en", "", "xx", ";;q=,", "*"):
        assert '<html lang="en">' in (await http.get("/login", headers={"accept-language": language})).text
    assert (await http.head("/login")).status_code == 200


async def test_login_redirects_if_no_authentication_is_needed(house: House) -> None:
    async with serve(house, Guard(user="Ada")) as http:
        assert (await http.get("/login?next=/documents")).headers["location"] == "/documents"
        strange = await http.get("/login", headers={"host": "rebound.example"})
        assert strange.status_code == 403


async def test_a_named_host_is_the_only_one_and_its_https_page_may_log_in(house: House, key: str) -> None:
    async with serve(house, hosts=("bot.example",)) as http:
        # A proxy that terminates TLS sends requests under its own name, or under the server's address.
        for host in ("bot.example", "127.0.0.1"):
            headers = {"host": host, "origin": "https://bot.example", "sec-fetch-site": "same-origin"}
            done = await http.post("/login", data={"key": key}, headers=headers)
            assert (done.status_code, "secure" in cookie_of(done)) == (303, True)
        strange = await http.post("/login", data={"key": key}, headers={"host": "evil.example"} | from_page(http))
        assert strange.status_code == 403


async def test_login_form_size_is_limited(http: httpx.AsyncClient) -> None:
    big = await http.post("/login", data={"key": "g" * 20_000}, headers=from_page(http))
    assert big.status_code == 413
    many = "&".join(f"f{number}=1" for number in range(50))
    form = from_page(http) | {"content-type": "application/x-www-form-urlencoded"}
    assert (await http.post("/login", content=many, headers=form)).status_code == 400
