"""Who is let in on loopback, and under which name."""

import pytest

from serving.access import Forbidden, LoopbackGuard, RequestInfo

GUARD = LoopbackGuard(user="Ada", hosts=["bot.example", "Second.Example"])
LOCAL = {"host": "127.0.0.1:7860"}


def info(method: str = "GET", **headers: str) -> RequestInfo:
    return RequestInfo(
        method=method, headers=LOCAL | {name.replace("_", "-"): value for name, value in headers.items()}
    )


async def test_this_machine_is_asked_for_by_its_own_names(subtests: pytest.Subtests) -> None:
    for host in [
        "127.0.0.1", "127.0.0.1:7860", "localhost:7860", "LOCALHOST", "[::1]:7860", "127.8.9.1", "bot.example",
        "BOT.example:443", "second.example", "localhost.",
    ]:  # fmt: skip
        with subtests.test(host=host):
            assert (await GUARD.authenticate(info(host=host))).name == "Ada"


async def test_a_name_that_was_bound_to_this_machine_by_others_is_refused(subtests: pytest.Subtests) -> None:
    for host in [
        "", "evil.example", "evil.example:7860", "127.0.0.1.evil.example", "localhost.evil.example", "[::1", "[::]",
        "0.0.0.0:7860", "192.168.1.7", "127.0.0.1@evil.example", "2130706433", "127.0.0.1, evil.example", "\xff",
    ]:  # fmt: skip
        with subtests.test(host=host), pytest.raises(Forbidden, match="GOLDEN_TRUSTED_HOSTS"):
            await GUARD.authenticate(info(host=host))


async def test_another_page_is_refused(subtests: pytest.Subtests) -> None:
    for headers in [
        {"origin": "https://evil.example"},
        {"origin": "null"},
        {"origin": ""},
        {"origin": "http://127.0.0.1:3000"},
        {"origin": "file://127.0.0.1:7860"},
        {"sec_fetch_site": "cross-site"},
        {"sec_fetch_site": "same-site"},
        {"origin": "http://127.0.0.1:7860", "sec_fetch_site": "cross-site"},
    ]:
        for method in ["GET", "POST", "DELETE"]:
            asked = info(method, content_type="application/json", x_golden_request="1", **headers)
            with subtests.test(method=method, headers=headers), pytest.raises(Forbidden, match="server's own page"):
                await GUARD.authenticate(asked)


async def test_the_own_page_is_let_in(subtests: pytest.Subtests) -> None:
    for headers in [
        {"origin": "http://127.0.0.1:7860", "sec_fetch_site": "same-origin"},
        {"sec_fetch_site": "none"},
        {"host": "bot.example", "origin": "https://bot.example"},
        {"origin": "https://bot.example:8443"},
    ]:
        with subtests.test(headers=headers):
            assert (await GUARD.authenticate(info("POST", content_type="application/json", **headers))).name == "Ada"


async def test_what_any_page_can_send_must_be_marked(subtests: pytest.Subtests) -> None:
    for content_type in [
        "", "text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "text/json",
        "text/plain; application/json", "application/jsonp",
    ]:  # fmt: skip
        with subtests.test(content_type=content_type):
            with pytest.raises(Forbidden, match="X-Golden-Request: 1"):
                await GUARD.authenticate(info("POST", content_type=content_type))
            await GUARD.authenticate(info("POST", content_type=content_type, x_golden_request="1"))
            await GUARD.authenticate(info("POST", content_type=content_type, if_match='"1.1"'))


async def test_json_needs_no_mark(subtests: pytest.Subtests) -> None:
    for content_type in ["application/json", "Application/JSON; charset=utf-8", "application/ld+json"]:
        with subtests.test(content_type=content_type):
            assert (await GUARD.authenticate(info("POST", content_type=content_type))).groups is None
