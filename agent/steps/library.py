"""Steps that describe the library or summarise one of its documents."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass

from agent.answer_assembly import ComposedAnswer, compose, sentences_of
from agent.document_summaries import SummaryDraft, draft_summary, find_document, headings_of, is_heading
from agent.services import Services
from contracts.provenance import Provenance
from contracts.question import Asker
from contracts.text import Document

_MOST_EXAMPLES = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class LibraryContents:
    """The documents that an asker may read, the number of defined terms, and example questions that work."""

    documents: tuple[Document, ...]
    terms: int
    examples: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentSummary:
    """The checked summary of a document, or of the part under ``heading``; ``headings`` are its top-level headings."""

    document: Document
    heading: str
    composed: ComposedAnswer
    headings: tuple[str, ...]
    provenance: Provenance


async def describe_library(asker: Asker, services: Services) -> LibraryContents:
    """Return an overview of the dictionary and of the documents that ``asker`` may read."""
    documents, vocabulary, examples = await asyncio.gather(
        _documents(asker, services), services.dictionary.vocabulary(), services.example_questions(asker.groups)
    )
    terms = {term for several in vocabulary.terms.values() for term in several}
    return LibraryContents(documents=documents, terms=len(terms), examples=examples[:_MOST_EXAMPLES])


async def summarise_document(question: str, subject: str, asker: Asker, services: Services) -> DocumentSummary | None:
    """Summarise the document or the section that ``subject`` names, if ``asker`` may read it.

    Return None if it names neither, or if there is no stored summary.
    """
    documents = await _documents(asker, services)
    document, heading = find_document(subject, documents), ""
    if document is None:
        document, heading = await _find_heading(subject, documents, asker, services)
    if document is None or services.library is None:
        return None
    chunks = await asyncio.to_thread(services.library.document_chunks, document.id)
    checked = await _checked(question, draft_summary(document, chunks, heading), services)
    if checked is None:
        return None
    composed, provenance = checked
    headings = () if heading else headings_of(chunks)
    return DocumentSummary(
        document=document, heading=heading, composed=composed, headings=headings, provenance=provenance
    )


async def _documents(asker: Asker, services: Services) -> tuple[Document, ...]:
    if services.library is None:
        return ()
    found = await asyncio.to_thread(services.library.documents, groups=asker.groups)
    return tuple(each for each in found if asker.documents is None or each.id in asker.documents)


async def _find_heading(
    subject: str, documents: tuple[Document, ...], asker: Asker, services: Services
) -> tuple[Document | None, str]:
    found = await services.searcher.search(
        [subject], services.policy.candidates, groups=asker.groups, documents=asker.documents
    )
    by_id = {document.id: document for document in documents}
    for passage in found:
        heading = next((each for each in passage.chunk.heading_path if is_heading(subject, each)), "")
        if heading and passage.chunk.document_id in by_id:
            return by_id[passage.chunk.document_id], heading
    return None, ""


async def _checked(
    question: str, summary: SummaryDraft, services: Services
) -> tuple[ComposedAnswer, Provenance] | None:
    """Cite and check the sentences as in any answer, and keep the supported ones; return None if there are none."""
    # Each bullet of the answer is cited and judged as one sentence.
    sentences = [each for each in summary.sentences if len(sentences_of(_bullets([each]))) == 1]
    if not sentences:
        return None
    citations, faithfulness = await asyncio.gather(
        services.citation_finder.find(sentences, summary.passages, question=question),
        services.faithfulness_judge.judge(question, sentences, summary.passages),
    )
    cited = {link.sentence for link in citations.links}
    verdicts = faithfulness.sentences
    held = [each for each in range(len(sentences)) if each in cited and verdicts[each].label != "unfaithful"]
    if not held:
        return None
    places = {before: now for now, before in enumerate(held)}
    composed = compose(
        _bullets([sentences[each] for each in held]),
        [
            link.model_copy(update={"sentence": places[link.sentence]})
            for link in citations.links
            if link.sentence in places
        ],
        [verdicts[each] for each in held],
        summary.passages,
        per_sentence=1,
    )
    return composed, faithfulness.provenance


def _bullets(sentences: Sequence[str]) -> str:
    return "\n".join(f"- {each}" for each in sentences)
