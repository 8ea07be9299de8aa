"""What goes wrong with the dictionary's routes, over raw HTTP; and that other pages change nothing."""

import asyncio
from typing import Any

import pytest

from serving.dictionary.routes import MAX_UPLOAD_BYTES
from serving.requests import MAX_BODY_BYTES
from tests.serving.dictionary.desk import OURS, ROOT, Desk, problem_of

pytestmark = pytest.mark.slow

NEW = {"term": "A", "extended_name": "Alpha"}


@pytest.mark.parametrize(
    "headers",
    [
        {"host": "evil.example"},
        {"origin": "https://evil.example"},
        {"sec-fetch-site": "cross-site"},
        {"sec-fetch-site": "same-site"},
    ],
)
async def test_another_page_reads_and_changes_nothing(sqlite_desk: Desk, headers: dict[str, str]) -> None:
    item = await sqlite_desk.add("B", "Beta")
    number = str(item["id"])
    match = {"If-Match": "*"}
    calls: list[tuple[str, str, dict[str, Any]]] = [
        ("GET", "", {}),
        ("GET", "/senses", {}),
        ("GET", "/export/terms.csv", {}),
        ("POST", "/senses", {"json": NEW}),
        ("PATCH", f"/senses/{number}", {"json": {"notes": "x"}}),
        ("DELETE", f"/senses/{number}", {}),
        ("POST", "/merge", {"json": {"old": "A", "into": "B"}}),
        ("PUT", "/contexts/Test", {"json": {}}),
        ("DELETE", "/contexts/Test", {}),
        ("POST", "/candidates/publish", {"json": {"min_score": 0}}),
        ("POST", "/queue/A/define", {"json": {"extended_name": "Alpha"}}),
        ("DELETE", "/queue/A", {}),
        ("POST", "/import", {"files": {"terms": ("a.csv", b"term,extended_name\nA,Alpha\n")}}),
        ("POST", "/history/1/undo", {}),
        ("POST", "/batches/1/undo", {}),
        ("POST", "/readings", {"json": {"question": "What is B?"}}),
    ]
    before = sqlite_desk.store.version()
    for method, path, options in calls:
        response = await sqlite_desk.send(method, path, headers=match | OURS | headers, **options)
        assert problem_of(response, 403)["code"] == "forbidden"
        assert not [name for name in response.headers if name.startswith("access-control")]
    assert sqlite_desk.store.version() == before


async def test_a_form_of_another_page_changes_nothing(sqlite_desk: Desk) -> None:
    await sqlite_desk.add("B", "Beta")
    for path in ("/senses", "/history/1/undo", "/import", "/merge"):
        for kind in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x"):
            body = b'{"term": "A", "extended_name": "Alpha"}'
            response = await sqlite_desk.send("POST", path, content=body, headers={"content-type": kind})
            assert "X-Golden-Request: 1" in problem_of(response, 403)["message"]
    assert len(sqlite_desk.store.history()) == 1


async def test_a_name_that_is_no_name_is_refused(sqlite_desk: Desk) -> None:
    response = await sqlite_desk.send("POST", "/senses", json=NEW, headers={"X-Golden-User": "x" * 101})
    assert problem_of(response, 422)["param"] == "X-Golden-User"
    given = await sqlite_desk.send("POST", "/senses", json=NEW, headers={"X-Golden-User": "UTF-8''J%C3%B6rg"})
    assert given.json()["changed_by"] == "Jörg"
    assert sqlite_desk.store.history()[0].who == "Jörg"


@pytest.mark.parametrize(
    ("content", "status"),
    [
        (b"", 422),
        (b"{", 400),
        (b"hello", 400),
        (b"\xff\xfe", 400),
        (b"[" * 5_000, 400),
        (b"null", 422),
        (b'"text"', 422),
        (b'{"term": NaN, "extended_name": "Alpha"}', 422),
        (b'{"term": ' + b"9" * 5_000 + b', "extended_name": "Alpha"}', 400),
    ],
)
async def test_a_body_that_is_no_json_object_is_refused(sqlite_desk: Desk, content: bytes, status: int) -> None:
    headers = {"content-type": "application/json"}
    problem_of(await sqlite_desk.send("POST", "/senses", content=content, headers=headers), status)


async def test_a_body_of_another_kind_is_a_415(sqlite_desk: Desk) -> None:
    for kind in ("text/plain", "application/x-www-form-urlencoded", "application/xml"):
        response = await sqlite_desk.send("POST", "/senses", content=b"term=A", headers=OURS | {"content-type": kind})
        assert "application/json" in problem_of(response, 415)["message"]


async def test_a_body_too_large_is_a_413(sqlite_desk: Desk) -> None:
    big = {**NEW, "notes": "x" * MAX_BODY_BYTES}
    assert problem_of(await sqlite_desk.http.post(f"{ROOT}/senses", json=big), 413)["code"] == "request_too_large"
    headers = OURS | {"content-length": str(MAX_UPLOAD_BYTES + 1), "content-type": "multipart/form-data; boundary=x"}
    # What says beforehand that it is too large is not waited for.
    assert await status_of(sqlite_desk, "/import", headers, b"") == 413


@pytest.mark.parametrize("path", ["/senses", "/merge"])
async def test_a_body_that_never_ends_is_a_413(sqlite_desk: Desk, path: str) -> None:
    async def endless() -> Any:
        for _ in range(2 * MAX_BODY_BYTES // 65_536):
            yield b" " * 65_536

    response = await sqlite_desk.http.post(
        f"{ROOT}{path}", content=endless(), headers={"content-type": "application/json"}
    )
    assert problem_of(response, 413)["code"] == "request_too_large"


@pytest.mark.parametrize(
    "path",
    [
        *(f"/senses/{number}" for number in ("0", "-1", "one", "1.5", "2147483648", "99999999999999999999")),
        *(f"/senses?{query}" for query in ("state=odd", "limit=-1", "offset=999999999999", "order=random")),
        *(f"/history?{query}" for query in ("before=0", "limit=0", "limit=501", "before=2147483648")),
        f"/senses?text={'x' * 401}",
        "/corrections?limit=0",
        "/candidates?limit=1000",
    ],
)
async def test_a_number_out_of_range_is_refused_by_name(sqlite_desk: Desk, path: str) -> None:
    assert problem_of(await sqlite_desk.send("GET", path), 422)["param"]


async def test_two_edits_at_once_do_not_overwrite_each_other(desk: Desk) -> None:
    item = await desk.add("PLR", "Physical Layer Retransmission")
    sent = [
        desk.send("PATCH", f"/senses/{item['id']}", json={"notes": f"By {who}."}, headers={"If-Match": item["etag"]})
        for who in "abcdef"
    ]
    responses = await asyncio.gather(*sent)
    assert sorted(response.status_code for response in responses) == [200, *[412] * 5]
    (won,) = [response for response in responses if response.status_code == 200]
    assert (await desk.get(f"/senses/{item['id']}"))["notes"] == won.json()["notes"]
    added = await asyncio.gather(*(desk.send("POST", "/senses", json={**NEW, "notes": who}) for who in "abcdef"))
    assert sorted(response.status_code for response in added) == [201, *[409] * 5]
    put = await asyncio.gather(*(desk.send("PUT", "/contexts/New", json={"description": who}) for who in "abc"))
    statuses = sorted(response.status_code for response in put)
    assert (statuses[0], set(statuses[1:]) <= {412, 428}) == (201, True)


async def status_of(desk: Desk, path: str, headers: dict[str, str], body: bytes) -> int:
    """Send a request by hand and return the status; the connection is closed without sending the rest."""
    host, port = desk.base_url.removeprefix("http://").split(":")
    reader, writer = await asyncio.open_connection(host, int(port))
    lines = [f"POST {ROOT}{path} HTTP/1.1", f"host: {host}:{port}", *(f"{name}: {headers[name]}" for name in headers)]
    writer.write("\r\n".join([*lines, "", ""]).encode() + body)
    await writer.drain()
    line = await asyncio.wait_for(reader.readline(), 60)
    writer.close()
    return int(line.split()[1])
