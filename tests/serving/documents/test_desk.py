"""What the page of documents asks for beside ingestion: seeking, details, groups, and the verification of all."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import text

from tests.serving.documents.shelf import ROOT, Shelf, open_shelf
from tools.embedding.hashing import HashingEmbedder


@pytest.fixture
async def shelf(tmp_path: Path) -> AsyncIterator[Shelf]:
    async with open_shelf(tmp_path) as opened:
        yield opened


async def sought(shelf: Shelf, **query: Any) -> tuple[list[str], dict[str, int]]:
    page = (await shelf.http.get(ROOT, params=query)).raise_for_status().json()
    return [Path(each["path"]).name for each in page["documents"]], page["totals"]


async def verified(shelf: Shelf) -> dict[str, Any]:
    begun = await shelf.http.post(f"{ROOT}/verification")
    assert (begun.status_code, begun.json()["state"], begun.json()["who"]) == (202, "running", "ann")
    told = begun.json()
    while told["state"] == "running":
        told = (await shelf.http.get(f"{ROOT}/verification")).json()
    return dict(told)


async def test_documents_are_sought_by_path_and_title_and_counted_by_state(shelf: Shelf) -> None:
    files = {"Überlauf_1.md": "# Pumpen\n\nDer Überlauf ist 3 cm hoch.", "rope.txt": "The rope is long.", "no.txt": ""}
    await shelf.watch((await shelf.upload(files)).json())
    names, totals = await sought(shelf)
    assert sorted(names) == ["no.txt", "rope.txt", "Überlauf_1.md"]
    assert totals == {"ready": 2, "poor": 0, "reading": 0, "failed": 1, "duplicate": 0, "removed": 0}
    assert (await sought(shelf, q=" überLAUF_"))[0] == ["Überlauf_1.md"]
    assert await sought(shelf, q="pumpen") == (["Überlauf_1.md"], {**dict.fromkeys(totals, 0), "ready": 1})
    assert (await sought(shelf, state="failed"))[0] == ["no.txt"]
    assert (await sought(shelf, state="failed", q="rope"))[0] == []
    assert (await shelf.http.get(ROOT, params={"state": "odd"})).status_code == 422


async def test_the_details_tell_what_was_made_of_the_text(shelf: Shelf) -> None:
    text = "# Pumps\n\nThe Bilge Pump Controller (BPC) starts the pump. The BPC is blue.\n"
    await shelf.watch((await shelf.upload({"pumps.md": text})).json())
    (document,) = await shelf.listed()
    told = (await shelf.http.get(f"{ROOT}/{document['id']}")).json()
    assert (told["media_type"], [each["term"] for each in told["terms"]]) == ("text/markdown", ["BPC"])
    assert told["terms"][0]["extended_name"] == "Bilge Pump Controller"
    assert [("Bilge" in each["text"], each["page"]) for each in told["summaries"]] == [(True, 1)]
    intake = (await shelf.http.get(f"{ROOT}/intake")).json()
    assert (intake["groups"], intake["any_group"], intake["max_bytes"]) == (["everyone"], True, 100_000)
    assert {".pdf", ".zip", ".md"} <= set(intake["suffixes"])


async def test_a_document_is_given_to_the_readers_of_another_group(shelf: Shelf) -> None:
    await shelf.watch((await shelf.upload({"lamp.txt": "The lamp burns in the hall."})).json())
    (document,) = await shelf.listed()
    address = f"{ROOT}/{document['id']}"
    changed = await shelf.http.patch(address, json={"group": "crew"})
    assert (changed.status_code, changed.json()["group"], changed.json()["state"]) == (200, "crew", "ready")
    (chunk, *_) = [each for each in shelf.store.document_chunks(document["id"]) if each.kind == "passage"]
    assert shelf.store.group_of([chunk.id]) == {chunk.id: "crew"}
    (vector,) = await HashingEmbedder().embed_documents([chunk.searchable_text])
    for group, found in (("crew", True), ("everyone", False)):
        assert bool(await shelf.index.search(vector, 5, groups=frozenset({group}))) is found
    history = (await shelf.http.get(address)).json()["history"]
    assert (history[-1]["outcome"], history[-1]["reason"]) == ("regrouped", "it was for the readers of everyone")
    assert (await verified(shelf))["faults"] == []
    for group in ("../x", "", "a/b"):
        assert (await shelf.http.patch(address, json={"group": group})).status_code == 422
    assert (await shelf.http.patch(f"{ROOT}/nobody", json={"group": "crew"})).status_code == 404
    await shelf.http.delete(address)
    assert (await shelf.http.patch(address, json={"group": "everyone"})).status_code == 404


async def test_a_verification_tells_what_does_not_agree(shelf: Shelf) -> None:
    assert (await shelf.http.get(f"{ROOT}/verification")).status_code == 404
    await shelf.watch((await shelf.upload({"lamp.txt": "The lamp burns."})).json())
    told = await verified(shelf)
    assert (told["state"], told["faults"]) == ("done", [])
    with shelf.store.engine.begin() as connection:
        connection.execute(text("DELETE FROM vectors"))
    told = await verified(shelf)
    assert told["state"] == "done"
    assert any("chunks have no vector" in fault for fault in told["faults"])
