"""Sheets: the rows of a CSV or XLSX file with the numbers of their lines."""

import csv
import io
import re
import zipfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

from contracts.errors import InvalidInput
from jargon_db.cells import unguarded, with_numbers

MAX_FILE_BYTES = 20_000_000
MAX_UNPACKED_BYTES = 200_000_000
MAX_ROWS = 100_000
# Empty ones count: a cell in column XFD makes a row of 16 384 cells.
MAX_CELLS = 10_000_000

# A character of several bytes that is as likely nowhere else.
_UTF8_CHARACTER = re.compile(rb"[\xc3-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}|[\xf0-\xf4][\x80-\xbf]{3}")

# A file that is wrong everywhere is wrong for one reason: more lines than these help nobody.
MAX_PROBLEMS_SHOWN = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class LineProblem:
    """What is wrong with one line of a sheet (the header is line 1), in a sentence."""

    line: int
    text: str


class RefusedSheet(InvalidInput):
    """A sheet cannot be imported. ``file`` is its name; ``lines`` are its problems in their order, the first of many.

    ``total`` is how many problems there are.
    """

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
        self.total = len(ordered)


@dataclass(frozen=True, slots=True, kw_only=True)
class SheetRow:
    """One row: the number of its first line (the header is line 1) and its cells by column name."""

    line: int
    cells: dict[str, str]


def read_sheet(path: Path, *, required: Sequence[str], optional: Sequence[str]) -> list[SheetRow]:
    """Read the rows of a CSV file (or TSV, or with semicolons) or of the first sheet of an XLSX file.

    The header's names count in any letter case and order. CSV may be UTF-8, UTF-16 with its mark, or Windows-1252.

    Raises:
        InvalidInput: the file is not there, too large, of another kind or encoding, or its header does not fit.
    """
    content = _content(path)
    lines = _xlsx_lines(path, content) if path.suffix.lower() == ".xlsx" else _csv_lines(path, content, required)
    header: list[str] | None = None
    rows: list[SheetRow] = []
    for number, cells in lines:
        if not any(cell.strip() for cell in cells):
            continue
        if header is None:
            header = _header(path, number, cells, required, optional)
            continue
        if len(rows) == MAX_ROWS:
            raise InvalidInput(f"{path.name} has more than {MAX_ROWS} rows. Split it.", field="file")
        rows.append(SheetRow(line=number, cells=_named(path, number, header, cells)))
    if header is None:
        raise InvalidInput(
            f"{path.name} is empty. Its first line must be: {','.join((*required, *optional))}", field="file"
        )
    return rows


def _content(path: Path) -> bytes:
    if path.suffix.lower() == ".xls":
        raise InvalidInput(f"{path.name} is in the old Excel format. Save it as .xlsx or .csv.", field="file")
    try:
        with path.open("rb") as file:
            # What has no size, such as a pipe, is not read further than a file may be long either.
            size = max(path.stat().st_size, len(content := file.read(MAX_FILE_BYTES + 1)))
        if size > MAX_FILE_BYTES:
            raise InvalidInput(
                f"{path.name} has {size / 1e6:.1f} MB; {MAX_FILE_BYTES / 1e6:.0f} MB are the most. Split it.",
                field="file",
            )
        return content
    except OSError as error:
        raise InvalidInput(f"{path} cannot be read: {error.strerror}.", field="file") from error


def _csv_lines(path: Path, content: bytes, required: Sequence[str]) -> Iterator[tuple[int, list[str]]]:
    text = _decoded(path, content)
    first = next((line for line in text.splitlines() if line.strip()), "")
    # Excel writes semicolons where the comma is the decimal mark.
    delimiter = max(",;\t", key=lambda mark: sum(name in _names(first.split(mark)) for name in required))
    # A byte order mark is gone, quotes may hold line ends, and a cell may be as long as the file.
    csv.field_size_limit(MAX_FILE_BYTES)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    line = 1
    try:
        for cells in reader:
            yield line, [unguarded(cell) for cell in cells]
            line = reader.line_num + 1
    except csv.Error as error:
        text = (
            f"the quotes do not match ({error}). Put cells with commas, quotes or line ends into double quotes, and "
            'write a quote inside as "".'
        )
        raise RefusedSheet(path.name, [LineProblem(line=line, text=text)]) from error


def _decoded(path: Path, content: bytes) -> str:
    if content.startswith((b"\xff\xfe", b"\xfe\xff")):
        return _decoded_as(path, content, "utf-16", "UTF-16")
    if b"\x00" in content[:2]:
        _refuse_line(path, content, 0, "this looks like UTF-16 without its mark. Save the file as CSV in UTF-8.")
    if b"\x00" in content:
        place = content.index(b"\x00")
        _refuse_line(path, content, place, "here is a NUL byte, which no text holds. Save the file as CSV in UTF-8.")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        if _UTF8_CHARACTER.search(content):
            # As Windows-1252 its other letters would come in as two or three wrong ones each.
            _refuse_line(path, content, error.start, "this is not UTF-8, though other lines are. Save the file anew.")
    return _decoded_as(path, content, "cp1252", "neither UTF-8 nor Windows-1252")


def _decoded_as(path: Path, content: bytes, encoding: str, name: str) -> str:
    try:
        return content.decode(encoding)
    except UnicodeDecodeError as error:
        what = name if name.startswith("neither") else f"no {name}"
        _refuse_line(path, content, error.start, f"this is {what}. Save the file as CSV in UTF-8.")


def _refuse_line(path: Path, content: bytes, place: int, text: str) -> NoReturn:
    line = content[:place].count(b"\n") + 1
    raise RefusedSheet(path.name, [LineProblem(line=line, text=text)])


def _xlsx_lines(path: Path, content: bytes) -> Iterator[tuple[int, list[str]]]:
    import openpyxl

    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            unpacked = sum(member.file_size for member in archive.infolist())
        if unpacked > MAX_UNPACKED_BYTES:
            raise InvalidInput(
                f"{path.name} unpacks to {unpacked / 1e6:.0f} MB; {MAX_UNPACKED_BYTES / 1e6:.0f} MB are the most.",
                field="file",
            )
        book = openpyxl.load_workbook(io.BytesIO(content), read_only=True, data_only=True)
    except InvalidInput:
        raise
    # openpyxl raises whatever its many parsers raise.
    except Exception as error:
        raise InvalidInput(
            f"{path.name} is no readable XLSX file ({error}). Save it again, or as CSV.", field="file"
        ) from error
    cells = 0
    try:
        for number, row in enumerate(book.worksheets[0].iter_rows(values_only=True), start=1):
            cells += len(row)
            if cells > MAX_CELLS:
                text = f"up to here there are more than {MAX_CELLS} cells. Delete the empty columns, or save it as CSV."
                raise RefusedSheet(path.name, [LineProblem(line=number, text=text)])
            yield number, [_cell(value) for value in row]
    except InvalidInput:
        raise
    except Exception as error:
        raise InvalidInput(f"{path.name} is damaged ({error}). Save it again, or as CSV.", field="file") from error
    finally:
        book.close()


def _cell(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return with_numbers(str(value))


def _names(cells: Sequence[str]) -> list[str]:
    return [cell.strip().strip('"').strip().lower().replace(" ", "_") for cell in cells]


def _header(path: Path, line: int, cells: Sequence[str], required: Sequence[str], optional: Sequence[str]) -> list[str]:
    names = _names(cells)
    while names and not names[-1]:
        names.pop()
    problems = [f"the column {name!r} is missing" for name in required if name not in names]
    problems += [f"the column {name!r} is not known" for name in names if name not in (*required, *optional)]
    problems += [f"the column {name!r} is there twice" for name in dict.fromkeys(names) if names.count(name) > 1]
    if problems:
        expected = ",".join((*required, *optional))
        text = f"{'; '.join(problems)}. The header can be: {expected} (needed: {', '.join(required)})."
        raise RefusedSheet(path.name, [LineProblem(line=line, text=text)], field="header")
    return names


def _named(path: Path, line: int, header: Sequence[str], cells: Sequence[str]) -> dict[str, str]:
    surplus = [cell for cell in cells[len(header) :] if cell.strip()]
    if surplus:
        text = (
            f"there are more cells than the header has names ({surplus[0]!r} is too many). Put cells that hold the "
            "separator into double quotes."
        )
        raise RefusedSheet(path.name, [LineProblem(line=line, text=text)])
    return {name: cells[index] if index < len(cells) else "" for index, name in enumerate(header)}
