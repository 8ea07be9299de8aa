"""Documents and passages for the tests of writing."""

from dataclasses import replace

from contracts.text import Block, Chunk, Document, Page, Passage
from golden_lab.training.data.passages import PassageSource
from golden_lab.training.writing.cutting import SourcePassage
from ingestion.chunks.split import split_pages
from tools.language import split_sentences


def document(name: str = "pumps.md", *, group: str = "everyone", folder: str = "/documents") -> Document:
    return Document(
        id=f"id-{folder}-{name}", name=name, path=f"{folder}/{name}", media_type="text/markdown", content_hash="0",
        title=name.partition(".")[0], pages=1, group=group,
    )  # fmt: skip


def chunks_of(*pages: tuple[Block, ...], of: Document | None = None) -> list[Chunk]:
    """Cut pages as ingestion does, a token being a word."""
    read = [
        Page(number=number, blocks=tuple(replace(block, page=number) for block in blocks))
        for number, blocks in enumerate(pages, start=1)
    ]
    return split_pages(read, of or document(), lambda text: len(text.split()))


def source_passage(text: str, *, name: str = "pumps.md", number: int = 0, **more: object) -> SourcePassage:
    chunk = Chunk(id=f"c{number}", document_id="d", kind="passage", ordinal=number, text=text, page=1, last_page=1)
    passage = Passage(
        chunk=chunk, document_name=name, document_title="", score=0.0, sentences=split_sentences(text)
    )  # fmt: skip
    source = PassageSource(document=name, page=1, last_page=1, chunk=f"c{number}", start=0, end=0)
    return SourcePassage(passage=passage, source=source, **more)  # type: ignore[arg-type]
