"""What was asked of a writer and a judge, kept as it comes, so that nothing is asked twice."""

import json
import os
from io import FileIO
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from contracts.errors import InvalidInput


class Journal:
    """A file of JSON lines, each the value of a key; the last of a key counts.

    It is added to line by line, so that whoever is killed loses the line at hand at most: a torn last line is dropped.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._entries: dict[str, Any] = {}
        self._file: FileIO | None = None

    @property
    def path(self) -> Path:
        """The file."""
        return self._path

    def __enter__(self) -> Self:
        """Open the file, which is made where it is not there, and read what it holds.

        Raises:
            InvalidInput: it is no journal; the text names the line.
        """
        whole = 0
        if self._path.is_file():
            content = self._path.read_bytes()
            whole = content.rfind(b"\n") + 1
            for number, line in enumerate(content[:whole].splitlines(), start=1):
                self._read(number, line)
        self._path.parent.mkdir(parents=True, exist_ok=True)
        self._file = FileIO(self._path, "ab")
        os.truncate(self._path, whole)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close the file."""
        if self._file is not None:
            self._file.close()

    def get(self, key: str) -> Any:
        """Return the value of ``key``, or None."""
        return self._entries.get(key)

    def put(self, key: str, value: object) -> None:
        """Keep the value of ``key``, which JSON can hold."""
        self._entries[key] = value
        if self._file is not None:
            self._file.write((json.dumps({"key": key, "value": value}, ensure_ascii=False) + "\n").encode())

    def _read(self, number: int, line: bytes) -> None:
        try:
            row = json.loads(line)
            self._entries[row["key"]] = row["value"]
        except (ValueError, KeyError, TypeError) as error:
            raise InvalidInput(
                f"{self._path}, line {number} is none of a journal ({error}): begin anew with --fresh", field="path"
            ) from error
