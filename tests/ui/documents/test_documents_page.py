"""The documents' page over a real library."""

from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from contracts.errors import GoldenError
from contracts.jobs import IngestionJob
from serving.access import Actor, Forbidden
from serving.documents.service import DocumentsService
from tests.servers import me_service
from tests.serving.documents.documents_server import DocumentsServer, open_documents_server, pdf
from tests.ui.visits import Visitor, services_of, visit_of
from ui.documents.page import DocumentsPage
from ui.pages import Page

pytestmark = pytest.mark.asyncio(loop_scope="module")
FILES = {"pumps.md": "# Pumps\n\nThe Bilge Pump Controller (BPC) is blue.", "rope.txt": "The rope.", "no.txt": ""}


@dataclass(kw_only=True)
class DocumentsVisitor(Visitor):
    """Somebody at the page of documents, beside the server behind it."""

    page: Page = field(default_factory=DocumentsPage)
    server: DocumentsServer

    def titles(self) -> list[str]:
        return [each.get_text() for each in self.soup.select(".files .title")]


@pytest.fixture(scope="module")
async def server(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[DocumentsServer]:
    async with open_documents_server(tmp_path_factory.mktemp("documents")) as opened:
        files = [("files", (name, text.encode())) for name, text in FILES.items()]
        files += [("files", ("hall.pdf", pdf("The lamp burns.", "The hall is dark.")))]
        await opened.watch((await opened.http.post("/api/documents", files=files)).json())
        yield opened


@pytest.fixture
def desk(server: DocumentsServer) -> DocumentsVisitor:
    services = services_of(me=me_service(), documents=server.service)
    return DocumentsVisitor(visit=visit_of(services, actor=Actor(name="ann"), prefix="/bot"), server=server)


async def test_the_list_is_sought_and_sorted_out_by_state(desk: DocumentsVisitor) -> None:
    await desk.go()
    assert sorted(desk.titles()) == ["Pumps", "hall", "no.txt", "rope"]
    assert desk.text(".states") == "All 4 Ready 3 Failed 1"
    await desk.do("seek", {"q": "PUMP"})
    assert (desk.titles(), dict(desk.place)) == (["Pumps"], {"q": "PUMP"})
    await desk.do("go", state="failed", after="")
    assert (desk.titles(), desk.text(".none")) == ([], "No document matches.")
    await desk.do("seek", {"q": ""})
    assert (desk.titles(), desk.text(".files .state"), dict(desk.place)) == (["no.txt"], "failed", {"state": "failed"})
    assert "0 bytes" in desk.text(".files .why")


async def test_an_address_may_be_anything_and_an_action_of_no_page_changes_nothing(desk: DocumentsVisitor) -> None:
    for place in ({"state": "odd", "first": "-3", "q": "%\x00'"}, {"after": "\ud800"}, {"q": "a" * 9_000}):
        await desk.go(**place)
        assert len(desk.place.get("q", "")) <= 500
        assert "state" not in desk.place
    await desk.do("explode", id="x")
    assert desk.seen == 0


async def test_a_folder_is_watched_from_the_page_by_whoever_may_read_all(desk: DocumentsVisitor) -> None:
    root = desk.server.uploads.parent / "watched"
    (root / "<b>manuals").mkdir()
    await desk.go()
    assert f"Folders below {root} can be watched." in desk.text(".watched")
    with pytest.raises(GoldenError, match="Only folders below"):
        await desk.do("watch", {"folder": "/etc", "group": "everyone"})
    await desk.do("watch", {"folder": f"{root}/<b>manuals ", "group": "everyone", "prune": "on"})
    assert desk.notice == f"Now watching {root}/<b>manuals. New and changed files are read automatically."
    assert desk.text(".watched .path") == f"{root}/<b>manuals"
    remove = desk.soup.select_one(".watched [data-action=stop_job]")
    await desk.do("stop_job", id=remove["data-id"])
    assert desk.text(".watched .path") == ""
    some = DocumentsVisitor(
        visit=visit_of(desk.visit.services, actor=Actor(name="bob", groups=frozenset({"everyone"}))), server=desk.server
    )
    await some.go()
    assert not some.soup.select(".watched")
    with pytest.raises(Forbidden):
        await some.do("watch", {"folder": f"{root}/<b>manuals", "group": "everyone"})


async def test_a_document_shows_its_pages_and_what_was_made_of_it(desk: DocumentsVisitor) -> None:
    await desk.go(q="hall")
    await desk.do("go", doc=desk.soup.select_one(".files .title")["data-doc"])
    own = f"/bot/api/documents/{desk.place['doc']}"
    assert [link["href"] for link in desk.soup.select(".thumbnails a")] == [f"{own}/file#page={n}" for n in (1, 2)]
    source = desk.soup.select_one(".thumbnails img")["src"]
    assert source.startswith(f"{own}/pages/1/picture?v=")
    response = await desk.server.http.get(source.removeprefix("/bot"))
    assert (response.status_code, response.headers["content-type"]) == (200, "image/jpeg")
    assert "Pages with text 2" in desk.text("[data-key=report]")
    await desk.do("go", doc="")
    assert dict(desk.place) == {"q": "hall"}
    with pytest.raises(GoldenError, match="no document"):
        await desk.go(doc="nobody")
    # A text has no pages to draw.
    await desk.go(q="pumps")
    await desk.do("go", doc=desk.soup.select_one(".files .title")["data-doc"])
    assert not desk.soup.select("img")
    assert "no pictures of this document" in desk.text(".quiet")
    assert "BPC Bilge Pump Controller" in desk.text("[data-key=terms]")


async def test_a_group_is_changed(desk: DocumentsVisitor) -> None:
    await desk.go(q="rope")
    document = desk.soup.select_one(".files .title")["data-doc"]
    await desk.do("go", doc=document)
    await desk.do("regroup", {"group": "everyone", "new_group": " crew "}, id=document)
    assert desk.notice == "rope.txt can now be read by the group “crew”."
    assert desk.soup.select_one(".regroup option[selected]").get_text() == "crew"
    with pytest.raises(GoldenError, match="not a valid group name"):
        await desk.do("regroup", {"new_group": "../x"}, id=document)


async def test_what_was_read_meanwhile_is_told(desk: DocumentsVisitor) -> None:
    job = (await desk.server.upload({"bell.txt": "The bell rings.", "mute.txt": ""})).json()
    await desk.server.watch(job)
    await desk.do("follow", jobs=job["id"])
    assert desk.notice == "Finished. Files: 2. Not read: 1."
    await desk.do("follow")
    assert desk.notice == ""


async def test_a_file_read_again_before_the_page_is_drawn_is_told(
    desk: DocumentsVisitor, monkeypatch: pytest.MonkeyPatch
) -> None:
    reread = DocumentsService.reread

    async def reread_to_the_end(service: DocumentsService, actor: Actor, document_id: str) -> IngestionJob:
        job = await reread(service, actor, document_id)
        await desk.server.watch({"id": job.id})
        return job

    monkeypatch.setattr(DocumentsService, "reread", reread_to_the_end)
    await desk.go(state="failed", q="no.txt")
    await desk.do("reread", id=desk.soup.select_one(".files .title")["data-doc"])
    assert desk.notice == "Finished. Files: 1. Not read: 1."


async def test_a_removal_shows_its_proof(desk: DocumentsVisitor, tmp_path: Path) -> None:
    name = "<img src=x onerror=alert(1)> & co.txt"
    await desk.server.watch(
        (await desk.server.upload({name: "# <script>alert(1)</script>\n\nThe wheel turns."})).json()
    )
    await desk.go(q="onerror")
    document = desk.soup.select_one(".files .title")["data-doc"]
    await desk.do("go", doc=document)
    assert name in desk.soup.select_one("[data-action=remove]")["data-confirm"]
    await desk.do("remove", id=document)
    assert desk.text(".proof h2") == f"Deleted: {name}"
    assert "A search by words and by vectors for 2 of them finds nothing." in desk.text(".proof")
    assert desk.titles() == []
    with pytest.raises(GoldenError):
        await desk.do("remove", id=document)


async def test_who_may_only_ask_is_refused(server: DocumentsServer) -> None:
    services = services_of(me=me_service(), documents=server.service)
    asking = DocumentsVisitor(
        visit=visit_of(services, actor=Actor(name="Ada", scopes=frozenset({"ask"}))), server=server
    )
    for name in ("seek", "remove", "regroup", "watch"):
        with pytest.raises(Forbidden):
            await asking.do(name, id="x")
