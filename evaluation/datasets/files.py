"""Reading the files of data sets."""

import gzip
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from contracts.errors import InvalidInput


def read_jsonl(path: Path) -> Iterator[dict[str, Any]]:
    """Read a file of JSON lines, gzipped or not; empty lines are passed over.

    Raises:
        InvalidInput: the file is not there, or a line is no JSON object; the text names file and line.
    """
    if not path.is_file():
        raise InvalidInput(f"{path} is not there: is --data the folder with one folder a data set?", field="data")
    opener = gzip.open if path.suffix == ".gz" else open
    with opener(path, "rt", encoding="utf-8") as lines:
        try:
            for number, line in enumerate(lines, start=1):
                if line.strip():
                    row = json.loads(line)
                    if not isinstance(row, dict):
                        raise InvalidInput(f"{path}, line {number}: not a JSON object")
                    yield row
        except (ValueError, EOFError, gzip.BadGzipFile) as error:
            raise InvalidInput(f"{path} cannot be read: {error}") from error
