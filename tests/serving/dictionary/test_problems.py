"""What goes wrong with the dictionary's routes, over raw HTTP; and that other pages change nothing."""

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
        ("PUT", "/contexts/Test", {"json": {}}),
        ("DELETE", "/contexts/Test", {}),
        ("POST", "/queue/A/define", {"json": {"extended_name": "Alpha"}}),
        ("DELETE", "/queue/A", {}),
        ("POST", "/import", {"files": {"terms": ("a.csv", b"term,extended_name\nA,Alpha\n")}}),
        ("POST", "/readings", {"json": {"question": "What is B?"}}),
    ]
    before = sqlite_desk.store.version()
    for method, path, options in calls:
        response = await sqlite_desk.send(method, path, headers=match | OURS | headers, **options)
        assert assert_refused(response, 403)["code"] == "forbidden"
        assert not [name for name in response.headers if name.startswith("access-control")]
    assert sqlite_desk.store.version() == before


async def test_a_body_that_is_no_json_object_is_refused(subtests: pytest.Subtests, sqlite_desk: Desk) -> None:
    for content, status in [
        (b"", 422),
        (b"{", 400),
        (b"hello", 400),
        (b"\xff\xfe", 400),
        (b"[" * 5_000, 400),
        (b"null", 422),
        (b'"text"', 422),
        (b'{"term": NaN, "extended_name": "Alpha"}', 422),
        (b'{"term": ' + b"9" * 5_000 + b', "extended_name": "Alpha"}', 400),
    ]:
        with subtests.test(content=content, status=status):
            headers = {"content-type": "application/json"}
            assert_refused(await sqlite_desk.send("POST", "/senses", content=content, headers=headers), status)


async def test_a_number_out_of_range_is_refused_by_name(subtests: pytest.Subtests, sqlite_desk: Desk) -> None:
    for path in [
        *(f"/senses/{number}" for number in ("0", "-1", "one", "1.5", "2147483648", "99999999999999999999")),
        *(f"/senses?{query}" for query in ("state=odd", "limit=-1", "offset=999999999999")),
        f"/senses?text={'x' * 401}",
        "/candidates?limit=1000",
    ]:
        with subtests.test(path=path):
            assert assert_refused(await sqlite_desk.send("GET", path), 422)["param"]
