"""Poor pages: those of which a person should look at the picture, for little of them could be read."""

from collections.abc import Sequence

from contracts.documents import PoorPage
from contracts.text import Page


def find_poor_pages(pages: Sequence[Page], least_confidence: float) -> tuple[PoorPage, ...]:
    """Return the pages that were read from their pictures less surely than ``least_confidence``, or could not be."""
    return tuple(found for page in pages if (found := _judge(page, least_confidence)) is not None)


def _judge(page: Page, least: float) -> PoorPage | None:
    confidence = page.ocr_confidence
    if confidence is None:
        # A page that needed OCR and did not get it; one whose text layer was kept as the better one has no warning.
        if page.ocr_reason and page.warnings:
            return PoorPage(page=page.number, confidence=None, reason=page.warnings[0])
        return None
    if not page.blocks:
        return PoorPage(page=page.number, confidence=confidence, reason="no words could be read on its picture")
    if confidence < least:
        reason = f"its words were read with a mean confidence of {confidence:.2f}, below {least:.2f}"
        return PoorPage(page=page.number, confidence=confidence, reason=reason)
    return None
