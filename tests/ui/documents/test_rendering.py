"""What the pages of documents show of pages, poor readings and removals."""

from datetime import UTC, datetime
from typing import Any

import pytest

from contracts.documents import (
    DocumentDetails,
    DocumentPage,
    DocumentReport,
    FileRecord,
    HistoryEntry,
    PoorPage,
    RemovalProof,
    UploadLimits,
)
from tests.ui.hostile import assert_harmless
from tests.ui.visits import services_of, visit_of
from ui.documents.page import render_document, render_list

NOW = datetime(2026, 3, 1, tzinfo=UTC)
VISIT = visit_of(services_of())


def details_of(text: str, pages: int = 60) -> DocumentDetails:
    poor = tuple(PoorPage(page=page, reason=text, confidence=sure) for page, sure in ((2, 0.31), (5, None)))
    report = DocumentReport(pages=pages, ocr_pages=2, warnings=(text,), poor_pages=poor)
    return DocumentDetails(
        document_id=f"a/{text}", path=f"/x/{text}", state="ready", answers=True, size_bytes=1, group=text,
        title=text, pages=pages, content_hash="ab" * 32, changed_at=NOW, reason=text, poor_pages=2,
        history=(HistoryEntry(outcome="ready", reason=text, path=text, content_hash="", started_at=NOW, finished_at=NOW,
                              report=report),),
    )  # fmt: skip


def record_of(name: str, **values: Any) -> FileRecord:
    kept = {"group": "everyone", "reason": "", "content_hash": "", "size_bytes": 0, "changed_at": NOW, "answers": False}
    return FileRecord(**{"document_id": name, "path": name, "state": "ready", **kept, **values})


def test_poor_pages_come_with_their_picture_and_their_reason() -> None:
    page = assert_harmless(str(render_document(VISIT, details_of("faint"), UploadLimits(), pictured=True)))
    (first, second) = page.select(".poor-pages > li")
    assert first.select_one("h3").get_text() == "Page 2"
    assert [each.get_text() for each in first.select("p")] == ["faint", "OCR confidence: 31 %"]
    assert first.select_one("img")["alt"] == "Picture of page 2"
    assert second.select("p")[1].get_text() == "OCR found no text here"
    bare = assert_harmless(str(render_document(VISIT, details_of("faint"), UploadLimits(), pictured=False)))
    assert (bare.select("img"), len(bare.select(".poor-pages > li"))) == ([], 2)
    files = tuple(record_of(name, answers=True, poor_pages=poor) for name, poor in (("scan.pdf", 2), ("plain.txt", 0)))
    listing = DocumentPage(documents=files, next="", totals={"ready": 2, "poor": 1})
    listed = assert_harmless(str(render_list(VISIT, {}, listing, UploadLimits(), None)))
    assert [len(each.select(".state.poor")) for each in listed.select(".files > li")] == [1, 0]


def test_pages_are_shown_some_at_a_time(subtests: pytest.Subtests) -> None:
    for first, shown, turns in [
        (1, (1, 24), [25]),
        (25, (25, 48), [1, 49]),
        (49, (49, 60), [25]),
        (999, (60, 60), [36]),
    ]:
        with subtests.test(first=first):
            html = render_document(VISIT, details_of("x"), UploadLimits(), pictured=True, first=first)
            page = assert_harmless(str(html))
            numbers = [int(each.get_text()) for each in page.select(".thumbnails .number")]
            assert (numbers[0], numbers[-1]) == shown
            others = page.select("[data-action=go][data-first]:not([data-doc])")
            assert [int(each["data-first"]) for each in others] == turns


def test_what_is_left_of_a_removed_document_stands_out() -> None:
    proof = RemovalProof(
        id="d", path="/x/pump.pdf", chunks=3, vectors=1, searched_again=1, problems=("2 chunks are still there",)
    )
    page = assert_harmless(
        str(render_list(VISIT, {}, DocumentPage(documents=(), next="", totals={}), UploadLimits(), proof))
    )
    assert page.select_one(".proof h2").get_text() == "pump.pdf was deleted, but some of it remains"
    assert "2 chunks are still there" in page.get_text()
