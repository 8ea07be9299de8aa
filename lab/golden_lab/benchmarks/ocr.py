"""How many words of scanned pages does the reader used in ingestion read correctly?

One page appears as scanned, compressed, skewed, both rotated and skewed, and on a poster; another appears upright, on
its side and upside down. The gold text of the first page comes from an OCR program and contains errors, so no reader
can score 1.
"""

import asyncio
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from contracts.errors import InvalidInput, Unavailable
from golden_lab.benchmarks.base import Benchmark, CaseSet, about, one_by_one
from golden_lab.benchmarks.scores import system_scores
from golden_lab.engine import Engine
from golden_lab.metrics.text import word_accuracy
from golden_lab.results import Outcome, Score
from golden_lab.run import Run
from tools.ocr.base import OcrEngine

_METRICS = ("word accuracy", "words read in any order")
_SET = "ocr_samples"
_GOLD = {
    "linn.txt": ("linn.pdf", "ccitt.pdf", "skew.pdf", "rotated_skew.pdf", "poster.pdf"),
    "docling_ocr_test.md": (
        "docling_ocr_test.pdf",
        "docling_ocr_test_rotated_90.pdf",
        "docling_ocr_test_rotated_180.pdf",
    ),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class ScannedFile:
    """A PDF of images, the name of the page that it shows, and the text of that page."""

    id: str
    path: Path
    page: str
    text: str


def load(run: Run) -> CaseSet[ScannedFile]:
    """Read the gold texts; the PDF files are read during the measurement."""
    folder = run.data / _SET
    cases = []
    for gold, names in _GOLD.items():
        if not (folder / gold).is_file():
            raise InvalidInput(f"{folder / gold} does not exist: is --data the folder with one folder per data set?")
        text = (folder / gold).read_text(encoding="utf-8")
        cases += [ScannedFile(id=name, path=folder / name, page=gold, text=text) for name in names]
    return CaseSet(cases=tuple(cases))


async def measure(case: ScannedFile, engine: Engine) -> Outcome:
    """Read one file."""
    return await asyncio.to_thread(_read, case, engine.ocr)


def score(outcomes: Sequence[Outcome], seed: int) -> list[Score]:
    """Score the words read in order and in any order, as a mean over files and for each file."""
    # Files that show the same page are not independent samples.
    found = system_scores(outcomes, _METRICS, seed, systems=("",))
    for each in outcomes:
        for metric in _METRICS:
            value = float(each.values[metric])
            # A single page has no interval.
            found.append(Score(metric=metric, value=value, low=value, high=value, n=1, subset=each.id))
    return found


def words_read(said: str, truth: str) -> float:
    """Return the share of the words of ``truth`` that occur in ``said`` (counting repetitions), in [0, 1].

    Unlike word accuracy, it does not count words in a different order as wrong.
    """
    there = Counter(truth.split())
    return (there & Counter(said.split())).total() / max(1, there.total())


def _read(case: ScannedFile, ocr: OcrEngine) -> Outcome:
    from ingestion.limits import IngestionLimits
    from ingestion.readers.registry import reader_for

    pages = list(reader_for(case.path).read(case.path, IngestionLimits(), ocr))
    warnings = "; ".join(warning for page in pages for warning in page.warnings)
    if any(page.ocr_confidence is None for page in pages):
        raise Unavailable(f"{case.path.name} was not read by OCR. {warnings}")
    text = "\n".join(block.text for page in pages for block in page.blocks)
    accuracy = word_accuracy(text, case.text)
    return Outcome(
        id=case.id,
        values={"group": case.page, "word accuracy": accuracy, "words read in any order": words_read(text, case.text)},
        loss=1.0 - accuracy,
        trace={"file": case.id, "read": text, "expected": case.text, "warnings": warnings},
    )


def benchmarks() -> tuple[Benchmark[Any], ...]:
    """Return the benchmark of scanned pages."""
    return (Benchmark(about=about("ocr-samples"), load=load, prepare=one_by_one(measure), score=score),)
