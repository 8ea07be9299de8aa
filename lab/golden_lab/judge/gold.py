"""Answers and gold sets as files: CSV from a spreadsheet, or JSON lines."""

import csv
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from contracts.errors import InvalidInput
from golden_lab.json_lines import read_json_lines
from golden_lab.judge.grades import CRITERIA, GoldItem

_MAX_FIELD_CHARACTERS = 50_000_000
_PERSONS = {*CRITERIA, "explanation"}


def read_gold(path: Path) -> tuple[GoldItem, ...]:
    """Read a gold set: CSV (separated by commas, semicolons or tabs) if the file name ends in .csv, else JSON lines.

    Raises:
        InvalidInput: the file does not exist, or a row is invalid; the message names the line and field.
    """
    return _read(path, scored=True)


def read_answers(path: Path) -> tuple[GoldItem, ...]:
    """Read answers to grade or compare: a gold set without its scores; other fields are ignored.

    JSON lines may have a list ``passages`` instead of ``passage``; its texts are joined with blank lines between them.

    Raises:
        InvalidInput: the file does not exist, or a row is invalid; the message names the line and field.
    """
    return _read(path, scored=False)


def _read(path: Path, *, scored: bool) -> tuple[GoldItem, ...]:
    items: dict[str, GoldItem] = {}
    for line, row in _csv_rows(path) if path.suffix.lower() == ".csv" else read_json_lines(path):
        place = f"{path}, line {line}"
        unknown = next((str(name) for name in row if name not in GoldItem.model_fields), "")
        if scored and unknown:
            raise InvalidInput(f"{place}, {unknown}: a gold set has no such column", field=unknown)
        values = {name: value for name, value in row.items() if scored or name not in _PERSONS}
        if isinstance(row.get("passages"), list):
            joined = "\n\n".join(each for each in map(str, row["passages"]) if each.strip())
            values["passage"] = values.get("passage") or joined
        try:
            item = GoldItem.model_validate(values)
        except ValidationError as error:
            first = error.errors()[0]
            raise InvalidInput(f"{place}, {first['loc'][0]}: {first['msg']}", field=str(first["loc"][0])) from error
        if item.id in items:
            raise InvalidInput(f"{place}, id: {item.id} occurs twice", field="id")
        items[item.id] = item
    return tuple(items.values())


def _csv_rows(path: Path) -> Iterator[tuple[int, Mapping[str, Any]]]:
    """Yield the rows of a CSV file, each with the number of its last line."""
    csv.field_size_limit(_MAX_FIELD_CHARACTERS)
    line = 1
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            delimiter = max(",;\t", key=file.readline().count)
            file.seek(0)
            reader = csv.DictReader(file, delimiter=delimiter, strict=True)
            reader.fieldnames = [name.strip().lower() for name in reader.fieldnames or ()]
            for row in reader:
                line = reader.line_num
                if None in row or None in row.values():
                    raise InvalidInput(f"{path}, line {line}: the number of cells differs from line 1", field="line")
                if any(row.values()):
                    yield line, row
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise InvalidInput(
            f"{path} cannot be read as CSV in UTF-8, after line {line}: {error}", field="path"
        ) from error
