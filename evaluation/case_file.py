"""Files of test cases, with one JSON object per line. Changing a case leaves all other lines as they are."""

import json
import os
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from contracts.errors import InvalidInput, NotFound
from evaluation.quiz import QuizQuestion


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseLine:
    """One line of a case file: its number (from 1), the case, and all fields of the line, including unknown fields."""

    number: int
    case: QuizQuestion
    fields: Mapping[str, Any]

    @property
    def waits(self) -> bool:
        return not self.case.accepted and not self.case.rejected


def read_cases(path: Path) -> tuple[CaseLine, ...]:
    """Read the cases in a file; blank lines are ignored, and a missing file has no cases.

    Raises:
        InvalidInput: the file is not text, a line is not a case, or two lines share an id; the message names the line.
    """
    found: dict[str, CaseLine] = {}
    for number, line in enumerate(_lines(path), start=1):
        if not line.strip():
            continue
        read = _read_line(path, number, line)
        if read.case.id in found:
            first = found[read.case.id].number
            raise InvalidInput(
                f'{path}, line {number}, id: "{read.case.id}" is also the id of line {first}: ids must be unique',
                field="id",
            )
        found[read.case.id] = read
    return tuple(found.values())


def find_case(path: Path, case_id: str) -> CaseLine:
    """Return the line of a case. Raises ``NotFound`` if no line has this id."""
    line = next((each for each in read_cases(path) if each.case.id == case_id), None)
    if line is None:
        raise NotFound(f'{path} contains no case "{case_id}"')
    return line


def load_quiz(path: Path) -> tuple[QuizQuestion, ...]:
    """Read the questions in a file, which must exist. Raises the same errors as ``read_cases``."""
    if not path.is_file():
        raise InvalidInput(f"{path} is not a file: give a file of questions, one JSON object per line")
    return tuple(line.case for line in read_cases(path))


def append_cases(path: Path, rows: Sequence[Mapping[str, Any]]) -> None:
    """Append ``rows`` to the file atomically: either all of them or none."""
    before = b"\n".join(_lines(path))
    if before and not before.endswith(b"\n"):
        before += b"\n"
    _replace(path, before + b"".join(_as_line(row) + b"\n" for row in rows))


def change_case(path: Path, case_id: str, changes: Mapping[str, Any]) -> None:
    """Change fields of one case; all other lines remain identical, byte for byte.

    Raises:
        NotFound: no line has this id.
        InvalidInput: the changed case would be invalid.
    """
    lines = _lines(path)
    line = find_case(path, case_id)
    at = line.number - 1
    ending = b"\r" if lines[at].endswith(b"\r") else b""
    changed = _as_line({**line.fields, **changes})
    _read_line(path, line.number, changed)
    lines[at] = changed + ending
    _replace(path, b"\n".join(lines))


def _lines(path: Path) -> list[bytes]:
    try:
        return path.read_bytes().split(b"\n")
    except FileNotFoundError:
        return []
    except IsADirectoryError as error:
        raise InvalidInput(f"{path} is a folder: give a file of test cases") from error


def _read_line(path: Path, number: int, line: bytes) -> CaseLine:
    try:
        fields = json.loads(line)
        return CaseLine(number=number, case=QuizQuestion.model_validate(fields), fields=fields)
    except ValidationError as error:
        first = error.errors()[0]
        field = ".".join(str(part) for part in first["loc"]) or "line"
        raise InvalidInput(f"{path}, line {number}, {field}: {first['msg']}", field=field) from error
    except ValueError as error:  # broken JSON, or bytes that are not UTF-8
        raise InvalidInput(f"{path}, line {number} is not JSON: {error}", field="line") from error


def _as_line(fields: Mapping[str, Any]) -> bytes:
    return json.dumps(fields, ensure_ascii=False).encode("utf-8", "backslashreplace")


def _replace(path: Path, content: bytes) -> None:
    path = path.resolve()  # keep a symbolic link and replace its target
    waiting = path.with_name(f"{path.name}.part")
    with waiting.open("wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    if path.exists():
        shutil.copymode(path, waiting)
    waiting.replace(path)
