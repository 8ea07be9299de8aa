"""What the pages of documents show of pages, poor readings and removals."""

from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any
from unittest.mock import AsyncMock

from contracts.documents import (
    DocumentDetails,
    DocumentPage,
    DocumentReport,
    FileRecord,
    HistoryEntry,
    PageInfo,
    PoorPage,
    RemovalProof,
    UploadLimits,
)
from serving.access import Actor
from tests.ui.visits import Visitor, services_of, visit_of
from ui.documents.page import DocumentsPage

NOW = datetime(2026, 3, 1, tzinfo=UTC)


def visitor_of(*, pictured: bool = True, **told: Any) -> Visitor:
    async def sheet(actor: Actor, document_id: str, page: int) -> PageInfo:
        return PageInfo(page=page, picture="/picture" if pictured else "")

    found = {name: lambda *_, _given=given, **__: _given for name, given in told.items()}
    service = SimpleNamespace(jobs=lambda _: (), intake=lambda _: UploadLimits(), sheet=sheet, **found)
    return Visitor(page=DocumentsPage(), visit=visit_of(services_of(documents=service), actor=Actor(name="ann")))


def details_of(text: str) -> DocumentDetails:
    pages = 60
    poor = tuple(PoorPage(page=page, reason=text, confidence=sure) for page, sure in ((2, 0.31), (5, None)))
    report = DocumentReport(pages=pages, ocr_pages=2, warnings=(text,), poor_pages=poor)
    return DocumentDetails(
        document_id=f"a/{text}", path=f"/x/{text}", state="ready", answers=True, size_bytes=1, group=text,
        title=text, pages=pages, content_hash="ab" * 32, changed_at=NOW, reason=text, poor_pages=2,
        history=(HistoryEntry(outcome="ready", reason=text, path=text, content_hash="", started_at=NOW, finished_at=NOW,
                              report=report),),
    )  # fmt: skip


async def test_the_first_pages_are_shown_and_poor_ones_with_their_picture_and_their_reason() -> None:
    page = await visitor_of(details=details_of("faint")).go(doc="d")
    numbers = [int(each.get_text()) for each in page.select(".thumbnails .number")]
    assert (numbers[0], numbers[-1]) == (1, 24)
    (first, second) = page.select(".poor-pages > li")
    assert first.select_one("h3").get_text() == "Page 2"
    assert [each.get_text() for each in first.select("p")] == ["faint", "OCR confidence: 31 %"]
    assert first.select_one("img")["alt"] == "Picture of page 2"
    assert second.select("p")[1].get_text() == "OCR found no text here"
    bare = await visitor_of(details=details_of("faint"), pictured=False).go(doc="d")
    assert (bare.select("img"), len(bare.select(".poor-pages > li"))) == ([], 2)
    common = {"state": "ready", "group": "everyone", "reason": "", "content_hash": "", "size_bytes": 0, "answers": True}
    files = tuple(
        FileRecord(document_id=name, path=name, changed_at=NOW, poor_pages=poor, **common)
        for name, poor in (("scan.pdf", 2), ("plain.txt", 0))
    )
    listing = DocumentPage(documents=files, next="", totals={"ready": 2, "poor": 1})
    listed = await visitor_of(search=listing).go()
    assert [len(each.select(".state.poor")) for each in listed.select(".files > li")] == [1, 0]


async def test_what_is_left_of_a_removed_document_stands_out() -> None:
    proof = RemovalProof(
        id="d", path="/x/pump.pdf", chunks=3, vectors=1, searched_again=1, problems=("2 chunks are still there",)
    )
    visitor = visitor_of(search=DocumentPage(documents=(), next="", totals={}))
    visitor.visit.services.documents.remove = AsyncMock(return_value=proof)  # type: ignore[method-assign]
    page = await visitor.do("remove", id="d")
    assert page.select_one(".proof h2").get_text() == "pump.pdf was deleted, but some of it remains"
    assert "2 chunks are still there" in page.get_text()
