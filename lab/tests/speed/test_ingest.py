"""Made documents and the comparison of ingestion with its engines."""

from pathlib import Path

from golden_lab.speed.ingest import make_document, render_ingest
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


def test_the_report_shows_ratios_and_whole_runs() -> None:
    slow = {"name": "OCR", "unit": "pages", "ours_per_s": 0.8, "bare_per_s": 1.0, "ratio": 0.8, "ratios": [0.7, 0.8]}
    whole = {"workers": 2, "pages_per_s": 2.5, "seconds": 12.0, "largest_process_mb": 410}
    made = {"bench": "ingest", "revision": "abc", "machine": "2 cores", "load_average": 0.5, "rounds": 1, "seed": 0}
    text = render_ingest({**made, "pages": 30, "scans": 0, "comparisons": [slow], "whole": [whole]})
    assert "0.80 (0.70 to 0.80)" in text
    assert "2 workers" in text
