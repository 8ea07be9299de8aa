"""Ours and each bare engine on the same documents, in turns: seconds by the clock and seconds of the processors."""

import asyncio
import os
import resource
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from types import TracebackType
from typing import Any

from contracts.text import Page
from database.connection import open_database
from database.migrating import migrate
from golden_lab.speed.child import end_with_parent
from golden_lab.speed.ingest_bare import BareModel, extract_text, run_tesseract
from ingestion.chunks.split import ChunkSizes
from ingestion.files.finding import FoundFile
from ingestion.limits import IngestionLimits
from ingestion.readers import reader_for
from ingestion.running.building import build, describe
from ingestion.running.parts import Parts
from ingestion.running.planning import Plan
from ingestion.workers.tasks import ReadFile
from intrinsics.summarisation.embedded import EmbeddedSummariser
from intrinsics.term_mining.embedded import EmbeddedTermMiner
from library.migrations import LIBRARY
from library.store import LibraryStore
from tools.embedding import Embedder
from tools.embedding.cached import CachedEmbedder
from tools.ocr import OcrEngine

# Models count a token or two of their own with every text.
_SPECIAL_TOKENS = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """One run over all documents: how much was done, in how many seconds by the clock, and of the processors."""

    done: int
    wall_s: float
    cpu_s: float


class Workers:
    """Processes that stay, for ours and the bare engines alike; each task's seconds of the processor are counted."""

    def __init__(self, count: int) -> None:
        self.count = count
        self._pool = ProcessPoolExecutor(count, mp_context=get_context("spawn"), initializer=end_with_parent)

    def __enter__(self) -> "Workers":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._pool.shutdown(wait=True, cancel_futures=True)

    def run(self, task: Callable[[Any], Any], arguments: Sequence[Any]) -> tuple[list[Any], Turn]:
        """Run ``task`` on each of ``arguments``, side by side; what it returns is counted: a number, or its length."""
        started = time.perf_counter()
        outcomes = list(self._pool.map(partial(_timed, task), arguments))
        wall_s = time.perf_counter() - started
        found = [outcome for outcome, _ in outcomes]
        done = sum(each if isinstance(each, int) else len(each) for each in found)
        return found, Turn(done=done, wall_s=wall_s, cpu_s=sum(cpu_s for _, cpu_s in outcomes))


def read_pages(path: Path, ocr: OcrEngine | None) -> tuple[Page, ...]:
    """Read a document as an ingestion's worker does, up to its blocks."""
    return tuple(reader_for(path).read(path, IngestionLimits(), ocr))


class Reading:
    """Reading born-digital documents, ours and pdfplumber's text alone."""

    def __init__(self, workers: Workers, documents: Sequence[Path]) -> None:
        self._workers = workers
        self._documents = documents
        self.pages: list[tuple[Page, ...]] = []

    def ours(self) -> Turn:
        """Read all documents."""
        self.pages, turn = self._workers.run(partial(read_pages, ocr=None), self._documents)
        return turn

    def bare(self) -> Turn:
        """Take their text alone; a page counts as one, as ours do."""
        return self._workers.run(extract_text, self._documents)[1]


class Recognition:
    """Reading scans, ours from PDFs of a page each, the bare program from the same page images, unpacked."""

    def __init__(
        self, workers: Workers, scans: Sequence[Path], images: Sequence[Path], ocr: OcrEngine, language: str
    ) -> None:
        self._workers = workers
        self._scans = scans
        self._images = images
        self._ocr = ocr
        self._language = language

    def ours(self) -> Turn:
        """Read all scans."""
        return self._workers.run(partial(read_pages, ocr=self._ocr), self._scans)[1]

    def bare(self) -> Turn:
        """Run Tesseract on each image."""
        _, turn = self._workers.run(partial(_tesseract_page, language=self._language), self._images)
        return turn


class Embedding:
    """Chunks of the documents that were read, into a database of their own; the bare model on the same texts.

    The chunks are passages, with ``summaries`` summaries too.
    """

    def __init__(
        self,
        database: Path,
        pages: Sequence[tuple[Page, ...]],
        embedder: Embedder,
        model: BareModel,
        *,
        summaries: bool,
    ) -> None:
        self._pages = pages
        self._embedder = embedder
        self._model = model
        self._summaries = summaries
        self._engine = open_database(f"sqlite:///{database}")
        migrate(self._engine, LIBRARY)
        self._texts: list[str] = []

    def ours(self) -> Turn:
        """Split, mine and embed each document, and store it with its words and vectors in one transaction."""
        started, cpu_s = time.perf_counter(), _cpu_s()
        chunks = asyncio.run(self._take_up())
        turn = Turn(done=len(chunks), wall_s=time.perf_counter() - started, cpu_s=_cpu_s() - cpu_s)
        self._texts = chunks
        return turn

    def bare(self) -> Turn:
        """Embed the texts of the last turn of ours."""
        started, cpu_s = time.perf_counter(), _cpu_s()
        self._model.embed(self._texts)
        return Turn(done=len(self._texts), wall_s=time.perf_counter() - started, cpu_s=_cpu_s() - cpu_s)

    def close(self) -> None:
        """Close the database."""
        self._engine.dispose()

    def _parts(self) -> Parts:
        # What a former turn remembers would be no work in this one.
        embedder = CachedEmbedder(self._embedder)
        most = min(ChunkSizes().passage_tokens, embedder.max_tokens - _SPECIAL_TOKENS)
        return Parts(
            store=LibraryStore(self._engine),
            embedder=embedder,
            summariser=EmbeddedSummariser(embedder) if self._summaries else None,
            miner=EmbeddedTermMiner(),
            candidates=None,
            forget=None,
            sizes=ChunkSizes(passage_tokens=most),
            least_confidence=0.0,
            open_readers=_no_readers,
        )

    async def _take_up(self) -> list[str]:
        parts = self._parts()
        texts: list[str] = []
        for number, pages in enumerate(self._pages):
            file = FoundFile(path=Path(f"/made/{number}.pdf"))
            plan = Plan(action="read", document_id=f"made-{number}", content_hash="", size_bytes=0, modified_ns=0)
            read = ReadFile(pages, "", "application/pdf")
            report = describe(file, read, parts)
            built = await build(file, plan, read, report, "everyone", parts, _say_nothing)
            await asyncio.to_thread(
                parts.store.replace_document, built.document, built.chunks, built.vectors, embedder=parts.embedder.name
            )
            texts += [chunk.searchable_text for chunk in built.chunks if chunk.kind != "section"]
        return texts


def _tesseract_page(image: Path, language: str) -> int:
    run_tesseract(image, language)
    return 1


def _timed(task: Callable[[Any], Any], argument: Any) -> tuple[Any, float]:
    before = _cpu_s()
    return task(argument), _cpu_s() - before


def _cpu_s() -> float:
    """Return the seconds of the processor that this process has used, and the programs that it ran to their ends."""
    used = os.times()
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.user + used.system + children.ru_utime + children.ru_stime


def _no_readers() -> Any:
    raise RuntimeError("the bench builds from what was read before: building has no cause to open a reader")


def _say_nothing(_: str) -> None:
    return None
