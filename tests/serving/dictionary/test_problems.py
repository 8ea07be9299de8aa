"""What goes wrong with the dictionary's routes, over raw HTTP; and that other pages change nothing."""

import asyncio
from typing import Any

import pytest

from tests.serving.dictionary.desk import OURS, Desk, assert_refused

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
        assert assert_refused(response, 403)["code"] == "forbidden"
        assert not [name for name in response.headers if name.startswith("access-control")]
    assert sqlite_desk.store.version() == before


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
    assert_refused(await sqlite_desk.send("POST", "/senses", content=content, headers=headers), status)


@pytest.mark.parametrize(
    "path",
    [
        *(f"/senses/{number}" for number in ("0", "-1", "one", "1.5", "2147483648", "99999999999999999999")),
        *(f"/senses?{query}" for query in ("state=odd", "limit=-1", "offset=999999999999")),
        *(f"/history?{query}" for query in ("before=0", "limit=0", "limit=501", "before=2147483648")),
        f"/senses?text={'x' * 401}",
        "/corrections?limit=0",
        "/candidates?limit=1000",
    ],
)
async def test_a_number_out_of_range_is_refused_by_name(sqlite_desk: Desk, path: str) -> None:
    assert assert_refused(await sqlite_desk.send("GET", path), 422)["param"]


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
