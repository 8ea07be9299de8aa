"""Workbooks (XLSX): a sheet is a page; its tables are what empty rows part."""

import datetime
import zipfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import openpyxl
from openpyxl.utils.exceptions import InvalidFileException

from contracts.errors import UnreadableFile
from contracts.text import Block, Page
from ingestion.layout.tables import looks_like_header
from ingestion.limits import IngestionLimits
from ingestion.readers.containers import check_container
from ingestion.readers.grid import grid_block, one_line
from tools.ocr import OcrEngine


def read(path: Path, limits: IngestionLimits, ocr: OcrEngine | None) -> Iterator[Page]:
    """Read the sheets of a workbook: their values, as formulas last gave them.

    Raises:
        UnreadableFile: the file is damaged, encrypted, unpacks to too much or has too many cells.
    """
    check_container(path, limits, "xl/workbook.xml")
    book = _open(path)
    try:
        cells = 0
        for number, sheet in enumerate(book.worksheets, start=1):
            try:
                rows: list[list[str]] = []
                for row in sheet.iter_rows():
                    texts = [_text_of(cell) for cell in row]
                    cells += sum(1 for text in texts if text)
                    if cells > limits.cells:
                        raise UnreadableFile(
                            str(path),
                            f"it has more than the {limits.cells:,} filled cells allowed; split it",
                            page=number,
                        )
                    rows.append(texts)
            except (KeyError, ValueError, SyntaxError, TypeError, zipfile.BadZipFile) as error:
                warning = f"sheet {sheet.title!r} could not be read ({type(error).__name__}: {error})"
                yield Page(number=number, blocks=(), warnings=(warning,))
                continue
            blocks = tuple(_blocks_of(rows, number))
            heading = Block(kind="heading", text=one_line(sheet.title), page=number, level=1)
            yield Page(number=number, blocks=(heading, *blocks) if blocks else ())
    finally:
        book.close()


def title(path: Path) -> str:
    """Return the title in the file's properties, or ""."""
    book = _open(path)
    try:
        return str(book.properties.title or "").strip()
    finally:
        book.close()


def _open(path: Path) -> Any:
    try:
        return openpyxl.load_workbook(path, read_only=True, data_only=True)
    except (InvalidFileException, zipfile.BadZipFile, KeyError, ValueError, SyntaxError, TypeError, OSError) as error:
        raise UnreadableFile(str(path), f"it is not a readable workbook ({error})") from error


def _text_of(cell: Any) -> str:
    value = cell.value
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, datetime.datetime):
        return value.isoformat(sep=" ") if value.time() != datetime.time() else value.date().isoformat()
    if isinstance(value, float | int) and "%" in str(cell.number_format or ""):
        return f"{float(value) * 100:.10g} %"
    if isinstance(value, float):
        return f"{value:.12g}"
    return one_line(str(value))


def _blocks_of(rows: Sequence[Sequence[str]], page: int) -> Iterator[Block]:
    region: list[list[str]] = []
    for row in [*rows, []]:
        if any(row):
            region.append(list(row))
        elif region:
            yield from _region_blocks(region, page)
            region = []


def _region_blocks(region: list[list[str]], page: int) -> Iterator[Block]:
    """Write what stands between two empty rows: titles in a row of their own, a table, remarks below it."""
    while region and _filled(region[0]) == 1 and len(region) > 1:
        yield Block(kind="caption" if _filled(region[1]) > 1 else "paragraph", text=_only(region.pop(0)), page=page)
    remarks: list[str] = []
    while len(region) > 1 and _filled(region[-1]) == 1 and len(_only(region[-1])) > 40:
        remarks.insert(0, _only(region.pop()))
    widest = max(map(_filled, region), default=0)
    # A header may be the second row, under group names that span columns.
    header = 2 if len(region) > 3 and _filled(region[0]) < widest == _filled(region[1]) and _is_names(region) else None
    block = grid_block(region, page, header_rows=header)
    if block is not None:
        yield block
    for remark in remarks:
        yield Block(kind="paragraph", text=remark, page=page)


def _is_names(region: list[list[str]]) -> bool:
    return looks_like_header([text for text in region[1] if text], []) and all(
        not text or not text[0].isdigit() for text in region[0]
    )


def _filled(row: Sequence[str]) -> int:
    return sum(1 for text in row if text)


def _only(row: Sequence[str]) -> str:
    return next(text for text in row if text)
