"""``read_page``: the text of a page of a document, for whoever may read the document."""

import asyncio
import re
from collections.abc import Sequence
from urllib.parse import unquote

from contracts.errors import NotFound
from contracts.text import Chunk
from serving.access import Actor
from serving.mcp.arguments import PageArguments
from serving.mcp.calls import Call, Reply
from serving.mcp.desk import PageSource
from serving.mcp.places import page_words, place
from serving.mcp.results import PageResult

_URI = re.compile(r"golden://documents/(?P<document>[^/?#]{1,1200})/pages/(?P<page>[1-9]\d{0,6})")
# A passage begins with the last sentence of the one before; shorter coincidences are none.
_LEAST_OVERLAP, _MOST_OVERLAP = 12, 2_000


async def read_page(call: Call, given: PageArguments) -> Reply:
    """Read one page."""
    value = await page_of(call.desk.pages, given.document_id, given.page, call.actor)
    return Reply(value=value, text=f"{page_words(value)} of {value.pages}:\n\n{value.text}")


async def page_at(pages: PageSource, uri: str, actor: Actor) -> PageResult:
    """Return the page that a resource's address names.

    Raises:
        NotFound: it names none that ``actor`` may read.
    """
    match = _URI.fullmatch(uri)
    if match is None:
        raise NotFound("There is no such resource: pages are golden://documents/{document_id}/pages/{page}.")
    return await page_of(pages, unquote(match.group("document")), int(match.group("page")), actor)


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
    if not standing and page > document.pages:
        raise NotFound(f"{document.name} has {document.pages} pages: there is no page {page}.")
    where = place(document.id, document.name, document.title, page)
    return PageResult(**where.model_dump(), pages=document.pages, text=_joined(standing) or "(No text on this page.)")


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
    return next(
        (length for length in range(longest, _LEAST_OVERLAP - 1, -1) if text.endswith(following[:length])),
        0,
    )
