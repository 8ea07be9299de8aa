"""Who is let in on loopback, and under which name."""

import pytest

from serving.access import Forbidden, LoopbackGuard, RequestInfo

GUARD = LoopbackGuard(user="Ada", hosts=["bot.example", "Second.Example"])
# Requests that any page can send without a preflight.
PLAIN = [
    "", "text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "text/json",
    "text/plain; application/json", "application/jsonp",
]  # fmt: skip


def info(method: str = "GET", **headers: str) -> RequestInfo:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return RequestInfo(method=method, headers={"host": "127.0.0.1:7860"} | named)


async def test_loopback_hosts_and_own_pages_are_accepted(subtests: pytest.Subtests) -> None:
    for asked in [
        *(info(host=host) for host in (
            "127.0.0.1", "127.0.0.1:7860", "localhost:7860", "LOCALHOST", "[::1]:7860", "127.8.9.1", "bot.example",
            "BOT.example:443", "second.example", "localhost.",
        )),
        *(info("POST", content_type="application/json", **page) for page in (
            {"origin": "http://127.0.0.1:7860", "sec_fetch_site": "same-origin"},
            {"sec_fetch_site": "none"},
            {"host": "bot.example", "origin": "https://bot.example"},
            {"origin": "https://bot.example:8443"},
        )),
        *(info("POST", content_type=kind)
          for kind in ("application/json", "Application/JSON; charset=utf-8", "application/ld+json")),
        *(info("POST", content_type=kind, x_golden_request="1") for kind in PLAIN),
        *(info("POST", content_type=kind, if_match='"1.1"') for kind in PLAIN),
    ]:  # fmt: skip
        with subtests.test(asked=asked):
            actor = await GUARD.authenticate(asked)
            assert (actor.name, actor.groups) == ("Ada", None)


async def test_other_hosts_origins_and_simple_cross_site_requests_are_refused(subtests: pytest.Subtests) -> None:
    others = [
        {"origin": "https://evil.example"}, {"origin": "null"}, {"origin": ""}, {"origin": "http://127.0.0.1:3000"},
        {"origin": "file://127.0.0.1:7860"}, {"sec_fetch_site": "cross-site"}, {"sec_fetch_site": "same-site"},
        {"origin": "http://127.0.0.1:7860", "sec_fetch_site": "cross-site"},
    ]  # fmt: skip
    for why, asked in [
        *(("GOLDEN_TRUSTED_HOSTS", info(host=host)) for host in (
            "", "evil.example", "evil.example:7860", "127.0.0.1.evil.example", "localhost.evil.example", "[::1", "[::]",
            "0.0.0.0:7860", "192.168.1.7", "127.0.0.1@evil.example", "2130706433", "127.0.0.1, evil.example", "\xff",
        )),
        *(("server's own page", info(method, content_type="application/json", x_golden_request="1", **other))
          for other in others for method in ("GET", "POST", "DELETE")),
        *(("X-Golden-Request: 1", info("POST", content_type=kind)) for kind in PLAIN),
    ]:  # fmt: skip
        with subtests.test(asked=asked), pytest.raises(Forbidden, match=why):
            await GUARD.authenticate(asked)
