"""Gold sets as files: CSV for a spreadsheet or JSON lines, read and written without loss."""

import csv
import json
import os
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from contracts.errors import InvalidInput
from golden_lab.judge.grades import HIGHEST_GRADE, LOWEST_GRADE, GoldItem

COLUMNS = (
    "id", "question", "passage", "answer", "system", "relevance", "faithfulness", "completeness", "explanation",
)  # fmt: skip
_REFERENCE = "reference"
_NEEDED = ("id", "question", "answer")
_DELIMITERS = ",;\t"
_MAX_FIELD_CHARACTERS = 50_000_000


def _score(value: Any) -> Any:
    """Return None for an empty score, a whole number for its spelling ("4", "4.0"), anything else as it is."""
    if isinstance(value, str):
        value = value.strip()
        if not value:
            return None
        try:
            number = float(value)
        except ValueError:
            return value
        return int(number) if number.is_integer() else number
    # JSON's true would pass for 1.
    return str(value) if isinstance(value, bool) else value


_Score = Annotated[Annotated[int, Field(ge=LOWEST_GRADE, le=HIGHEST_GRADE)] | None, BeforeValidator(_score)]


class _Answer(BaseModel):
    """One row of a file of answers; what else there is does not count."""

    model_config = ConfigDict(extra="ignore")

    id: str = Field(min_length=1)
    question: str = Field(min_length=1)
    passage: str = ""
    passages: list[str] = []
    answer: str
    system: str = ""
    reference: str = ""


class _Row(_Answer):
    """One row of a gold set."""

    model_config = ConfigDict(extra="forbid")

    relevance: _Score = None
    faithfulness: _Score = None
    completeness: _Score = None
    explanation: str = ""


def read_gold(path: Path) -> tuple[GoldItem, ...]:
    """Read a gold set, CSV (separated by commas, semicolons or tabs) or JSON lines by the file's ending.

    Raises:
        InvalidInput: the file is not there, has another ending, or a row is wrong; the text names line and field.
    """
    return _read(path, _Row)


def read_answers(path: Path) -> tuple[GoldItem, ...]:
    """Read answers that are to be graded, compared or scored: a gold set without its scores, or JSON lines.

    JSON lines may have ``passages``, a list, for ``passage``: they are joined by an empty line. Other fields than a
    gold set's are passed over.

    Raises:
        InvalidInput: the file is not there, has another ending, or a row is wrong; the text names line and field.
    """
    return _read(path, _Answer)


def write_gold(path: Path, items: Sequence[GoldItem]) -> None:
    """Write a gold set in the form that the file's ending says, in place of what was there, wholly or not at all.

    The column ``reference`` is there only where an item has one.

    Raises:
        InvalidInput: the ending is neither .csv nor .jsonl.
        OSError: the file cannot be written; what was there stays.
    """
    columns = [*COLUMNS, _REFERENCE] if any(item.reference for item in items) else list(COLUMNS)
    kind = _kind(path)
    target = path.resolve()
    handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.", suffix=".part")
    try:
        # A byte order mark tells spreadsheets the encoding. Line ends inside of texts stay as they are.
        encoding = "utf-8-sig" if kind == "csv" else "utf-8"
        with os.fdopen(handle, "w", encoding=encoding, newline="", errors="replace") as file:
            rows = [{name: getattr(item, name) for name in columns} for item in items]
            if kind == "csv":
                writer = csv.DictWriter(file, columns)
                writer.writeheader()
                writer.writerows(rows)
            else:
                file.writelines(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
        os.chmod(name, target.stat().st_mode & 0o777 if target.exists() else 0o644)
        os.replace(name, target)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def _read(path: Path, form: type[_Answer]) -> tuple[GoldItem, ...]:
    items: dict[str, GoldItem] = {}
    for line, row in _rows(path):
        try:
            read = form.model_validate(row)
        except ValidationError as error:
            first = error.errors()[0]
            field = ".".join(str(part) for part in first["loc"]) or "line"
            what = "this column is not one of a gold set" if first["type"] == "extra_forbidden" else first["msg"]
            raise InvalidInput(f"{path}, line {line}, {field}: {what}", field=field) from error
        if read.id in items:
            raise InvalidInput(f"{path}, line {line}, id: {read.id} was there before", field="id")
        passage = read.passage or "\n\n".join(each for each in read.passages if each.strip())
        items[read.id] = GoldItem.model_validate({**read.model_dump(exclude={"passages"}), "passage": passage})
    return tuple(items.values())


def _kind(path: Path) -> str:
    kind = path.suffix.lower().removeprefix(".")
    if kind not in ("csv", "jsonl"):
        raise InvalidInput(f"{path} ends in neither .csv nor .jsonl: rename it to what it holds", field="path")
    return kind


def _rows(path: Path) -> Iterator[tuple[int, Mapping[str, Any]]]:
    kind = _kind(path)
    if not path.is_file():
        raise InvalidInput(f"{path} is not there", field="path")
    try:
        yield from (_csv_rows if kind == "csv" else _jsonl_rows)(path)
    except UnicodeDecodeError as error:
        raise InvalidInput(f"{path} is not UTF-8: save it as UTF-8 ({error.reason})", field="path") from error


def _jsonl_rows(path: Path) -> Iterator[tuple[int, Mapping[str, Any]]]:
    # Only "\n" ends a line: JSON may hold other line separators as they are.
    with path.open(encoding="utf-8-sig", newline="\n") as file:
        for line, text in enumerate(file, start=1):
            if not text.strip():
                continue
            try:
                row = json.loads(text)
            except ValueError as error:
                raise InvalidInput(f"{path}, line {line}: no JSON ({error})", field="line") from error
            if not isinstance(row, dict):
                raise InvalidInput(f"{path}, line {line}: no JSON object", field="line")
            yield line, row


def _csv_rows(path: Path) -> Iterator[tuple[int, Mapping[str, Any]]]:
    csv.field_size_limit(_MAX_FIELD_CHARACTERS)
    with path.open(encoding="utf-8-sig", newline="") as file:
        first = file.readline()
        file.seek(0)
        reader = csv.reader(file, delimiter=max(_DELIMITERS, key=first.count), strict=True)
        try:
            header = [name.strip().lower() for name in next(reader, [])]
            _check_header(header, path)
            while True:
                line = reader.line_num + 1
                cells = next(reader, None)
                if cells is None:
                    return
                if not any(cells):
                    continue
                if len(cells) != len(header):
                    raise InvalidInput(
                        f"{path}, line {line}: {len(cells)} cells where the first line names {len(header)}",
                        field="line",
                    )
                yield line, dict(zip(header, cells, strict=True))
        except csv.Error as error:
            raise InvalidInput(f"{path}, line {reader.line_num}: {error}", field="line") from error


def _check_header(header: Sequence[str], path: Path) -> None:
    for name in _NEEDED:
        if name not in header:
            raise InvalidInput(
                f"{path}, line 1: the column {name} is missing (columns: {', '.join(COLUMNS)})", field=name
            )
    twice = next((name for name in header if header.count(name) > 1), None)
    if twice is not None:
        raise InvalidInput(f"{path}, line 1: the column {twice or '(without a name)'} is there twice", field=twice)
