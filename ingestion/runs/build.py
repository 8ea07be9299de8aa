"""From the pages of a file to the stored document: a title, chunks with their vectors, mined terms, a report."""

import asyncio
import re
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

import numpy as np

from contracts.documents import PoorPage
from contracts.errors import UnreadableFile
from contracts.jargon import MinedTerm
from contracts.text import Chunk, Document, Page
from ingestion.chunks.pieces import CountTokens
from ingestion.chunks.split import split_pages, with_id
from ingestion.files.found_files import FoundFile
from ingestion.readers.containers import check_characters
from ingestion.reports import FileReport, Phase
from ingestion.runs.parts import Parts
from ingestion.runs.plan import Plan
from ingestion.workers.tasks import ReadFile
from intrinsics.summarisation.base import Summariser
from intrinsics.term_mining.base import TermMiner
from tools.embedding.base import Embedder, Matrix

_EMBEDDED_AT_ONCE = 64
_MAX_WARNINGS = 50
# A summariser on a server processes several requests at once; more would only queue there.
_SUMMARISED_AT_ONCE = 4
# Default titles of word processors.
_NO_TITLE = re.compile(
    r"^(?:untitled.*|no title|title|document\d*|presentation\d*|book\d*|slide ?\d*"
    r"|(?:microsoft )?(?:word|powerpoint) .*|powerpoint presentation|layout \d+|print(?:out)?|scan\w*"
    r"|.*\.(?:docx?|pptx?|xlsx?|pdf|indd|tex|dvi|qxd|html?|png|jpe?g))$",
    re.IGNORECASE,
)
# Headings of parts that any document may have, and "Usage: lamp [options]".
_NAMES_PART = re.compile(
    r"(?:table of )?contents|(?:usage|synopsis)(?::.*)?|(?:introduction|overview|preface|abstract)\.?", re.IGNORECASE
)
# If others have the same level, a question, a numbered heading or one below text is the first part, not the title.
_ONE_OF_MANY = re.compile(r".*\?|\d{1,2}(?:\.\d+)*[.)] .*")
_MAX_TITLE_CHARACTERS = 150
_LEAST_CONFIDENCE = 0.6
_FIRST_PAGES = 2
_FIRST_BLOCKS = 12


@dataclass(frozen=True, slots=True, kw_only=True)
class Built:
    """A new version of a document, started at ``began``; ``vectors`` has a row for each passage and summary."""

    document: Document
    began: datetime
    chunks: tuple[Chunk, ...]
    vectors: Matrix
    mined: tuple[MinedTerm, ...]
    report: FileReport


def describe(file: FoundFile, read: ReadFile) -> FileReport:
    """Return the report on a file, as far as the pages determine it."""
    warnings = tuple(warning for page in read.pages for warning in page.warnings)
    return FileReport(
        path=file.place,
        status="ingested",
        pages=len(read.pages),
        ocr_pages=sum(page.ocr_confidence is not None for page in read.pages),
        tables=sum(block.kind == "table" for page in read.pages for block in page.blocks),
        warnings=_abridged(warnings),
        poor_pages=find_poor_pages(read.pages),
        seconds=read.seconds,
    )


async def build(
    file: FoundFile,
    plan: Plan,
    read: ReadFile,
    report: FileReport,
    group: str,
    parts: Parts,
    say: Callable[[Phase], None],
    hear_embedded: Callable[[int, int], None],
) -> Built:
    """Split, summarise, mine and embed a read file; ``say`` is called with each phase, ``hear_embedded`` with the
    number of embedded texts and the total.

    Raises:
        UnreadableFile: no page contains any text, or there is too much of it.
        TimeoutError: it was not split within ``limits.file_s``.
        Unavailable: the embedding model is not available.
    """
    if not any(character.isalnum() for page in read.pages for block in page.blocks for character in block.text):
        why = f"; {report.warnings[0]}" if report.warnings else ""
        raise UnreadableFile(file.place, f"it contains no readable text{why}")
    check_characters(
        Path(file.place), sum(len(block.text) for page in read.pages for block in page.blocks), parts.limits
    )
    started, began = time.monotonic(), datetime.now(UTC)
    document = Document(
        id=plan.document_id,
        name=file.name,
        path=file.place,
        media_type=read.media_type,
        content_hash=plan.content_hash,
        title=choose_title(read.title, read.pages, file.path),
        pages=len(read.pages),
        size_bytes=plan.size_bytes,
        group=group,
    )
    say("enriching")
    count = _count_until(time.monotonic() + parts.limits.file_s, parts.embedder.count_tokens)
    chunks = await asyncio.to_thread(split_pages, read.pages, document, count, parts.passage_tokens)
    _check_passages(chunks, document, parts)
    if parts.summariser is not None:
        chunks += await summarise_sections(chunks, document, parts.summariser)
    mined = tuple(await mine_pages(read.pages, document, parts.miner))
    say("embedding")
    vectors = await _embed([chunk for chunk in chunks if chunk.kind != "section"], parts.embedder, hear_embedded)
    whole = replace(
        report,
        document_id=document.id,
        chunks=len(chunks),
        mined_terms=len(mined),
        seconds=report.seconds + time.monotonic() - started,
    )
    return Built(document=document, began=began, chunks=tuple(chunks), vectors=vectors, mined=mined, report=whole)


def choose_title(named: str, pages: Sequence[Page], path: Path) -> str:
    """Choose the title: ``named`` in the metadata unless a program generated it, or else the highest early heading."""
    named = " ".join(named.split())
    if 3 <= len(named) <= _MAX_TITLE_CHARACTERS and not _NO_TITLE.match(named) and any(map(str.isalpha, named)):
        return named
    blocks = [block for page in pages[:_FIRST_PAGES] for block in page.blocks]
    headings = [block for block in blocks if block.kind == "heading"]
    # A heading of a lower level far from the top names a part.
    early = [each for each in headings if each.level == 1 or each in blocks[:_FIRST_BLOCKS]]
    # In sheets and slides, the first heading names one page, not the whole document.
    if early and path.suffix.lower() not in (".xlsx", ".csv", ".tsv"):
        best = min(early, key=lambda block: block.level)
        text = " ".join(best.text.split())
        is_part = _ONE_OF_MANY.fullmatch(text) or (best.level > 1 and best is not blocks[0])
        one_of_many = is_part and sum(each.level == best.level for each in headings) > 1
        if 3 <= len(text) <= _MAX_TITLE_CHARACTERS and not _NAMES_PART.fullmatch(text) and not one_of_many:
            return text
    return " ".join(re.sub(r"[_\-]+", " ", path.stem).split()) or path.name


def find_poor_pages(pages: Sequence[Page]) -> tuple[PoorPage, ...]:
    """Return the pages that were read from their pictures with too little confidence, or could not be read."""
    found = []
    for page in pages:
        confidence, reason = page.ocr_confidence, ""
        if confidence is None:
            # A page that needed OCR and did not get it; a page whose text layer was better has no warning.
            reason = page.warnings[0] if page.ocr_reason and page.warnings else ""
        elif not page.blocks:
            reason = "no words could be read in its picture"
        elif confidence < _LEAST_CONFIDENCE:
            reason = f"its words were read with a mean confidence of {confidence:.2f}, below {_LEAST_CONFIDENCE:.2f}"
        if reason:
            found.append(PoorPage(page=page.number, confidence=confidence, reason=reason))
    return tuple(found)


async def summarise_sections(chunks: Sequence[Chunk], document: Document, summariser: Summariser) -> list[Chunk]:
    """Make the summary chunk of each section: its summary, and questions that it answers, one per line."""
    sections = [chunk for chunk in chunks if chunk.kind == "section"]
    free = asyncio.Semaphore(_SUMMARISED_AT_ONCE)

    async def summarise(section: Chunk) -> Chunk | None:
        title = " > ".join(part for part in (document.title, *section.heading_path) if part)
        async with free:
            summary = await summariser.summarise(section.text, title=title)
        text = "\n".join(part.strip() for part in (summary.text, *summary.questions) if part.strip())
        if not text:
            return None
        made = replace(section, kind="summary", text=text, section_id=section.id, block_kind="paragraph")
        return with_id(made, document)

    return [chunk for chunk in await asyncio.gather(*map(summarise, sections)) if chunk is not None]


async def mine_pages(pages: Sequence[Page], document: Document, miner: TermMiner) -> list[MinedTerm]:
    """Extract abbreviations with their expansions from each page."""
    mined: list[MinedTerm] = []
    for page in pages:
        text = "\n".join(block.text for block in page.blocks)
        if text:
            found = await miner.mine(text, page=page.number)
            mined += (replace(term, document=document.name) for term in found.terms)
    return mined


def _check_passages(chunks: Sequence[Chunk], document: Document, parts: Parts) -> None:
    passages, most = sum(chunk.kind == "passage" for chunk in chunks), parts.limits.passages
    if passages > most:
        reason = f"it would have {passages:,} passages, more than the {most:,} allowed; split it into smaller files"
        raise UnreadableFile(document.path, reason)


def _count_until(deadline: float, count: CountTokens) -> CountTokens:
    """Make ``count`` raise ``TimeoutError`` after ``deadline``: a thread cannot be stopped from outside."""

    def count_in_time(text: str) -> int:
        if time.monotonic() > deadline:
            raise TimeoutError
        return count(text)

    return count_in_time


async def _embed(chunks: Sequence[Chunk], embedder: Embedder, hear: Callable[[int, int], None]) -> Matrix:
    texts = [chunk.searchable_text for chunk in chunks]
    vectors = np.zeros((len(texts), embedder.dimensions), dtype=np.float32)
    # Texts of similar length from the whole document are embedded together: models pad the shorter ones of a batch.
    order = sorted(range(len(texts)), key=lambda row: -len(texts[row]))
    for start in range(0, len(order), _EMBEDDED_AT_ONCE):
        rows = order[start : start + _EMBEDDED_AT_ONCE]
        vectors[rows] = await embedder.embed_documents([texts[row] for row in rows])
        hear(min(start + _EMBEDDED_AT_ONCE, len(order)), len(order))
    return vectors


def _abridged(warnings: tuple[str, ...]) -> tuple[str, ...]:
    if len(warnings) <= _MAX_WARNINGS:
        return warnings
    return (*warnings[:_MAX_WARNINGS], f"… and {len(warnings) - _MAX_WARNINGS} more like these")
