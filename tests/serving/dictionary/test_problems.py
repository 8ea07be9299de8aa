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
