"""Reads CSV and XLSX files with line numbers, and writes CSV files in which no cell is a formula."""

import csv
import io
import os
import re
import tempfile
import zipfile
from codecs import BOM_UTF16_BE, BOM_UTF16_LE
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from contracts.errors import InvalidInput

MAX_FILE_BYTES = 20_000_000
MAX_UNPACKED_BYTES = 200_000_000
MAX_ROWS = 100_000
# Empty cells count as well: a cell in column XFD makes a row of 16,384 cells.
MAX_CELLS = 10_000_000

# If so many lines in a file are invalid, the reason is probably the same, so listing more lines would not help.
MAX_PROBLEMS_SHOWN = 50

# Spreadsheets treat cells that begin like this (also in full width) as formulas. A leading apostrophe makes them text.
# Source: OWASP, "CSV Injection".
_FORMULA = re.compile(r"'*[=+\-@＝＋－＠\t\r]")
_GUARDED = re.compile(r"'+[=+\-@＝＋－＠\t\r]")


@dataclass(frozen=True, slots=True, kw_only=True)
class LineProblem:
    """A problem with one line in a sheet (the header is line 1), described in a sentence."""

    line: int
    text: str


class RefusedSheet(InvalidInput):
    """A sheet cannot be imported. ``file`` is its name; ``lines`` are its first problems."""

    def __init__(self, file: str, problems: Sequence[LineProblem], *, field: str = "file") -> None:
        ordered = sorted(problems, key=lambda each: (each.line, each.text))
        shown = [f"line {each.line}: {each.text}" for each in ordered[:MAX_PROBLEMS_SHOWN]]
        if len(ordered) > len(shown):
            shown.append(f"and {len(ordered) - len(shown)} more.")
        if len(ordered) == 1:
            message = f"{file}, {shown[0]} Nothing was imported."
        else:
            message = f"{file} has {len(ordered)} problems; nothing was imported.\n" + "\n".join(shown)
        super().__init__(message, field=field)
        self.file = file
        self.lines = tuple(ordered[:MAX_PROBLEMS_SHOWN])


def read_sheet(path: Path, columns: Sequence[str], needed: Sequence[str]) -> dict[int, dict[str, str]]:
    """Read a CSV file (with commas, semicolons or tabs) or the first sheet of an XLSX file; return cells by line.

    A row's line is its first one (the header is line 1). Column names may be in any letter case and order;
    ``needed`` are the required ``columns``. CSV files may be in UTF-8, UTF-16 with a byte order mark, or Windows-1252.

    Raises:
        InvalidInput: the file does not exist, is too large, or has an invalid format, encoding or header.
    """
    content = _content(path)
    # A cell may be the whole file.
    csv.field_size_limit(MAX_FILE_BYTES)
    lines = _xlsx_lines(path, content) if path.suffix.lower() == ".xlsx" else _csv_lines(path, content, needed)
    header: list[str] | None = None
    rows: dict[int, dict[str, str]] = {}
    for number, cells in lines:
        if not any(cell.strip() for cell in cells):
            continue
        if header is None:
            header = _header(path, number, cells, columns, needed)
            continue
        if len(rows) == MAX_ROWS:
            raise InvalidInput(f"{path.name} has more than {MAX_ROWS} rows. Split it.", field="file")
        rows[number] = _named(path, number, header, cells)
    if header is None:
        raise InvalidInput(f"{path.name} is empty. Its first line must be: {','.join(columns)}", field="file")
    return rows


def write_sheet(path: Path, header: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Write a sheet to a CSV file atomically. No cell can run as a formula.

    Raises:
        InvalidInput: the file name does not end in .csv, or the file cannot be written.
    """
    if path.suffix.lower() != ".csv":
        raise InvalidInput(f"{path.name}: the file name must end in .csv.", field="file")
    try:
        with tempfile.TemporaryDirectory(dir=path.absolute().parent, prefix=".export-") as folder:
            written = Path(folder) / path.name
            # Spreadsheet programs recognise UTF-8 by the byte order mark; quotes around each cell protect characters
            # that some programs treat as separators.
            with written.open("w", encoding="utf-8-sig", newline="") as file:
                writer = csv.writer(file, quoting=csv.QUOTE_ALL)
                for row in [header, *rows]:
                    writer.writerow(f"'{cell}" if _FORMULA.match(cell) else cell for cell in row)
            os.replace(written, path)
    except OSError as error:
        raise InvalidInput(f"{path} cannot be written: {error.strerror or error}.", field="file") from error


def _content(path: Path) -> bytes:
    if path.suffix.lower() == ".xls":
        raise InvalidInput(f"{path.name} is in the old Excel format. Save it as .xlsx or .csv.", field="file")
    try:
        with path.open("rb") as file:
            # In this way, the limit also applies to files without a size, such as pipes.
            size = max(path.stat().st_size, len(content := file.read(MAX_FILE_BYTES + 1)))
        if size > MAX_FILE_BYTES:
            raise InvalidInput(
                f"{path.name} has {size / 1e6:.1f} MB; the limit is {MAX_FILE_BYTES / 1e6:.0f} MB. Split it.",
                field="file",
            )
        return content
    except OSError as error:
        raise InvalidInput(f"{path} cannot be read: {error.strerror}.", field="file") from error


def _csv_lines(path: Path, content: bytes, needed: Sequence[str]) -> Iterator[tuple[int, list[str]]]:
    text = _decoded(path, content)
    first = next((line for line in text.splitlines() if line.strip()), "")
    # Excel writes semicolons in locales with a decimal comma.
    delimiter = max(",;\t", key=lambda mark: sum(name in _names(first.split(mark)) for name in needed))
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    line = 1
    try:
        for cells in reader:
            yield line, [cell[1:] if _GUARDED.match(cell) else cell for cell in cells]
            line = reader.line_num + 1
    except csv.Error as error:
        text = (
            f"the quotes do not match ({error}). Put cells with commas, quotes or line breaks into double quotes, and "
            'write a quote inside as "".'
        )
        raise RefusedSheet(path.name, [LineProblem(line=line, text=text)]) from error


def _decoded(path: Path, content: bytes) -> str:
    marked = content.startswith((BOM_UTF16_LE, BOM_UTF16_BE))
    for encoding in ("utf-16",) if marked else ("utf-8-sig", "cp1252"):
        try:
            return content.decode(encoding)
        except UnicodeDecodeError as error:
            line = content[: error.start].count(b"\n") + 1
    text = f"this is {'not UTF-16' if marked else 'neither UTF-8 nor Windows-1252'}. Save the file as CSV in UTF-8."
    raise RefusedSheet(path.name, [LineProblem(line=line, text=text)])


def _xlsx_lines(path: Path, content: bytes) -> Iterator[tuple[int, list[str]]]:
    import openpyxl

    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            unpacked = sum(member.file_size for member in archive.infolist())
        if unpacked > MAX_UNPACKED_BYTES:
            raise InvalidInput(
                f"{path.name} unpacks to {unpacked / 1e6:.0f} MB; the limit is {MAX_UNPACKED_BYTES / 1e6:.0f} MB.",
                field="file",
            )
        book = openpyxl.load_workbook(io.BytesIO(content), read_only=True, data_only=True)
        cells = 0
        for number, row in enumerate(book.worksheets[0].iter_rows(values_only=True), start=1):
            cells += len(row)
            if cells > MAX_CELLS:
                text = f"more than {MAX_CELLS} cells up to here. Delete the empty columns, or save it as CSV."
                raise RefusedSheet(path.name, [LineProblem(line=number, text=text)])
            yield number, [_cell(value) for value in row]
    except InvalidInput:
        raise
    # openpyxl does not catch errors in its parsers.
    except Exception as error:
        raise InvalidInput(
            f"{path.name} is not a readable XLSX file ({error}). Save it again, or as CSV.", field="file"
        ) from error


def _cell(value: object) -> str:
    if value is None:
        return ""
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


def _names(cells: Sequence[str]) -> list[str]:
    return [cell.strip().strip('"').strip().lower().replace(" ", "_") for cell in cells]


def _header(path: Path, line: int, cells: Sequence[str], columns: Sequence[str], needed: Sequence[str]) -> list[str]:
    names = _names(cells)
    while names and not names[-1]:
        names.pop()
    problems = [f"the column {name!r} is missing" for name in needed if name not in names]
    problems += [f"the column {name!r} is unknown" for name in names if name not in columns]
    problems += [f"the column {name!r} occurs twice" for name in dict.fromkeys(names) if names.count(name) > 1]
    if problems:
        text = f"{'; '.join(problems)}. The header can be: {','.join(columns)} (required: {', '.join(needed)})."
        raise RefusedSheet(path.name, [LineProblem(line=line, text=text)], field="header")
    return names


def _named(path: Path, line: int, header: Sequence[str], cells: Sequence[str]) -> dict[str, str]:
    surplus = [cell for cell in cells[len(header) :] if cell.strip()]
    if surplus:
        text = (
            f"there are more cells than the header has names ({surplus[0]!r} is too many). Put cells that contain the "
            "separator into double quotes."
        )
        raise RefusedSheet(path.name, [LineProblem(line=line, text=text)])
    return {name: cells[index] if index < len(cells) else "" for index, name in enumerate(header)}
