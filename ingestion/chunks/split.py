"""From pages to chunks: sections to be summarised, and the passages in them to be found and cited."""

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import takewhile

from contracts.text import Block, Chunk, Document, Page
from ingestion.chunks.outline import Subsection, find_subsections
from ingestion.chunks.passages import draft_passages
from ingestion.chunks.pieces import CountTokens, Draft, Piece, join, piece_of

# How long chunks may become, in the embedder's tokens: passages with their headings, and sections.
PASSAGE_TOKENS, SECTION_TOKENS = 250, 4_000
_TINY_TOKENS = 30
_MERGED_TOKENS = 120
# The tokens of a passage that are reserved for the document's title and the headings above it.
_MERGED_ROOM = 50


def with_id(chunk: Chunk, document: Document) -> Chunk:
    """Return ``chunk`` with its id, which is the same for the same text of the same version of a file.

    The id depends on the embedded text, so a derived index that contains an id also contains the right vector: if the
    same file is read differently (by a newer reader, or with OCR that was installed later), the texts differ.
    """
    place = _digest(f"{document.id}:{document.content_hash}:{chunk.kind}:{chunk.ordinal}")
    return replace(chunk, id=_digest(f"{place}:{chunk.searchable_text}"))


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:24]


def split_pages(
    pages: Sequence[Page], document: Document, count: CountTokens, passage_tokens: int = PASSAGE_TOKENS
) -> list[Chunk]:
    """Split a document into its sections and passages, in order, sections first.

    Passages have at most ``passage_tokens`` including their headings; whole lists and code may have up to 1.6 times as
    many. Passages do not cross headings, and repeat a table's header; if a list continues, its lead-in is their last
    heading. They overlap by a sentence if a paragraph is cut. Each word of the pages is in the searchable text of at
    least one passage.
    """
    drafts = [
        draft
        for subsection in _below_title(find_subsections(pages), document.title)
        for draft in draft_passages(subsection, document.title, passage_tokens, count)
    ]
    drafts = _merge_tiny(drafts, count, passage_tokens)
    sections: list[Chunk] = []
    passages: list[Chunk] = []
    for group in _group_sections(drafts, count):
        section = _section_chunk(group, document, len(sections))
        sections.append(section)
        for draft in group:
            passages.append(_passage_chunk(draft, document, len(passages), section.id))
    return sections + passages


def _below_title(subsections: Sequence[Subsection], title: str) -> Iterator[Subsection]:
    """Remove the document's title from the headings: it precedes them in every passage anyway."""
    for subsection in subsections:
        repeats = bool(subsection.path) and subsection.path[0].casefold() == title.casefold()
        yield replace(subsection, path=subsection.path[1:]) if repeats else subsection


def _passage_chunk(draft: Draft, document: Document, ordinal: int, section_id: str) -> Chunk:
    piece = draft.piece
    chunk = Chunk(
        id="",
        document_id=document.id,
        kind="passage",
        ordinal=ordinal,
        text=piece.text,
        page=piece.page,
        last_page=piece.last_page,
        heading_path=(*draft.path, *draft.under),
        headings=piece.headings,
        code=piece.code,
        section_id=section_id,
        block_kind=draft.kind,
        boxes=piece.boxes,
        document_title=document.title,
    )
    return with_id(chunk, document)


def _section_chunk(drafts: Sequence[Draft], document: Document, ordinal: int) -> Chunk:
    paths = [draft.subsection.path for draft in drafts]
    shared = _shared(paths)
    text = ""
    before: Draft | None = None
    for draft in drafts:
        if before is None or draft.path != before.path:
            text += "".join(f"\n\n{heading}" for heading in _new_headings(before, draft, shared))
        # The only text repeated in a section is a table's header, where the table begins.
        opens = draft.kind in ("table", "rows") and (before is None or before.repeated is not draft.repeated)
        text += "\n\n" + (draft.piece.text if opens else draft.fresh.text)
        before = draft
    chunk = Chunk(
        id="",
        document_id=document.id,
        kind="section",
        ordinal=ordinal,
        text=text.strip(),
        page=min(draft.fresh.page for draft in drafts),
        last_page=max(draft.fresh.last_page for draft in drafts),
        heading_path=shared,
        block_kind=drafts[0].kind,
        document_title=document.title,
    )
    return with_id(chunk, document)


def _new_headings(before: Draft | None, draft: Draft, shared: tuple[str, ...]) -> tuple[str, ...]:
    known = before.path if before is not None else shared
    return draft.path[len(_shared([known, draft.path])) :]


def _group_sections(drafts: Sequence[Draft], count: CountTokens) -> Iterator[list[Draft]]:
    """Group passages into sections, which begin with a high-level heading if possible."""
    group: list[Draft] = []
    tokens = 0
    for draft in drafts:
        added = count(draft.fresh.text)
        begins = bool(group) and draft.subsection is not group[-1].subsection
        top = min((each.subsection.level for each in group), default=0)
        is_high = begins and draft.subsection.level <= top
        if group and (tokens + added > SECTION_TOKENS or (is_high and tokens > 0.6 * SECTION_TOKENS)):
            yield group
            group, tokens = [], 0
        group.append(draft)
        tokens += added
    if group:
        yield group


def _shared(paths: Sequence[tuple[str, ...]]) -> tuple[str, ...]:
    """Return the headings that all paths start with."""
    alike = takewhile(lambda texts: len(set(texts)) == 1, zip(*paths, strict=False))
    return tuple(texts[0] for texts in alike)


def _merge_tiny(drafts: Sequence[Draft], count: CountTokens, limit: int) -> list[Draft]:
    """Merge tiny passages on the same page, with their headings as text ("2.3 Scope", "Not applicable.")."""
    merged: list[Draft] = []
    for draft in drafts:
        tiny = count(draft.fresh.text) < _TINY_TOKENS
        if tiny and merged and _may_merge(merged[-1], draft):
            both = _merge(merged[-1], draft)
            if count(both.fresh.text) <= min(limit - _MERGED_ROOM, _MERGED_TOKENS):
                merged[-1] = both
                continue
        merged.append(draft)
    return merged


def _may_merge(before: Draft, draft: Draft) -> bool:
    prose = not {before.kind, draft.kind} & {"table", "rows", "code"}
    one_page = before.fresh.page == before.fresh.last_page == draft.fresh.page == draft.fresh.last_page
    # Only very short passages, and merged ones, can be merged with another.
    if before.subsection.blocks and len(before.fresh.text) > 8 * _TINY_TOKENS:
        return False
    near = before.path[:1] == draft.path[:1] or min(len(before.path), len(draft.path)) <= 1
    alone = draft.repeated is None and not draft.under and not before.under
    return prose and one_page and near and alone and before.subsection is not draft.subsection


def _merge(before: Draft, draft: Draft) -> Draft:
    shared = _shared([before.path, draft.path])
    first = [*_heading_pieces(before.subsection, before.path[len(shared) :]), before.fresh]
    second = [*_heading_pieces(draft.subsection, draft.path[len(shared) :]), draft.fresh]
    seams = ["\n"] * (len(first) + len(second))
    # Texts under different headings, or under none, are not one paragraph.
    seams[len(first)] = "\n\n"
    whole = join(first + second, seams)
    subsection = Subsection(shared, min(before.subsection.level, draft.subsection.level), None, ())
    kind = before.kind if before.kind == draft.kind else "paragraph"
    return replace(before, subsection=subsection, path=shared, fresh=whole, kind=kind)


def _heading_pieces(subsection: Subsection, path: tuple[str, ...]) -> Iterator[Piece]:
    for text in path:
        heading = subsection.heading
        if heading is not None and text == " ".join(heading.text.split()):
            yield piece_of(heading)
        else:
            yield piece_of(Block(kind="heading", text=text))
