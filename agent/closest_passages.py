"""The passages that come closest to a question that nothing answers, quoted with their places."""

from collections.abc import Sequence
from dataclasses import replace

from agent.composing import citation_of
from contracts.answer import Citation
from contracts.text import Passage, Span
from tools.embedding.base import Embedder
from tools.language import content_stems

Part = tuple[Span, ...]

_MOST_WORDS = 60
# Two quotations that share this much of their words say the same thing twice.
_DUPLICATE = 0.8
# How much better (in cosine) a second quotation of one document must be than the first of another.
_ANOTHER_DOCUMENT = 0.05


async def quote_closest(
    question: str, passages: Sequence[Passage], embedder: Embedder, *, limit: int
) -> tuple[Citation, ...]:
    """Quote of each passage the part most like the question; return at most ``limit`` of these, the best first.

    Passages that say nearly the same are quoted once. Of passages about equally like the question, those of different
    documents are preferred.
    """
    candidates = [(passage, part) for passage in passages for part in quotable_parts(passage)]
    if not candidates:
        return ()
    query = (await embedder.embed_queries([question]))[0]
    cosines = await embedder.embed_documents([_with_headings(*each) for each in candidates]) @ query
    chosen: list[Citation] = []
    left = [(float(cosine), *each) for cosine, each in zip(cosines, candidates, strict=True)]
    while left and len(chosen) < limit:
        quoted = {each.document_id for each in chosen}
        _, passage, part = max(
            left, key=lambda each: each[0] - _ANOTHER_DOCUMENT * (each[1].chunk.document_id in quoted)
        )
        citation = citation_of(len(chosen) + 1, passage, part)
        if not any(_say_the_same(citation.quote, each.quote) for each in chosen):
            chosen.append(citation)
        left = [each for each in left if each[1] is not passage]
    return tuple(chosen)


def quotable_parts(passage: Passage) -> tuple[Part, ...]:
    """Return the parts of a passage that can be quoted alone, each as spans of its text.

    A part is a whole block with the line that leads into it, or sentences, items or rows of a longer one, of at most
    60 words. Rows come with the first row of their table.
    """
    text, sentences = passage.text, passage.sentences or (Span(0, len(passage.text)),)
    header = sentences[0] if passage.chunk.block_kind == "table" else None
    parts: list[Part] = []
    start, words = sentences[0].start, 0
    for before, sentence in zip((None, *sentences), sentences, strict=False):
        count = len(text[sentence.start : sentence.end].split())
        if before is not None:
            new_block = "\n\n" in text[before.end : sentence.start] and text[before.end - 1] != ":"
            if new_block or words + count > _MOST_WORDS:
                parts.append((Span(start, before.end),))
                start, words = sentence.start, 0
        words += count
    parts.append((Span(start, sentences[-1].end),))
    if header is None:
        return tuple(parts)
    # Notes stand apart from the rows.
    rows = [(header, *part) if "\n\n" not in text[header.end : part[0].start] else part for part in parts[1:]]
    return (parts[0], *rows)


def _with_headings(passage: Passage, part: Part) -> str:
    text = "\n".join(passage.text[span.start : span.end] for span in part)
    return replace(passage.chunk, text=text).searchable_text


def _say_the_same(one: str, other: str) -> bool:
    words, others = set(content_stems(one)), set(content_stems(other))
    return one == other or len(words & others) >= _DUPLICATE * len(words | others) > 0
