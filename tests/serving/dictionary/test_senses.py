"""Senses and contexts over HTTP."""

from typing import Any

import pytest

from serving.dictionary.bodies import SensePatch
from tests.serving.dictionary.dictionary_client import ADA, BOB, DictionaryClient, assert_refused


async def test_a_meaning_is_added_found_edited_and_deleted(client: DictionaryClient) -> None:
    fields = {"context": "Protocols", "description": "Sent again.", "aliases": ["retry"], "source": "a.pdf, page 1"}
    added = await client.add("PLR", "Physical Layer Retransmission", **fields)
    assert {name: added[name] for name in fields} == fields
    assert (added["state"], added["version"], added["changed_by"]) == ("published", 1, "Ada")
    got = await client.send("GET", f"/senses/{added['id']}")
    assert got.json() == added
    assert got.headers["etag"] == added["etag"]
    edited = await client.edit(added, notes="Counted per lane.", aliases=[])
    assert (edited["notes"], edited["aliases"], edited["description"]) == ("Counted per lane.", [], "Sent again.")
    assert edited["version"] == 2
    assert edited["etag"] != added["etag"]
    whole = {"term": "PLR", "extended_name": "Parts Lost Ratio"}
    put = await client.send("PATCH", f"/senses/{added['id']}", json=whole, headers={"If-Match": edited["etag"]})
    assert put.json() | whole == put.json()
    assert put.headers["etag"] == put.json()["etag"]
    gone = await client.send("DELETE", f"/senses/{added['id']}", headers={"If-Match": put.headers["etag"]})
    assert gone.json()["deleted"]["extended_name"] == "Parts Lost Ratio"
    assert (await client.get("/senses"))["items"] == []
    assert_refused(await client.send("GET", f"/senses/{added['id']}"), 404)
    client.service.undo(ADA, gone.json()["change"])
    assert (await client.get(f"/senses/{added['id']}"))["version"] == 5


async def test_response_to_a_new_meaning_has_its_location(client: DictionaryClient) -> None:
    body = {"term": "A/B", "extended_name": "Alpha"}
    response = await client.send("POST", "/senses", json=body)
    found = await client.http.get(response.headers["location"])
    assert found.json() == response.json()
    again = assert_refused(await client.send("POST", "/senses", json={**body, "description": "Another."}), 409)
    assert f"change that sense ({response.json()['id']}) instead" in again["message"]
    assert (await client.get(f"/senses/{response.json()['id']}"))["description"] == ""


async def test_a_page_of_meanings_is_filtered_and_counted(client: DictionaryClient) -> None:
    await client.add("DLL", "Delay-Locked Loop", context="Memory")
    await client.add("DLL", "Dynamic-Link Library", context="Software")
    await client.add("VPP", "Pump Voltage", state="draft")
    page = await client.get("/senses", limit=2)
    assert [item["extended_name"] for item in page["items"]] == ["Delay-Locked Loop", "Dynamic-Link Library"]
    assert page["counts"] == {"draft": 1, "published": 2, "rejected": 0}
    assert (page["total"], page["limit"], page["offset"]) == (3, 2, 0)
    rest = await client.get("/senses", limit=2, offset=2)
    assert [item["term"] for item in rest["items"]] == ["VPP"]
    query = {"term": "dll", "text": "library", "state": "published", "context": "software"}
    (found,) = (await client.get("/senses", **query))["items"]
    assert found["extended_name"] == "Dynamic-Link Library"


async def test_edit_of_an_old_version_is_refused(client: DictionaryClient) -> None:
    seen = await client.add("PLR", "Physical Layer Retransmission")
    client.service.edit_sense(BOB, seen["id"], SensePatch(description="By Bob."), seen["etag"])
    now = await client.get(f"/senses/{seen['id']}")
    assert now["changed_by"] == "Bob"
    address = f"/senses/{seen['id']}"
    calls: list[tuple[str, Any]] = [("PATCH", {"description": "By Ada."}), ("DELETE", None)]
    for method, body in calls:
        error = assert_refused(await client.send(method, address, json=body, headers={"If-Match": seen["etag"]}), 412)
        assert "Bob made change" in error["message"]
        assert "'' -> 'By Bob.'" in error["message"]
        odd = assert_refused(await client.send(method, address, json=body, headers={"If-Match": "today"}), 422)
        assert odd["param"] == "If-Match"
    assert await client.get(f"/senses/{seen['id']}") == now
    forced = await client.send("PATCH", f"/senses/{seen['id']}", json={"notes": "Yes."})
    assert (forced.json()["notes"], forced.json()["description"]) == ("Yes.", "By Bob.")
    client.service.delete_sense(BOB, seen["id"], None)
    late = await client.send("PATCH", f"/senses/{seen['id']}", json={"notes": "No."}, headers={"If-Match": now["etag"]})
    assert "no longer exists" in assert_refused(late, 412)["message"]
    assert_refused(await client.send("DELETE", f"/senses/{seen['id']}", headers={"If-Match": "*"}), 404)


async def test_invalid_fields_are_refused_by_name(subtests: pytest.Subtests, client: DictionaryClient) -> None:
    for body, param, words in [
        ({"term": "A"}, "extended_name", "required"),
        ({"term": "A", "extended_name": "Alpha", "stat": "draft"}, "stat", "not permitted"),
        ({"term": "A", "extended_name": "Alpha", "state": "odd"}, "state", "'draft', 'published' or 'rejected'"),
        ({"term": "A", "extended_name": "Alpha", "aliases": ["A"]}, "aliases", "alias of itself"),
        ({"term": "A", "extended_name": "Alpha", "aliases": [7]}, "aliases[0]", "string"),
        ([], None, "JSON object"),
    ]:
        with subtests.test(body=body, param=param, words=words):
            error = assert_refused(await client.send("POST", "/senses", json=body), 422)
            assert (error["param"], words in error["message"]) == (param, True), error
            assert client.store.senses() == ()


async def test_a_context_is_added_described_and_deleted(client: DictionaryClient) -> None:
    path = "/contexts/R%2FD%20lab"
    added = await client.send("PUT", path, json={"description": "Tests."})
    assert (added.status_code, added.json()["name"], added.headers["etag"]) == (200, "R/D lab", added.json()["etag"])
    assert (await client.get(path)) == added.json()
    assert_refused(await client.send("PUT", path, json={"description": "Mine."}, headers={"If-Match": '"v0"'}), 412)
    match = {"If-Match": added.headers["etag"]}
    described = await client.send("PUT", "/contexts/r/d%20LAB", json={"examples": ["What is RD?"]}, headers=match)
    assert (described.status_code, described.json()["name"]) == (200, "r/d LAB")
    assert (described.json()["examples"], described.json()["description"]) == (["What is RD?"], "")
    stale = assert_refused(await client.send("PUT", path, json={}, headers=match), 412)
    assert "Ada made change" in stale["message"]
    assert_refused(await client.send("DELETE", path, headers=match), 412)
    gone = await client.send("DELETE", path, headers={"If-Match": described.headers["etag"]})
    assert gone.json()["deleted"]["name"] == "r/d LAB"
    assert (await client.get("/contexts"))["items"] == []
    late = assert_refused(await client.send("PUT", path, json={}, headers={"If-Match": described.headers["etag"]}), 412)
    assert "was deleted" in late["message"]
