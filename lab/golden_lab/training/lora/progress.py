"""What a training tells while it goes on."""

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, TextIO

from tools.json_lines import read_json_lines, write_json_lines


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainingProgress:
    """What stands after a step of the optimizer.

    step: from 1 to ``steps``. epoch: how much of the data was seen, in passes over it. loss: the mean over the
    counted tokens of the step's batch, in nats. validation_loss: the same over what is held out; None where it was not
    measured at this step. tokens_per_s: read tokens, padding not counted. seconds: since the training began, the time
    in which it did not run left out. seconds_left: at this pace, to the last epoch.
    """

    step: int
    steps: int
    epoch: float
    loss: float
    learning_rate: float
    tokens_per_s: float
    seconds: float
    seconds_left: float
    validation_loss: float | None = None


class ProgressLog:
    """The file of a training's progress: a line a step, of a training that was killed up to its last checkpoint."""

    def __init__(self, path: Path, *, keep_to: int) -> None:
        """Open the file; lines of steps behind ``keep_to`` are taken out: these steps are done again."""
        kept = [row for row in _rows(path) if row.get("step", 0) <= keep_to]
        write_json_lines(path, kept)
        self._file: TextIO = path.open("a", encoding="utf-8")

    def add(self, progress: TrainingProgress) -> None:
        """Write a line."""
        row = {key: value for key, value in asdict(progress).items() if value is not None}
        self._file.write(json.dumps(row, sort_keys=True) + "\n")
        self._file.flush()

    def close(self) -> None:
        """Close the file."""
        self._file.close()


def _rows(path: Path) -> list[dict[str, Any]]:
    """Read the lines; one that a kill cut off, and what is behind it, is passed over."""
    if not path.is_file():
        return []
    rows: list[dict[str, Any]] = []
    for line in path.read_text("utf-8", errors="replace").splitlines():
        try:
            row = json.loads(line)
        except ValueError:
            break
        if not isinstance(row, dict):
            break
        rows.append(row)
    return rows


def read_progress(path: Path) -> tuple[TrainingProgress, ...]:
    """Read a file of progress.

    Raises:
        InvalidInput: it is not there, or is none.
    """
    return tuple(TrainingProgress(**row) for _, row in read_json_lines(path))
