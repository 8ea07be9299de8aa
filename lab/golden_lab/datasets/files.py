"""Reading the files of data sets."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from golden_lab.json_lines import read_json_lines


def read_jsonl(path: Path) -> Iterator[dict[str, Any]]:
    """Read a file of JSON lines below the data folder, gzipped or not; empty lines are passed over.

    Raises:
        InvalidInput: the file is not there, or a line is no JSON object; the text names file and line.
    """
    for _, row in read_json_lines(path, where="is --data the folder with one folder a data set?"):
        yield row
