"""The pipeline: from files to documents in the library, each changed as a whole or not at all."""

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from contracts.errors import GoldenError, InvalidInput, UnreadableFile
from contracts.jargon import MinedTerm
from contracts.text import Chunk, Document
from ingestion.archives import hash_content, holds, size_of
from ingestion.enrich import mine_pages, summarise_sections
from ingestion.finding import FoundFile, document_id, find_files, lies_below
from ingestion.limits import IngestionLimits
from ingestion.reports import FileReport, IngestionReport, Phase, Progress
from ingestion.split import ChunkSizes, split_pages
from ingestion.titles import choose_title
from ingestion.workers import ReaderPool, ReadFile
from intrinsics.summarisation import Summariser
from intrinsics.term_mining import TermMiner
from library.store import LibraryStore
from tools.embedding import Embedder, Matrix
from tools.ocr import OcrEngine

_EMBEDDED_AT_ONCE = 64
_MAX_WARNINGS = 50
# Models count a token or two of their own with every text.
_SPECIAL_TOKENS = 4

Candidates = Callable[[Sequence[MinedTerm]], int]


class IngestionPipeline:
    """Reads files and puts them into the library; run again, it takes up only what changed.

    Files are read side by side in ``workers`` processes, and stored one after another in the order of their paths:
    whenever it is killed, what is stored is what an undisturbed run would have stored up to there, and the next run
    goes on. ``candidates`` takes the mined terms (None: they are not kept); ``ocr`` None leaves pictures unread.
    """

    def __init__(
        self,
        *,
        store: LibraryStore,
        embedder: Embedder,
        summariser: Summariser,
        miner: TermMiner,
        ocr: OcrEngine | None,
        candidates: Candidates | None,
        limits: IngestionLimits,
        workers: int,
    ) -> None:
        self._store = store
        self._embedder = embedder
        self._summariser = summariser
        self._miner = miner
        self._ocr = ocr
        self._candidates = candidates
        self._limits = limits
        self._workers = workers
        most = ChunkSizes().passage_tokens
        self._sizes = ChunkSizes(passage_tokens=min(most, embedder.max_tokens - _SPECIAL_TOKENS))

    async def ingest(
        self,
        paths: Sequence[Path],
        *,
        group: str = "everyone",
        prune: bool = False,
        on_progress: Callable[[Progress], None] | None = None,
    ) -> IngestionReport:
        """Ingest the files at and below ``paths`` for the readers of ``group``.

        A file that cannot be read is reported with its reason, and a version of it that was read before stays. With
        ``prune`` documents below the given folders whose files are gone are removed.

        Raises:
            Unavailable: the database or the embedding model is not there; what was stored until then stays.
        """
        started = time.monotonic()
        files = await asyncio.to_thread(find_files, paths, self._limits)
        report = await self.ingest_found(files, group=group, on_progress=on_progress)
        removed = await self._prune(paths, files) if prune else []
        return IngestionReport(files=(*report.files, *removed), seconds=time.monotonic() - started)

    async def ingest_found(
        self,
        files: Sequence[FoundFile],
        *,
        group: str = "everyone",
        on_progress: Callable[[Progress], None] | None = None,
    ) -> IngestionReport:
        """Ingest files that were found already, those that a document loader brought among them.

        Raises:
            Unavailable: the database or the embedding model is not there; what was stored until then stays.
        """
        started = time.monotonic()
        run = _Run(self, group, on_progress)
        run.begin(len(files))
        reports = [report async for report in run.take(files)]
        run.say("done")
        return IngestionReport(files=tuple(reports), seconds=time.monotonic() - started)

    async def _prune(self, paths: Sequence[Path], files: Sequence[FoundFile]) -> list[FileReport]:
        """Remove the documents whose files are gone. A folder that is not there at all may come back: it is left."""
        named = [path.expanduser().resolve() for path in paths]
        present = {str(each.path) for each in files if not each.missing and not each.skipped}
        reports = []
        for document in await asyncio.to_thread(self._store.documents):
            path = Path(document.path)
            if document.path in present or not path.is_absolute() or not lies_below(path, named):
                continue
            if not await asyncio.to_thread(holds, path):
                await asyncio.to_thread(self._store.delete_document, document.id)
                reports.append(FileReport(path=document.path, status="removed", reason="its file is gone"))
        return reports


class _Run:
    """One run of the pipeline over a list of files."""

    def __init__(self, pipeline: IngestionPipeline, group: str, on_progress: Callable[[Progress], None] | None) -> None:
        self._pipeline = pipeline
        self._group = group
        self._on_progress = on_progress
        self._total = 0
        self._done = 0
        self._pages = 0

    def begin(self, total: int) -> None:
        """Take note of the number of files."""
        self._total = total
        self.say("finding")

    def say(self, phase: Phase, current: str = "") -> None:
        """Report progress."""
        if self._on_progress is not None:
            self._on_progress(
                Progress(
                    phase=phase, files_done=self._done, files_total=self._total, pages=self._pages, current=current
                )
            )

    async def take(self, files: Sequence[FoundFile]) -> AsyncIterator[FileReport]:
        """Take up file after file; the next ones are read while one is stored."""
        p = self._pipeline
        pool = ReaderPool(p._workers, p._limits, p._ocr)
        reading: dict[int, asyncio.Task[ReadFile | None]] = {}
        try:
            for index, file in enumerate(files):
                for ahead in range(index, min(index + p._workers + 1, len(files))):
                    if ahead not in reading:
                        reading[ahead] = asyncio.create_task(self._read(pool, files[ahead]))
                self.say("reading", file.place)
                report = await self._take_one(file, reading.pop(index))
                self._done += 1
                yield report
        finally:
            for task in reading.values():
                task.cancel()
            await asyncio.gather(*reading.values(), return_exceptions=True)
            pool.close()

    async def _read(self, pool: ReaderPool, file: FoundFile) -> ReadFile | None:
        """Read a file; None where there is nothing to be done with it."""
        if file.skipped or file.missing:
            return None
        content_hash = await asyncio.to_thread(hash_content, file.path)
        stored = await asyncio.to_thread(self._pipeline._store.document_at, file.place)
        if stored is not None and stored.content_hash == content_hash and stored.group == self._group:
            return None
        return await pool.read(file.path)

    async def _take_one(self, file: FoundFile, reading: asyncio.Task[ReadFile | None]) -> FileReport:
        started = time.monotonic()
        path = file.place
        if file.skipped:
            reading.cancel()
            return FileReport(path=path, status="skipped", reason=file.skipped)
        if file.missing:
            reading.cancel()
            return FileReport(path=path, status="failed", reason="there is no such file")
        try:
            read = await reading
            if read is None:
                return FileReport(path=path, status="unchanged", seconds=time.monotonic() - started)
            report = await self._store(file, read)
        except UnreadableFile as error:
            reason = error.reason if error.page is None else f"page {error.page}: {error.reason}"
            report = FileReport(path=path, status="failed", reason=reason)
        except InvalidInput as error:
            report = FileReport(path=path, status="failed", reason=str(error))
        except GoldenError:
            raise
        except Exception as error:
            # A text that some step did not expect, or a file that went away meanwhile: the others go on.
            reason = f"it cannot be taken up ({type(error).__name__}: {error})"
            report = FileReport(path=path, status="failed", reason=reason)
        return replace(report, seconds=time.monotonic() - started)

    async def _store(self, file: FoundFile, read: ReadFile) -> FileReport:
        p = self._pipeline
        path = file.place
        warnings = tuple(warning for page in read.pages for warning in page.warnings)
        self._pages += len(read.pages)
        report = FileReport(
            path=path,
            status="ingested",
            pages=len(read.pages),
            ocr_pages=sum(page.ocr_confidence is not None for page in read.pages),
            warnings=_abridged(warnings),
        )
        if not any(character.isalnum() for page in read.pages for block in page.blocks for character in block.text):
            return replace(report, status="failed", reason=_why_empty(warnings))
        self.say("enriching", path)
        document = await self._document_of(file, read)
        chunks = await asyncio.to_thread(split_pages, read.pages, document, p._embedder.count_tokens, p._sizes)
        chunks += await summarise_sections(chunks, document, p._summariser)
        mined = await mine_pages(read.pages, document, p._miner)
        self.say("embedding", path)
        vectors = await self._embed([chunk for chunk in chunks if chunk.kind != "section"])
        self.say("storing", path)
        if p._candidates is not None and mined:
            # Before the document: were it after, a kill between the two would lose the terms of a finished document.
            await asyncio.to_thread(p._candidates, mined)
        await asyncio.to_thread(p._store.replace_document, document, chunks, vectors, embedder=p._embedder.name)
        return replace(report, chunks=len(chunks), mined_terms=len(mined))

    async def _document_of(self, file: FoundFile, read: ReadFile) -> Document:
        return Document(
            id=document_id(file.place),
            name=file.name,
            path=file.place,
            media_type=read.media_type,
            content_hash=await asyncio.to_thread(hash_content, file.path),
            title=choose_title(read.title, read.pages, Path(file.place)),
            pages=len(read.pages),
            size_bytes=await asyncio.to_thread(size_of, file.path),
            group=self._group,
        )

    async def _embed(self, chunks: Sequence[Chunk]) -> Matrix:
        embedder = self._pipeline._embedder
        texts = [chunk.searchable_text for chunk in chunks]
        batches = [
            await embedder.embed_documents(texts[start : start + _EMBEDDED_AT_ONCE])
            for start in range(0, len(texts), _EMBEDDED_AT_ONCE)
        ]
        return np.concatenate(batches) if batches else np.zeros((0, embedder.dimensions), dtype=np.float32)


def _abridged(warnings: tuple[str, ...]) -> tuple[str, ...]:
    if len(warnings) <= _MAX_WARNINGS:
        return warnings
    return (*warnings[:_MAX_WARNINGS], f"… and {len(warnings) - _MAX_WARNINGS} more like these")


def _why_empty(warnings: tuple[str, ...]) -> str:
    return f"it holds no readable text; {warnings[0]}" if warnings else "it holds no readable text"
