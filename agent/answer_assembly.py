"""Answer assembly: turns a draft and its verdicts into an answer with markers, citations and checked sentences."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from agent.wording import UNCITED_REASON, UNSUPPORTED_MARK
from contracts.answer import CheckedSentence, Citation
from contracts.text import Chunk, PageBox, Passage, Span
from contracts.verdicts import AnswerSentence, CitationLink, SentenceFaithfulness
from tools.language import split_sentences

_END_MARKS = re.compile(r"[.!?…。！？]+$")
_GAP = " … "


@dataclass(frozen=True, slots=True, kw_only=True)
class ComposedAnswer:
    """The text of an answer with citation markers, its sentences with their verdicts, and its sources."""

    text: str
    sentences: tuple[CheckedSentence, ...]
    citations: tuple[Citation, ...]


def sentences_of(draft: str) -> tuple[AnswerSentence, ...]:
    """Split a draft into the sentences that are cited and judged."""
    return tuple(AnswerSentence(text=draft[span.start : span.end], span=span) for span in split_sentences(draft))


def cite(
    draft: str, links: Sequence[CitationLink], passages: Sequence[Passage], *, per_sentence: int
) -> tuple[list[tuple[int, ...]], tuple[Citation, ...]]:
    """Return the citation numbers of each sentence of the draft, and the citations.

    Citations are numbered in order of appearance; links to the same sentences of a passage share one citation. Each
    sentence keeps its best ``per_sentence`` citations. Links to missing passages are ignored. Code cannot contain
    markers: its lines are added to the citation of the sentence above it, if that cites the same passage.
    """
    numbers: dict[tuple[int, tuple[int, ...]], int] = {}
    cited: list[tuple[int, ...]] = []
    for evidence in _evidence(sentences_of(draft), links, len(passages), per_sentence):
        keys = [(passage, tuple(sorted(wanted))) for passage, wanted in evidence.items()]
        cited.append(tuple(sorted({numbers.setdefault(key, len(numbers) + 1) for key in keys})))
    citations = [
        citation_of(number, passages[passage], _cited_spans(passages[passage], wanted))
        for (passage, wanted), number in numbers.items()
    ]
    return cited, tuple(citations)


def _evidence(
    sentences: Sequence[AnswerSentence], links: Sequence[CitationLink], passages: int, per_sentence: int
) -> list[dict[int, set[int]]]:
    """Return, for each sentence, the indexes of its supporting passages, with the indexes of the sentences in them."""
    found: list[dict[int, set[int]]] = []
    above: dict[int, set[int]] = {}
    for index, in_code in enumerate(_in_code(sentences)):
        own = [link for link in links if link.sentence == index and 0 <= link.passage < passages]
        here = {link.passage: set(link.passage_sentences) for link in own[:per_sentence]}
        # A link without sentences means the whole passage, and remains a separate citation.
        if in_code and here and all(wanted and above.get(passage) for passage, wanted in here.items()):
            for passage, wanted in here.items():
                above[passage] |= wanted
            here = {passage: above[passage] for passage in here}
        found.append(here)
        above = here if here or not in_code else above
    return found


def _in_code(sentences: Sequence[AnswerSentence]) -> list[bool]:
    """Return whether each sentence is a line of a fenced code block, or a fence."""
    found: list[bool] = []
    inside = False
    for sentence in sentences:
        is_fence = sentence.text.startswith(("```", "~~~"))
        found.append(inside or is_fence)
        inside ^= is_fence
    return found


def compose(
    draft: str,
    links: Sequence[CitationLink],
    verdicts: Sequence[SentenceFaithfulness],
    passages: Sequence[Passage],
    *,
    per_sentence: int,
) -> ComposedAnswer:
    """Add ``[n]`` before the final punctuation of each cited sentence, and mark unsupported sentences; see ``cite``."""
    cited, citations = cite(draft, links, passages, per_sentence=per_sentence)
    sentences = sentences_of(draft)
    checked: list[CheckedSentence] = []
    pieces: list[str] = []
    position = 0
    for sentence, in_code, found, verdict in zip(sentences, _in_code(sentences), cited, verdicts, strict=True):
        # Code is copied unchanged.
        unsupported = verdict.label == "unfaithful"
        marked = sentence.text if in_code else _with_marks(sentence.text, found, unsupported)
        pieces += [draft[position : sentence.span.start], marked]
        position = sentence.span.end
        # A sentence without a citation is never called faithful, whatever the verdict.
        shown = verdict.label != "faithful" or bool(found)
        checked.append(
            CheckedSentence(
                text=sentence.text,
                citations=found,
                label=verdict.label if shown else "partial",
                probability=verdict.probability,
                reason=verdict.reason if shown else UNCITED_REASON,
            )
        )
    text = "".join([*pieces, draft[position:]])
    return ComposedAnswer(text=text, sentences=tuple(checked), citations=citations)


def _with_marks(sentence: str, numbers: Sequence[int], unsupported: bool) -> str:
    marks = "".join(f" [{number}]" if place == 0 else f"[{number}]" for place, number in enumerate(numbers))
    marks += UNSUPPORTED_MARK if unsupported else ""
    if not marks:
        return sentence
    if sentence.endswith("|"):
        # In a row of a Markdown table, a marker after the last bar would break the table.
        return f"{sentence[:-1].rstrip()}{marks} |"
    end = _END_MARKS.search(sentence)
    return f"{sentence[: end.start()]}{marks}{end.group()}" if end else sentence + marks


def citation_of(number: int, passage: Passage, spans: Sequence[Span]) -> Citation:
    """Return a citation that quotes ``spans`` of the passage's text, which must be in order."""
    boxes = boxes_of(passage.chunk, spans)
    return Citation(
        number=number,
        document_id=passage.chunk.document_id,
        document_name=passage.document_name,
        document_title=passage.document_title,
        page=boxes[0].page if boxes else passage.chunk.page,
        chunk_id=passage.chunk.id,
        quote=_GAP.join(passage.text[span.start : span.end] for span in spans),
        passage_text=passage.text,
        quote_spans=tuple(spans),
        boxes=boxes,
        heading_path=passage.chunk.heading_path,
    )


def _cited_spans(passage: Passage, wanted: Sequence[int]) -> list[Span]:
    return _joined(passage.chunk.text, [passage.sentences[each] for each in wanted if each < len(passage.sentences)])


def _joined(text: str, spans: Sequence[Span]) -> list[Span]:
    """Join adjacent sentences; a link without sentences means the whole passage."""
    joined: list[Span] = []
    for span in sorted(spans, key=lambda each: each.start) or [Span(0, len(text))]:
        if joined and not text[joined[-1].end : span.start].strip():
            joined[-1] = Span(joined[-1].start, span.end)
        else:
            joined.append(span)
    return joined


def boxes_of(chunk: Chunk, spans: Sequence[Span]) -> tuple[PageBox, ...]:
    """Return the page boxes of ``spans`` of the chunk's text, in reading order; boxes on one line are joined."""
    found = [
        place.box
        for place in chunk.boxes
        if any(place.span.start < span.end and span.start < place.span.end for span in spans)
    ]
    lines: list[PageBox] = []
    for box in found:
        if lines and _on_one_line(lines[-1], box):
            last = lines[-1]
            lines[-1] = PageBox(
                page=box.page,
                x0=min(last.x0, box.x0),
                top=min(last.top, box.top),
                x1=max(last.x1, box.x1),
                bottom=max(last.bottom, box.bottom),
            )
        else:
            lines.append(box)
    return tuple(lines)


def _on_one_line(left: PageBox, right: PageBox) -> bool:
    overlap = min(left.bottom, right.bottom) - max(left.top, right.top)
    height = min(left.bottom - left.top, right.bottom - right.top)
    # Text in different columns can be on the same line, so only boxes less than two heights apart are joined.
    near = right.x0 - left.x1 <= 2 * max(height, 1.0) and right.x0 >= left.x0
    return left.page == right.page and overlap > height / 2 and near
