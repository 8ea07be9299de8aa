"""The documents' page over a real library."""

from collections.abc import AsyncIterator
from dataclasses import dataclass, field, replace
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
def visitor(server: DocumentsServer) -> DocumentsVisitor:
    services = services_of(me=me_service(), documents=server.service)
    return DocumentsVisitor(visit=visit_of(services, actor=Actor(name="ann"), prefix="/bot"), server=server)


async def test_the_list_is_sought_and_sorted_out_by_state(visitor: DocumentsVisitor) -> None:
    await visitor.go()
    assert sorted(visitor.titles()) == ["Pumps", "hall", "no.txt", "rope"]
    assert visitor.text(".states") == "All 4 Ready 3 Failed 1"
    await visitor.do("search", {"q": "PUMP"})
    assert (visitor.titles(), dict(visitor.place)) == (["Pumps"], {"q": "PUMP"})
    await visitor.do("go", state="failed", after="")
    assert (visitor.titles(), visitor.text(".none")) == ([], "No document matches.")
    await visitor.do("search", {"q": ""})
    assert (visitor.titles(), visitor.text(".files .state")) == (["no.txt"], "failed")
    assert dict(visitor.place) == {"state": "failed"}
    assert "0 bytes" in visitor.text(".files .failure-reason")


async def test_an_address_may_be_anything_and_an_action_of_no_page_changes_nothing(visitor: DocumentsVisitor) -> None:
    for place in ({"state": "odd", "first": "-3", "q": "%\x00'"}, {"after": "\ud800"}, {"q": "a" * 9_000}):
        await visitor.go(**place)
        assert len(visitor.place.get("q", "")) <= 500
        assert "state" not in visitor.place
    await visitor.do("explode", id="x")
    assert visitor.seen == 0


async def test_a_folder_is_watched_from_the_page_by_whoever_may_read_all(visitor: DocumentsVisitor) -> None:
    root = visitor.server.uploads.parent / "watched"
    (root / "<b>manuals").mkdir()
    await visitor.go()
    assert f"Folders below {root} can be watched." in visitor.text(".watched")
    with pytest.raises(GoldenError, match="Only folders below"):
        await visitor.do("watch", {"folder": "/etc", "group": "everyone"})
    await visitor.do("watch", {"folder": f"{root}/<b>manuals ", "group": "everyone", "prune": "on"})
    assert visitor.notice == f"Now watching {root}/<b>manuals. New and changed files are read automatically."
    assert visitor.text(".watched .path") == f"{root}/<b>manuals"
    remove = visitor.soup.select_one(".watched [data-action=stop_job]")
    await visitor.do("stop_job", id=remove["data-id"])
    assert visitor.text(".watched .path") == ""
    bob = Actor(name="bob", groups=frozenset({"everyone"}))
    some = replace(visitor, visit=visit_of(visitor.visit.services, actor=bob))
    await some.go()
    assert not some.soup.select(".watched")
    with pytest.raises(Forbidden):
        await some.do("watch", {"folder": f"{root}/<b>manuals", "group": "everyone"})


async def test_a_document_shows_its_pages_and_what_was_made_of_it(visitor: DocumentsVisitor) -> None:
    await visitor.go(q="hall")
    await visitor.do("go", doc=visitor.soup.select_one(".files .title")["data-doc"])
    own = f"/bot/api/documents/{visitor.place['doc']}"
    assert [link["href"] for link in visitor.soup.select(".thumbnails a")] == [f"{own}/file#page={n}" for n in (1, 2)]
    source = visitor.soup.select_one(".thumbnails img")["src"]
    assert source.startswith(f"{own}/pages/1/picture?v=")
    response = await visitor.server.http.get(source.removeprefix("/bot"))
    assert (response.status_code, response.headers["content-type"]) == (200, "image/jpeg")
    assert "Pages with text 2" in visitor.text("[data-key=report]")
    await visitor.do("go", doc="")
    assert dict(visitor.place) == {"q": "hall"}
    with pytest.raises(GoldenError, match="no document"):
        await visitor.go(doc="nobody")
    # A text has no pages to draw.
    await visitor.go(q="pumps")
    await visitor.do("go", doc=visitor.soup.select_one(".files .title")["data-doc"])
    assert not visitor.soup.select("img")
    assert "no pictures of this document" in visitor.text(".muted")
    assert "BPC Bilge Pump Controller" in visitor.text("[data-key=terms]")


async def test_what_was_read_meanwhile_is_told(visitor: DocumentsVisitor) -> None:
    job = await visitor.server.read({"bell.txt": "The bell rings.", "mute.txt": ""})
    await visitor.do("follow", jobs=job["id"])
    assert visitor.notice == "Finished. Files: 2. Not read: 1."
    await visitor.do("follow")
    assert visitor.notice == ""


async def test_a_file_read_again_before_the_page_is_drawn_is_told(
    visitor: DocumentsVisitor, monkeypatch: pytest.MonkeyPatch
) -> None:
    reread = DocumentsService.reread

    async def reread_to_the_end(service: DocumentsService, actor: Actor, document_id: str) -> IngestionJob:
        job = await reread(service, actor, document_id)
        await visitor.server.watch({"id": job.id})
        return job

    monkeypatch.setattr(DocumentsService, "reread", reread_to_the_end)
    await visitor.go(state="failed", q="no.txt")
    await visitor.do("reread", id=visitor.soup.select_one(".files .title")["data-doc"])
    assert visitor.notice == "Finished. Files: 1. Not read: 1."


async def test_a_removal_shows_its_proof(visitor: DocumentsVisitor, tmp_path: Path) -> None:
    name = "<img src=x onerror=alert(1)> & co.txt"
    await visitor.server.read({name: "# <script>alert(1)</script>\n\nThe wheel turns."})
    await visitor.go(q="onerror")
    document = visitor.soup.select_one(".files .title")["data-doc"]
    await visitor.do("go", doc=document)
    assert name in visitor.soup.select_one("[data-action=remove]")["data-confirm"]
    await visitor.do("remove", id=document)
    assert visitor.text(".proof h2") == f"Deleted: {name}"
    assert "A search by words and by vectors for 2 of them finds nothing." in visitor.text(".proof")
    assert visitor.titles() == []
    with pytest.raises(GoldenError):
        await visitor.do("remove", id=document)
