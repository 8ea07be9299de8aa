"""How much of a file is read at all."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class IngestionLimits:
    """Limits that keep one bad file from taking the machine down; a file beyond them is reported, not read.

    ``unpacked_bytes`` bounds what a zipped format (DOCX, EPUB, ZIP …) may unpack to, ``packing_ratio`` how many times
    larger than the file that may be, ``archive_files`` how many files an archive may hold. ``markup_bytes`` bounds
    formats that are parsed as one tree (HTML, Markdown, reStructuredText, mail), ``page_characters`` the text of a PDF
    page, ``characters`` that of a document, ``passages`` those made of it, ``cells`` those of a workbook. ``pictures``
    inside one document are read by OCR, ``attachments`` of one mail. A file that is not read within ``file_s`` seconds
    is given up, and so is one whose text is not made into passages, summarised and embedded within as many more, and a
    page of a PDF after ``page_s``. One that holds a worker for ``slow_s`` at a stretch is read again behind the others.
    A worker process may take ``worker_bytes`` of memory (0: all there is). Pages without a text layer are rendered at
    ``scan_dpi`` for OCR.
    """

    file_bytes: int = 256 * 1024 * 1024
    markup_bytes: int = 64 * 1024 * 1024
    pages: int = 5_000
    image_pixels: int = 100_000_000
    unpacked_bytes: int = 1024 * 1024 * 1024
    packing_ratio: int = 200
    archive_files: int = 20_000
    cells: int = 2_000_000
    page_characters: int = 2_000_000
    characters: int = 10_000_000
    passages: int = 20_000
    pictures: int = 200
    attachments: int = 100
    scan_dpi: int = 200
    file_s: float = 7_200.0
    page_s: float = 300.0
    slow_s: float = 60.0
    worker_bytes: int = 4 * 1024 * 1024 * 1024
