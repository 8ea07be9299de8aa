"""Pages as read one by one, and what is made of them when all of a document are there."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from contracts.text import Page
from ingestion.layout.across_pages import PageItems, drop_furniture, join_continued_tables
from ingestion.layout.blocks import build_blocks, learn_style


@dataclass(slots=True)
class PageSketch:
    """A page as read, before the whole document tells what its headings and running headers look like. Picklable."""

    number: int
    width_pt: float = 0.0
    height_pt: float = 0.0
    laid: PageItems = field(default_factory=lambda: PageItems([], 0.0))
    confidence: float | None = None
    ocr_reason: str = ""
    warnings: list[str] = field(default_factory=list)


class OpenPages(Protocol):
    """Reads pages of a file that it holds open, in any order, each by itself."""

    count: int

    def read(self, first: int, last: int | None = None) -> Iterator[PageSketch]:
        """Read the pages ``first`` to ``last`` (from 1, both included; None: to the end).

        Raises:
            UnreadableFile: what is wrong with a page is wrong with the whole file.
        """
        ...

    def close(self) -> None: ...


def finish(sketches: Sequence[PageSketch]) -> Iterator[Page]:
    """Make pages of the sketches of all pages of a document, in their order; the sketches are used up."""
    drop_furniture([sketch.laid for sketch in sketches])
    join_continued_tables([sketch.laid.items for sketch in sketches])
    # Sizes on scans are estimates: headings there are held against the scanned text, by coarser measures.
    typed = learn_style(
        (item for each in sketches if each.confidence is None for item in each.laid.items), scanned=False
    )
    scanned = learn_style(
        (item for each in sketches if each.confidence is not None for item in each.laid.items), scanned=True
    )
    for sketch in sketches:
        style = typed if sketch.confidence is None else scanned
        yield Page(
            number=sketch.number,
            blocks=tuple(build_blocks(sketch.laid.items, sketch.number, style)),
            width_pt=sketch.width_pt,
            height_pt=sketch.height_pt,
            ocr_confidence=sketch.confidence,
            ocr_reason=sketch.ocr_reason,
            warnings=tuple(sketch.warnings),
        )
