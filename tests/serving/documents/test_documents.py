"""Documents over HTTP: uploaded, named, watched, listed, shown, removed, verified."""

import asyncio
import io
import zipfile
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any
from unittest.mock import AsyncMock

import pytest

from serving.access import Actor
from tests.serving.documents.documents_server import ROOT, DocumentsServer, assert_refused, open_documents_server
from tools.search.base import Fingerprint
from tools.search.exact import ExactVectorIndex

PUMPS = "# Pumps\n\nThe Bilge Pump Controller (BPC) starts the pump. The BPC is blue.\n"


@pytest.fixture
async def server(tmp_path: Path) -> AsyncIterator[DocumentsServer]:
    async with open_documents_server(tmp_path) as opened:
        yield opened


async def test_uploaded_files_are_ingested_and_watched(server: DocumentsServer) -> None:
    response = await server.upload({"pumps.md": PUMPS, "void.txt": ""}, group="crew")
    assert response.status_code == 202, response.text
    job = response.json()
    assert (job["state"], job["group"], job["who"]) == ("queued", "crew", "ann")
    over = await server.watch(job)
    assert (over["state"], over["counts"]) == ("done", {"ingested": 1, "failed": 1})
    assert [Path(each["path"]).name for each in over["failed"]] == ["void.txt"]
    assert over == (await server.http.get(f"{ROOT}/jobs/{job['id']}")).json() == await server.watch(job)
    ready, failed = await server.listed()
    assert (Path(ready["path"]), ready["state"], ready["group"]) == (server.uploads / "crew/pumps.md", "ready", "crew")
    assert (failed["state"], failed["answers"]) == ("failed", False)
    assert "0 bytes" in failed["reason"]
    assert await server.listed(state="failed") == [failed]
    details = (await server.http.get(f"{ROOT}/{ready['id']}")).json()
    (entry,) = details["history"]
    assert entry["outcome"] == "ready"
    assert entry["report"]["chunks"] == 3
    assert (details["media_type"], [each["term"] for each in details["terms"]]) == ("text/markdown", ["BPC"])
    assert details["terms"][0]["extended_name"] == "Bilge Pump Controller"
    assert [("Bilge" in each["text"], each["page"]) for each in details["summaries"]] == [(True, 1)]
    intake = server.service.intake(Actor(name="ann"))
    assert (intake.groups, intake.any_group, intake.max_bytes) == (("everyone", "crew"), True, 100_000)
    assert {".pdf", ".zip", ".md"} <= set(intake.suffixes)


async def test_only_folders_below_the_roots_can_be_watched(server: DocumentsServer, tmp_path: Path) -> None:
    root = tmp_path / "watched"
    (root / "manuals").mkdir()
    (root / "manuals/lamp.txt").write_text("The lamp burns.")
    (root / "out").symlink_to("/etc")
    (elsewhere,) = {
        assert_refused(await server.http.post(f"{ROOT}/watched", json={"path": str(path)}), 422)[1]
        for path in ("/etc", "/etc/nothing-here", root / "out", root / "../uploads", "manuals", "a\0b")
    }
    assert elsewhere == f"Only folders below {root} may be watched."
    assert_refused(await server.http.post(f"{ROOT}/watched", json={"path": str(root / "gone")}), 404)
    manuals = {"path": str(root / "manuals"), "group": "crew"}
    job = (await server.http.post(f"{ROOT}/watched", json=manuals)).json()
    assert (job["watch"], job["group"], job["paths"]) == (True, "crew", [str(root / "manuals")])
    assert_refused(await server.http.post(f"{ROOT}/watched", json=manuals), 409)
    assert (await server.http.delete(f"{ROOT}/jobs/{job['id']}")).status_code == 200
    assert (await server.http.post(f"{ROOT}/watched", json=manuals)).status_code == 202


async def test_removal_is_proved_even_if_the_library_changes_meanwhile(
    server: DocumentsServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    await server.read({f"{number}.txt": f"Lamp {number} burns." for number in range(3)})
    first, second, _ = await server.listed()
    held, others = ExactVectorIndex.fingerprint, [second["id"]]

    async def change_and_read(index: ExactVectorIndex) -> Fingerprint:
        if others:
            await asyncio.to_thread(server.store.delete_document, others.pop(), reason="somebody else did it")
        return await held(index)

    monkeypatch.setattr(ExactVectorIndex, "fingerprint", change_and_read)
    proof = (await server.http.delete(f"{ROOT}/{first['id']}")).json()
    assert others == []
    assert (proof["gone"], proof["problems"]) == (True, [])


async def test_removal_names_other_files_with_the_same_content(server: DocumentsServer) -> None:
    text = "The lamp burns in the hall."
    for group in ("crew", "office"):
        files = {"lamp.txt": text, "lamp again.txt": text, "rope.txt": f"The rope of the {group} is long."}
        await server.read(files, group=group)
    lamps = [each for each in await server.listed(state="ready") if "lamp" in each["path"]]
    first = next(each for each in lamps if each["group"] == "crew")
    proof = (await server.http.delete(f"{ROOT}/{first['id']}")).json()
    assert proof["gone"] is True
    copies = {str(Path(copy["path"]).relative_to(server.uploads)): copy["answers"] for copy in proof["copies"]}
    assert copies == {"crew/lamp.txt": False, "office/lamp again.txt": True, "office/lamp.txt": False}
    office = next(each for each in lamps if each["group"] == "office")
    proof = await server.service.remove(Actor(name="bo", groups=frozenset({"office"})), office["id"])
    assert {each.group for each in proof.copies} == {"office"}


async def test_page_of_documents_has_a_cursor_to_the_next(server: DocumentsServer) -> None:
    await server.read({f"{number}.txt": f"Lamp {number} burns." for number in range(5)})
    assert (await server.http.get(ROOT, params={"state": "odd"})).status_code == 422
    seen: list[str] = []
    after: str | None = ""
    while after is not None:
        page = (await server.http.get(ROOT, params={"limit": 2, "after": after})).json()
        seen += [Path(document["path"]).name for document in page["documents"]]
        after = page["next"]
    assert seen == [f"{number}.txt" for number in range(5)]


async def test_a_removed_document_is_proved_gone_unless_an_index_differs(
    server: DocumentsServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    await server.read({"a.txt": "The anchor holds.", "b.txt": "The buoy floats."})
    first, second = await server.listed()
    proof = (await server.http.delete(f"{ROOT}/{first['id']}")).json()
    assert (proof["gone"], proof["problems"], proof["vectors"], proof["searched_again"]) == (True, [], 2, 2)
    assert [document["id"] for document in await server.listed()] == [second["id"]]
    (gone,) = await server.listed(state="removed")
    assert gone["id"] == first["id"]
    assert "b.txt" in second["path"]
    assert_refused(await server.http.delete(f"{ROOT}/{first['id']}"), 404)
    assert_refused(await server.http.get(f"{ROOT}/nobody"), 404)
    another = Fingerprint(count=7, digest="another")
    monkeypatch.setattr(ExactVectorIndex, "fingerprint", AsyncMock(return_value=another))
    proof = (await server.http.delete(f"{ROOT}/{second['id']}")).json()
    assert proof["gone"] is False
    assert "does not match SQL" in proof["problems"][0]


async def test_uploaded_file_is_deleted_with_its_last_document(server: DocumentsServer) -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for name in ("one.txt", "two.txt"):
            archive.writestr(name, f"The sail of {name} is red.")
    files = [("files", ("sails.zip", packed.getvalue())), ("files", ("mast.txt", b"The mast stands."))]
    await server.watch((await server.http.post(ROOT, files=files)).json())
    folder = server.uploads / "everyone"
    for left, document in zip(("sails.zip", "sails.zip", ""), await server.listed(), strict=True):
        await server.http.delete(f"{ROOT}/{document['id']}")
        assert "".join(each.name for each in folder.iterdir()) == left


async def test_a_document_is_read_again_and_a_failed_one_is_deleted(server: DocumentsServer) -> None:
    await server.read({"a.txt": "The anchor holds.", "void.txt": ""})
    good, failed = await server.listed()

    async def read_again(document: dict[str, Any]) -> list[str]:
        response = await server.http.post(f"{ROOT}/{document['id']}/reading")
        assert response.status_code == 202
        return list((await server.watch(response.json()))["counts"])

    assert await read_again(good) == ["ingested"]
    assert await read_again(failed) == ["failed"]
    assert (await server.http.delete(f"{ROOT}/{failed['id']}")).json()["gone"] is True
    assert [each["id"] for each in await server.listed()] == [good["id"]]
    (server.uploads / "everyone" / "a.txt").unlink()
    assert "upload it again" in assert_refused(await server.http.post(f"{ROOT}/{good['id']}/reading"), 409)[1]


async def test_bad_file_name_is_refused_and_path_ignored(server: DocumentsServer, subtests: pytest.Subtests) -> None:
    for name, group, words in [
        (".hidden", "everyone", "plain file name"), ("..", "everyone", "plain file name"),
        ("two\nlines.txt", "everyone", ""), ("n" * 300 + ".txt", "everyone", "255 bytes"),
        ("fine.txt", "../up", "group"), ("fine.txt", "", "group"),
    ]:  # fmt: skip
        # The client would quote control characters: the raw part is written here.
        part = f'--x\r\nContent-Disposition: form-data; name="files"; filename="{name}"\r\n\r\ntext\r\n'
        field = f'--x\r\nContent-Disposition: form-data; name="group"\r\n\r\n{group}\r\n--x--\r\n'
        headers = {"Content-Type": "multipart/form-data; boundary=x"}
        with subtests.test(name=name, group=group):
            response = await server.http.post(ROOT, content=(part + field).encode(), headers=headers)
            assert response.status_code in (400, 422), response.text
            assert words in response.json()["error"]["message"]
            assert not list(server.uploads.rglob("*.txt"))
            assert await server.listed() == []
    await server.read({"../../up.txt": "The mast stands.", "C:\\docs\\win.txt": "It sails."})
    names = {path.name for path in (server.uploads / "everyone").iterdir()}
    assert names == {"up.txt", "win.txt"}


async def test_too_large_malformed_and_cross_site_uploads_are_refused(server: DocumentsServer) -> None:
    foreign = {"Origin": "http://elsewhere.example"}
    assert_refused(await server.http.post(ROOT, files={"files": b"text"}, headers=foreign), 403)
    assert (await server.upload({"big.txt": "x" * 200_000})).status_code == 413
    assert_refused(await server.http.post(ROOT, json={"files": []}), 415)
    assert "files" in assert_refused(await server.http.post(ROOT, files={"other": b"text"}), 422)[1]
    twice = [("files", ("a.txt", b"one")), ("files", ("dir/a.txt", b"two"))]
    assert "rename one" in assert_refused(await server.http.post(ROOT, files=twice), 422)[1]
    assert await server.listed() == []


async def test_uploads_beyond_the_quota_are_refused_with_the_reason(server: DocumentsServer) -> None:
    folder = server.uploads / "everyone"
    folder.mkdir(parents=True)
    (folder / "kept.txt").write_bytes(b"x" * 150_000)
    assert "GOLDEN_UPLOAD_QUOTA_MB" in assert_refused(await server.upload({"more.txt": "x" * 60_000}), 413)[1]
    assert [each.name for each in folder.iterdir()] == ["kept.txt"]
    assert (await server.upload({"small.txt": "The mast stands."})).status_code == 202


async def test_job_continues_without_listeners_while_the_server_responds(server: DocumentsServer) -> None:
    files = {f"{number}.txt": f"Rope {number} is long. " * 500 for number in range(4)}
    job = (await server.upload(files)).json()
    async with server.http.stream("GET", f"{ROOT}/jobs/{job['id']}/events") as response:
        async for line in response.aiter_lines():
            if line:
                break  # the client goes away
    while (await server.http.get(f"{ROOT}/jobs/{job['id']}")).json()["state"] in ("queued", "running"):
        assert (await server.http.get("/healthz")).status_code == 200
        await asyncio.sleep(0.05)
    over = (await server.http.get(f"{ROOT}/jobs")).json()[0]
    assert (over["state"], over["counts"]) == ("done", {"ingested": 4})
    assert_refused(await server.http.delete(f"{ROOT}/jobs/{job['id']}"), 409)
