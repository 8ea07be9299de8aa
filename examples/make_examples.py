"""Draw the generated example documents: `python -m examples.make_examples [FOLDER]`.

The plain-text documents, the dictionary, the contexts and the quiz are kept as they are; only the PDF and Office files
are made here, from the Markdown in `examples/source/`. Running it twice gives the same text.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from examples.source.blocks import read_pages
from examples.source.office import write_document, write_slides, write_workbook
from examples.source.pdf import write_pdf
from examples.source.scan import write_scan

DOCUMENTS = Path(__file__).parent / "documents"


def make_documents(folder: Path) -> list[Path]:
    """Write every generated document into `folder` and return their paths."""
    folder.mkdir(parents=True, exist_ok=True)
    handbook_path = folder / "interfaces-handbook.pdf"
    write_pdf(handbook_path, "Interfaces handbook for new engineers", read_pages("handbook.md"))
    scan_path = folder / "test-and-packaging-scan.pdf"
    with tempfile.TemporaryDirectory() as scratch:
        printed = Path(scratch) / "print.pdf"
        pages = read_pages("test-and-packaging.md")
        write_pdf(printed, "Test and packaging booklet", pages, body_pt=11.5)
        write_scan(printed, scan_path)
    slides_path = folder / "onboarding-slides.pptx"
    write_slides(slides_path, read_pages("onboarding.md"))
    workbook_path = folder / "timing-parameters.xlsx"
    write_workbook(workbook_path, read_pages("timing.md"))
    notes_path = folder / "reliability-notes.docx"
    (notes,) = read_pages("reliability.md")
    write_document(notes_path, "Reliability notes", notes)
    return [handbook_path, scan_path, slides_path, workbook_path, notes_path]


def main(arguments: list[str]) -> int:
    """Draw the documents into the folder named on the command line, or in place."""
    for path in make_documents(Path(arguments[0]) if arguments else DOCUMENTS):
        print(f"{path} ({path.stat().st_size / 1024:.0f} KiB)")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
