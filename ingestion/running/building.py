"""From the pages of a file to what is stored of it: chunks with their vectors, mined terms, a report."""

import asyncio
import hashlib
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from contracts.errors import UnreadableFile
from contracts.jargon import MinedTerm
from contracts.text import Chunk, Document, Page
from ingestion.chunks.split import split_pages
from ingestion.files.finding import FoundFile
from ingestion.reports import FileReport, Phase
from ingestion.running.enrich import mine_pages, summarise_sections
from ingestion.running.parts import Parts
from ingestion.running.planning import Plan
from ingestion.running.poor_pages import find_poor_pages
from ingestion.running.titles import choose_title
from ingestion.workers.tasks import ReadFile
from tools.embedding import Embedder, Matrix

_EMBEDDED_AT_ONCE = 64
_MAX_WARNINGS = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class Built:
    """A new version of a document, ready to be stored; ``vectors`` has a row for each passage and summary."""

    document: Document
    chunks: tuple[Chunk, ...]
    vectors: Matrix
    mined: tuple[MinedTerm, ...]
    report: FileReport


@dataclass(slots=True)
class Stopwatch:
    """Measures phases, in seconds."""

    phases: dict[str, float] = field(default_factory=dict)

    @contextmanager
    def phase(self, name: Phase) -> Iterator[None]:
        """Measure the block."""
        started = time.monotonic()
        try:
            yield
        finally:
            self.phases[name] = self.phases.get(name, 0.0) + time.monotonic() - started


def describe(file: FoundFile, read: ReadFile, parts: Parts) -> FileReport:
    """Return the report of a file that was read, as far as its pages tell it."""
    warnings = tuple(warning for page in read.pages for warning in page.warnings)
    return FileReport(
        path=file.place,
        status="ingested",
        pages=len(read.pages),
        ocr_pages=sum(page.ocr_confidence is not None for page in read.pages),
        tables=sum(block.kind == "table" for page in read.pages for block in page.blocks),
        warnings=_abridged(warnings),
        poor_pages=find_poor_pages(read.pages, parts.least_confidence),
        phases=(("reading", read.seconds),),
    )


async def build(
    file: FoundFile,
    plan: Plan,
    read: ReadFile,
    report: FileReport,
    group: str,
    parts: Parts,
    say: Callable[[Phase], None],
) -> Built:
    """Split, summarise, mine and embed what was read; ``say`` hears each phase.

    Raises:
        UnreadableFile: no page holds any text.
        Unavailable: the embedding model is not there.
    """
    if not _has_text(read.pages):
        raise UnreadableFile(file.place, _why_empty(report.warnings))
    watch = Stopwatch()
    document = Document(
        id=plan.document_id,
        name=file.name,
        path=file.place,
        media_type=read.media_type,
        content_hash=plan.content_hash,
        title=choose_title(read.title, read.pages, Path(file.place)),
        pages=len(read.pages),
        size_bytes=plan.size_bytes,
        group=group,
    )
    say("enriching")
    with watch.phase("enriching"):
        chunks = await asyncio.to_thread(split_pages, read.pages, document, parts.embedder.count_tokens, parts.sizes)
        if parts.summariser is not None:
            chunks += await summarise_sections(chunks, document, parts.summariser)
        chunks = _named_by_text(chunks)
        mined = tuple(await mine_pages(read.pages, document, parts.miner))
    say("embedding")
    with watch.phase("embedding"):
        vectors = await _embed([chunk for chunk in chunks if chunk.kind != "section"], parts.embedder)
    phases = (*report.phases, *watch.phases.items())
    whole = replace(
        report,
        document_id=document.id,
        chunks=len(chunks),
        mined_terms=len(mined),
        phases=phases,
        seconds=sum(seconds for _, seconds in phases),
    )
    return Built(document=document, chunks=tuple(chunks), vectors=vectors, mined=mined, report=whole)


def _named_by_text(chunks: Sequence[Chunk]) -> list[Chunk]:
    """Let the ids change with what is embedded: a derived index that holds an id holds its vector too.

    The same file read otherwise (another version of a reader, OCR that came later) has other texts at the same places.
    """
    named = {
        chunk.id: hashlib.sha256(f"{chunk.id}:{chunk.searchable_text}".encode()).hexdigest()[:24] for chunk in chunks
    }
    return [
        replace(chunk, id=named[chunk.id], section_id=named[chunk.section_id] if chunk.section_id else chunk.section_id)
        for chunk in chunks
    ]


async def _embed(chunks: Sequence[Chunk], embedder: Embedder) -> Matrix:
    texts = [chunk.searchable_text for chunk in chunks]
    vectors = np.zeros((len(texts), embedder.dimensions), dtype=np.float32)
    # Texts of like length go together, over the whole document: models fill up the shorter ones of a batch.
    order = sorted(range(len(texts)), key=lambda row: -len(texts[row]))
    for start in range(0, len(order), _EMBEDDED_AT_ONCE):
        rows = order[start : start + _EMBEDDED_AT_ONCE]
        vectors[rows] = await embedder.embed_documents([texts[row] for row in rows])
    return vectors


def _has_text(pages: Sequence[Page]) -> bool:
    return any(character.isalnum() for page in pages for block in page.blocks for character in block.text)


def _abridged(warnings: tuple[str, ...]) -> tuple[str, ...]:
    if len(warnings) <= _MAX_WARNINGS:
        return warnings
    return (*warnings[:_MAX_WARNINGS], f"… and {len(warnings) - _MAX_WARNINGS} more like these")


def _why_empty(warnings: tuple[str, ...]) -> str:
    return f"it holds no readable text; {warnings[0]}" if warnings else "it holds no readable text"
