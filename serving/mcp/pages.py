"""``read_page``: the text of a page of a document, for whoever may read the document."""

import asyncio
from collections.abc import Mapping, Sequence
from typing import Protocol

from contracts.errors import NotFound
from contracts.text import Chunk, Document
from serving.access import Actor
from serving.mcp.models import PageResult

# A passage begins with the last sentence of the one before; shorter coincidences are none.
_LEAST_OVERLAP, _MOST_OVERLAP = 12, 2_000


class PageSource(Protocol):
    """Keeps the documents' texts. Blocking; every method raises ``Unavailable`` where the library cannot be read."""

    def document(self, document_id: str) -> Document | None:
        """Return the document with this id, or None."""
        ...

    def document_chunks(self, document_id: str) -> tuple[Chunk, ...]:
        """Return every chunk of a document, by kind, then in their order."""
        ...

    def chunks(self, ids: Sequence[str]) -> Mapping[str, Chunk]:
        """Return the chunks with these ids; ids that do not exist are left out."""
        ...


async def page_of(pages: PageSource, document_id: str, page: int, actor: Actor) -> PageResult:
    """Return a page of a document.

    Raises:
        NotFound: there is no such document among those that ``actor`` may read, or it has no such page.
        Unavailable: the library cannot be read just now.
    """
    document = await asyncio.to_thread(pages.document, document_id)
    if document is None or (actor.groups is not None and document.group not in actor.groups):
        # One that others may read is answered like one that is not there.
        raise NotFound(f"There is no document {document_id[:100]!r} in the library: search_documents names their ids.")
    chunks = await asyncio.to_thread(pages.document_chunks, document_id)
    standing = [each for each in chunks if each.kind == "passage" and each.page <= page <= each.last_page]
    if not standing and not 1 <= page <= document.pages:
        raise NotFound(f"{document.name} has {document.pages} pages: there is no page {page}.")
    return PageResult(
        document=document.name,
        document_id=document.id,
        title=document.title,
        page=page,
        pages=document.pages,
        text=_joined(standing) or "(No text on this page.)",
    )


def _joined(passages: Sequence[Chunk]) -> str:
    """Put the passages together again, what two have in common once, each new heading above its text."""
    text = ""
    headings: tuple[str, ...] = ()
    for each in sorted(passages, key=lambda chunk: chunk.ordinal):
        if each.heading_path != headings:
            headings = each.heading_path
            title = f"# {' > '.join(headings)}\n\n" if headings else ""
            text += f"\n\n{title}{each.text}"
            continue
        common = _overlap(text, each.text)
        text += each.text[common:] if common else f"\n\n{each.text}"
    return text.strip()


def _overlap(text: str, following: str) -> int:
    longest = min(len(text), len(following), _MOST_OVERLAP)
    lengths = range(longest, _LEAST_OVERLAP - 1, -1)
    return next((length for length in lengths if text.endswith(following[:length])), 0)
