"""What is added to a document's own text: summaries of its sections, and the abbreviations that it defines."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace

from contracts.jargon import MinedTerm
from contracts.text import Chunk, Document, Page
from ingestion.chunks.split import chunk_id
from intrinsics.summarisation import Summariser
from intrinsics.term_mining import TermMiner

# A summariser on a server answers several at once; more would only queue there.
_AT_ONCE = 4


async def summarise_sections(chunks: Sequence[Chunk], document: Document, summariser: Summariser) -> list[Chunk]:
    """Make the summary chunk of each section: its summary and the questions it answers, a line each."""
    sections = [chunk for chunk in chunks if chunk.kind == "section"]
    free = asyncio.Semaphore(_AT_ONCE)

    async def summarise(section: Chunk) -> Chunk | None:
        title = " > ".join(part for part in (document.title, *section.heading_path) if part)
        async with free:
            summary = await summariser.summarise(section.text, title=title)
        text = "\n".join(part.strip() for part in (summary.text, *summary.questions) if part.strip())
        if not text:
            return None
        return replace(
            section,
            id=chunk_id(document, "summary", section.ordinal),
            kind="summary",
            text=text,
            section_id=section.id,
            block_kind="paragraph",
        )

    return [chunk for chunk in await asyncio.gather(*map(summarise, sections)) if chunk is not None]


async def mine_pages(pages: Sequence[Page], document: Document, miner: TermMiner) -> list[MinedTerm]:
    """Mine each page for abbreviations with their expansions."""
    mined: list[MinedTerm] = []
    for page in pages:
        text = "\n".join(block.text for block in page.blocks)
        if text:
            found = await miner.mine(text, page=page.number)
            mined += (replace(term, document=document.name) for term in found.terms)
    return mined
