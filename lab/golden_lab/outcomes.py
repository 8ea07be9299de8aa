"""Outcomes are stored on disk immediately, so that an interrupted run continues where it stopped."""

import json
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import IO, Any

from golden_lab.results import Outcome


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasuredOutcome:
    """An outcome and how long its case took, in seconds."""

    outcome: Outcome
    seconds: float


class OutcomeLog:
    """The stored outcomes of one benchmark under one key, and the file to append to."""

    def __init__(self, stored: dict[str, MeasuredOutcome], file: IO[bytes]) -> None:
        self._stored = stored
        self._file = file

    @property
    def stored(self) -> Mapping[str, MeasuredOutcome]:
        """The outcomes so far, by case id."""
        return self._stored

    def append(self, outcome: Outcome, seconds: float) -> None:
        """Store one outcome immediately; it must be exactly the same when a later run reads it."""
        line = _write(outcome, seconds)
        self._file.write(line + b"\n")
        self._file.flush()
        measured = _read(line)
        if measured is None:
            raise ValueError(f"the outcome of case {outcome.id} changes when it is stored and read again")
        self._stored[outcome.id] = measured


class OutcomeStore:
    """A folder of outcomes: one JSON Lines file for each benchmark and key, which is only appended to."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    @contextmanager
    def open(self, benchmark: str, key: str) -> Iterator[OutcomeLog]:
        """Open the outcomes of ``benchmark`` that were measured under ``key``.

        An incomplete last line from a killed run is removed. A line that is not an outcome is ignored, and its case is
        measured again.
        """
        path = self._folder / re.sub(r"[^\w.-]+", "_", benchmark) / f"{key}.jsonl"
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("a+b") as file:
            file.seek(0)
            content = file.read()
            whole = content.rfind(b"\n") + 1
            if whole < len(content):
                file.truncate(whole)
            rows = (_read(line) for line in content[:whole].splitlines())
            yield OutcomeLog({row.outcome.id: row for row in rows if row is not None}, file)


def _write(outcome: Outcome, seconds: float) -> bytes:
    row = {**asdict(outcome), "seconds": seconds}
    return json.dumps(row, ensure_ascii=False).encode("utf-8", "backslashreplace")


def _read(line: bytes) -> MeasuredOutcome | None:
    try:
        row: Any = json.loads(line)
        return MeasuredOutcome(seconds=float(row.pop("seconds")), outcome=Outcome(**row))
    except (ValueError, KeyError, TypeError):
        return None
