"""What was asked of a writer and a judge, kept as it comes, so that nothing is asked twice."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from io import FileIO
from pathlib import Path
from typing import Any

from contracts.errors import InvalidInput


class Journal:
    """A file of JSON lines, each the value of a key; the last of a key counts. ``open_journal`` opens one."""

    def __init__(self, file: FileIO, entries: dict[str, Any]) -> None:
        self._file = file
        self._entries = entries

    def get(self, key: str) -> Any:
        """Return the value of ``key``, or None."""
        return self._entries.get(key)

    def put(self, key: str, value: object) -> None:
        """Keep the value of ``key``, which JSON can hold."""
        self._entries[key] = value
        self._file.write((json.dumps({"key": key, "value": value}, ensure_ascii=False) + "\n").encode())


@contextmanager
def open_journal(path: Path) -> Iterator[Journal]:
    """Open the journal at ``path``, which is made where it is not there.

    It is added to line by line, so that whoever is killed loses the line at hand at most: a torn last line is dropped.

    Raises:
        InvalidInput: it is no journal; the text names the line.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    content = path.read_bytes() if path.is_file() else b""
    whole = content.rfind(b"\n") + 1
    entries = {}
    for number, line in enumerate(content[:whole].splitlines(), start=1):
        try:
            row = json.loads(line)
            entries[row["key"]] = row["value"]
        except (ValueError, KeyError, TypeError) as error:
            told = f"{path}, line {number} is none of a journal ({error}): begin anew with --fresh"
            raise InvalidInput(told, field="path") from error
    with FileIO(path, "ab") as file:
        file.truncate(whole)
        yield Journal(file, entries)
