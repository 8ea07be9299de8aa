"""Made documents and the comparison of ingestion with its engines."""

from pathlib import Path

from golden_lab.speed.ingest import make_document
from ingestion.limits import IngestionLimits
from ingestion.readers import reader_for


def test_documents_of_a_seed_are_equal_and_are_read_with_headings_and_tables(tmp_path: Path) -> None:
    first, again, other = (tmp_path / f"{name}.pdf" for name in "abc")
    make_document(first, pages=2, seed=1)
    make_document(again, pages=2, seed=1)
    make_document(other, pages=2, seed=2)
    assert first.read_bytes() == again.read_bytes() != other.read_bytes()
    pages = list(reader_for(first).read(first, IngestionLimits(), None))
    assert len(pages) == 2
    assert {"heading", "table"} <= {block.kind for page in pages for block in page.blocks}
