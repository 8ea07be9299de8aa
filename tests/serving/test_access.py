"""Who is let in on loopback, and under which name."""

import pytest

from contracts.errors import InvalidInput
from serving.access import Forbidden, LoopbackGuard, RequestInfo

GUARD = LoopbackGuard(user="Ada", hosts=["bot.example", " Second.Example "])
LOCAL = {"host": "127.0.0.1:7860"}


def info(method: str = "GET", **headers: str) -> RequestInfo:
    return RequestInfo(
        method=method, headers=LOCAL | {name.replace("_", "-"): value for name, value in headers.items()}
    )


@pytest.mark.parametrize(
    "host",
    ["127.0.0.1", "127.0.0.1:7860", "localhost:7860", "LOCALHOST", "[::1]:7860", "127.8.9.1", "bot.example",
     "BOT.example:443", "second.example", "localhost."],
)  # fmt: skip
async def test_this_machine_is_asked_for_by_its_own_names(host: str) -> None:
    assert (await GUARD.admit(info(host=host), "manage")).name == "Ada"


@pytest.mark.parametrize(
    "host",
    ["", "evil.example", "evil.example:7860", "127.0.0.1.evil.example", "localhost.evil.example", "[::1", "[::]",
     "0.0.0.0:7860", "192.168.1.7", "127.0.0.1@evil.example", "2130706433", "127.0.0.1, evil.example", "\xff"],
)  # fmt: skip
async def test_a_name_that_was_bound_to_this_machine_by_others_is_refused(host: str) -> None:
    with pytest.raises(Forbidden, match="GOLDEN_TRUSTED_HOSTS"):
        await GUARD.admit(info(host=host), "ask")


@pytest.mark.parametrize("method", ["GET", "POST", "PUT", "PATCH", "DELETE"])
@pytest.mark.parametrize(
    "headers",
    [
        {"origin": "https://evil.example"},
        {"origin": "null"},
        {"origin": ""},
        {"origin": "http://127.0.0.1:3000"},
        {"origin": "http://localhost:7860"},
        {"origin": "file://127.0.0.1:7860"},
        {"origin": "http://127.0.0.1:7860, https://evil.example"},
        {"sec_fetch_site": "cross-site"},
        {"sec_fetch_site": "same-site"},
        {"sec_fetch_site": "same-origin, cross-site"},
        {"origin": "http://127.0.0.1:7860", "sec_fetch_site": "cross-site"},
    ],
)
async def test_another_page_is_refused(method: str, headers: dict[str, str]) -> None:
    with pytest.raises(Forbidden, match="open the server's own page"):
        await GUARD.admit(info(method, content_type="application/json", x_golden_request="1", **headers), "manage")


@pytest.mark.parametrize(
    "headers",
    [
        {"origin": "http://127.0.0.1:7860", "sec_fetch_site": "same-origin"},
        {"sec_fetch_site": "none"},
        {"host": "bot.example", "origin": "https://bot.example"},
        {"origin": "https://bot.example:8443"},
    ],
)
async def test_the_own_page_is_let_in(headers: dict[str, str]) -> None:
    assert (await GUARD.admit(info("POST", content_type="application/json", **headers), "manage")).name == "Ada"


@pytest.mark.parametrize(
    "content_type",
    ["", "text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "text/json",
     "text/plain; application/json", "application/jsonp"],
)  # fmt: skip
async def test_what_any_page_can_send_must_be_marked(content_type: str) -> None:
    with pytest.raises(Forbidden, match="X-Golden-Request: 1"):
        await GUARD.admit(info("POST", content_type=content_type), "manage")
    await GUARD.admit(info("POST", content_type=content_type, x_golden_request="1"), "manage")
    await GUARD.admit(info("POST", content_type=content_type, if_match='"1.1"'), "manage")


@pytest.mark.parametrize("content_type", ["application/json", "Application/JSON; charset=utf-8", "application/ld+json"])
async def test_json_needs_no_mark(content_type: str) -> None:
    assert (await GUARD.admit(info("POST", content_type=content_type), "manage")).groups is None


@pytest.mark.parametrize(
    ("header", "name"),
    [
        ("Bob", "Bob"),
        ("  Bob   B. ", "Bob B."),
        ("", "Ada"),
        ("   ", "Ada"),
        ("UTF-8''J%C3%B6rg", "Jörg"),
        ("utf-8''%E6%B8%AC", "測"),
        ("Jörg".encode().decode("latin-1"), "Jörg"),
        ("J\xf6rg", "Jörg"),
        ("x" * 100, "x" * 100),
    ],
)
async def test_the_name_is_the_one_that_the_header_gives(header: str, name: str) -> None:
    assert (await GUARD.admit(info(x_golden_user=header), "manage")).name == name


@pytest.mark.parametrize(
    "header", ["x" * 101, "a\x00b", "a\x1bb", "UTF-8''%FF%FE", "UTF-8''a%00b", "UTF-8''%E2%80%AEabc", "UTF-8''%07"]
)
async def test_a_name_that_is_no_name_is_refused(header: str) -> None:
    with pytest.raises(InvalidInput, match="X-Golden-User") as caught:
        await GUARD.admit(info(x_golden_user=header), "manage")
    assert caught.value.field == "X-Golden-User"
