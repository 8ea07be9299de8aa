"""Reads and writes JSON lines, one object per line; errors name the faulty line."""

import gzip
import hashlib
import json
import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from contracts.errors import InvalidInput

Form = TypeVar("Form", bound=BaseModel)


def read_json_lines(path: Path, *, where: str = "") -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield the objects of a file of JSON lines, gzipped or not, with their line numbers; blank lines are ignored.

    Raises:
        InvalidInput: the file does not exist (``where`` says what to check), or a line is not a JSON object;
            the message names the file and line.
    """
    if not path.is_file():
        raise InvalidInput(f"{path} does not exist{f': {where}' if where else ''}", field="path")
    opener = gzip.open if path.suffix == ".gz" else open
    number = 0
    with opener(path, "rt", encoding="utf-8") as lines:
        try:
            for number, line in enumerate(lines, start=1):
                if line.strip():
                    row = json.loads(line)
                    if not isinstance(row, dict):
                        raise InvalidInput(f"{path}, line {number}: not a JSON object", field="path")
                    yield number, row
        except (ValueError, EOFError, gzip.BadGzipFile) as error:
            raise InvalidInput(f"{path}, line {max(number, 1)} cannot be read: {error}", field="path") from error


def read_forms(path: Path, form: type[Form], *, where: str = "") -> Iterator[Form]:
    """Yield the lines of a file as ``form``. Raises as ``read_numbered_forms`` does."""
    return (each for _, each in read_numbered_forms(path, form, where=where))


def read_numbered_forms(path: Path, form: type[Form], *, where: str = "") -> Iterator[tuple[int, Form]]:
    """Yield the lines of a file as ``form``, with their numbers.

    Raises:
        InvalidInput: as in ``read_json_lines``, or a field of a line is missing or invalid; the message names it.
    """
    for number, row in read_json_lines(path, where=where):
        try:
            yield number, form.model_validate(row)
        except ValidationError as error:
            problems = "; ".join(f"{'.'.join(map(str, one['loc'])) or 'row'}: {one['msg']}" for one in error.errors())
            raise InvalidInput(f"{path}, line {number}: {problems}", field="path") from error


def write_json_lines(path: Path, rows: Iterable[dict[str, Any]]) -> str:
    """Write ``rows`` atomically, one per line, and return the SHA-256 of the file in hexadecimal."""
    path.parent.mkdir(parents=True, exist_ok=True)
    digest = hashlib.sha256()
    unfinished = path.with_name(f".{path.name}.{os.getpid()}.unfinished")
    try:
        with unfinished.open("wb") as file:
            for row in rows:
                line = (json.dumps(row, ensure_ascii=False, sort_keys=True) + "\n").encode()
                digest.update(line)
                file.write(line)
        unfinished.replace(path)
    finally:
        unfinished.unlink(missing_ok=True)
    return digest.hexdigest()
