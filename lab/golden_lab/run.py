"""The options of a bench run: its folders, its seed and the size of its samples."""

import random
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

Row = TypeVar("Row")

SEED = 20_260


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """``data`` contains one folder per data set; ``work`` is a folder that keeps indexes and vectors between runs.

    ``full`` measures every case instead of a sample; ``largest_sample`` limits the size of samples (0: no limit).
    """

    data: Path
    work: Path
    seed: int = SEED
    full: bool = False
    largest_sample: int = 0

    def sample(self, rows: Sequence[Row], size: int) -> tuple[Row, ...]:
        """Draw ``size`` of ``rows`` with the seed, in their order; all rows if the run is full or there are fewer."""
        size = min(size, self.largest_sample or size)
        if self.full or size >= len(rows):
            return tuple(rows)
        kept = sorted(random.Random(self.seed).sample(range(len(rows)), size))
        return tuple(rows[at] for at in kept)

    def sample_note(self, kept: int, total: int, what: str) -> str:
        """Describe what was drawn, such as "300 of 3,356 answers, seed 7"; "" if nothing was left out."""
        return "" if kept == total else f"{kept:,} of {total:,} {what}, seed {self.seed}"
