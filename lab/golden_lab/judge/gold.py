"""Gold sets as files: CSV for a spreadsheet or JSON lines, read and written without loss."""

import csv
import hashlib
import json
import os
import tempfile
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, TypeVar

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from contracts.errors import Conflict, InvalidInput, NotFound
from contracts.grading import HIGHEST_GRADE, LOWEST_GRADE, GoldItem

COLUMNS = (
    "id", "question", "passage", "answer", "system", "relevance", "faithfulness", "completeness", "explanation",
)  # fmt: skip
_REFERENCE = "reference"
_NEEDED = ("id", "question", "answer")
_DELIMITERS = ",;\t"
_MAX_FIELD_CHARACTERS = 50_000_000

_Form = TypeVar("_Form", bound=BaseModel)


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


class _Row(BaseModel):
    """One row of a gold set."""

    model_config = ConfigDict(extra="forbid")

    id: str = Field(min_length=1)
    question: str = Field(min_length=1)
    passage: str = ""
    answer: str
    system: str = ""
    reference: str = ""
    relevance: _Score = None
    faithfulness: _Score = None
    completeness: _Score = None
    explanation: str = ""


class _Answer(BaseModel):
    """One row of a file of answers: as a gold set's, or with several passages; what else there is does not count."""

    model_config = ConfigDict(extra="ignore")

    id: str = Field(min_length=1)
    question: str = Field(min_length=1)
    passage: str = ""
    passages: list[str] = []
    answer: str
    system: str = ""
    reference: str = ""


def read_gold(path: Path) -> tuple[GoldItem, ...]:
    """Read a gold set, CSV (separated by commas, semicolons or tabs) or JSON lines by the file's ending.

    Raises:
        InvalidInput: the file is not there, has another ending, or a row is wrong; the text names line and field.
    """
    return _distinct(
        ((line, GoldItem(**_validated(_Row, row, path, line).model_dump())) for line, row in _rows(path)), path
    )


def read_answers(path: Path) -> tuple[GoldItem, ...]:
    """Read answers that are to be graded, compared or scored: a gold set without its scores, or JSON lines.

    JSON lines may have ``passages``, a list, for ``passage``: they are joined by an empty line. Other fields than a
    gold set's are passed over.

    Raises:
        InvalidInput: the file is not there, has another ending, or a row is wrong; the text names line and field.
    """
    items = []
    for line, row in _rows(path):
        read = _validated(_Answer, row, path, line)
        passage = read.passage or "\n\n".join(each for each in read.passages if each.strip())
        item = GoldItem(
            id=read.id,
            question=read.question,
            passage=passage,
            answer=read.answer,
            system=read.system,
            reference=read.reference,
        )
        items.append((line, item))
    return _distinct(items, path)


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
            if kind == "csv":
                writer = csv.writer(file)
                writer.writerow(columns)
                writer.writerows(
                    ["" if (cell := getattr(item, name)) is None else cell for name in columns] for item in items
                )
            else:
                for item in items:
                    row = {name: getattr(item, name) for name in columns}
                    file.write(json.dumps(row, ensure_ascii=False) + "\n")
            file.flush()
            os.fsync(file.fileno())
        os.chmod(name, target.stat().st_mode & 0o777 if target.exists() else 0o644)
        os.replace(name, target)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


class GoldFile:
    """A gold set that is being scored. Thread-safe; never writes over what somebody else wrote meanwhile.

    Raises:
        InvalidInput: as ``read_gold``.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = threading.Lock()
        self._items = {item.id: item for item in read_gold(path)}
        self._known = _digest(path)

    @property
    def items(self) -> tuple[GoldItem, ...]:
        """The items, in their order."""
        with self._lock:
            return tuple(self._items.values())

    def put(self, item: GoldItem) -> None:
        """Write ``item`` in place of the one with its id.

        Raises:
            NotFound: there is no such item.
            Conflict: the file is another than when it was read or last written.
            OSError: the file cannot be written; what was there stays.
        """
        with self._lock:
            if item.id not in self._items:
                raise NotFound(f"{self._path} has no item {item.id}.")
            if _digest(self._path) != self._known:
                raise Conflict(f"{self._path} changed since it was opened: close the desk and open it again.")
            items = {**self._items, item.id: item}
            write_gold(self._path, tuple(items.values()))
            self._items, self._known = items, _digest(self._path)


def _digest(path: Path) -> bytes:
    try:
        return hashlib.sha256(path.read_bytes()).digest()
    except FileNotFoundError:
        return b""


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


def _validated(form: type[_Form], row: Mapping[str, Any], path: Path, line: int) -> _Form:
    try:
        return form.model_validate(row)
    except ValidationError as error:
        first = error.errors()[0]
        field = ".".join(str(part) for part in first["loc"]) or "line"
        what = "this column is not one of a gold set" if first["type"] == "extra_forbidden" else first["msg"]
        raise InvalidInput(f"{path}, line {line}, {field}: {what}", field=field) from error


def _distinct(rows: Iterable[tuple[int, GoldItem]], path: Path) -> tuple[GoldItem, ...]:
    items: dict[str, GoldItem] = {}
    for line, item in rows:
        if item.id in items:
            raise InvalidInput(f"{path}, line {line}, id: {item.id} was there before", field="id")
        items[item.id] = item
    return tuple(items.values())
