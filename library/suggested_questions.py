"""Suggested questions: stores questions that each document answers."""

from collections.abc import Collection

from sqlalchemy import Engine, insert, select

from contracts.question import SuggestedQuestion
from contracts.text import Document
from database.transactions import reading, writing
from library.rows import document_of
from library.tables import documents, suggested_questions

# The maximum number of examples.
EXAMPLES = 4
# The maximum number of documents whose questions are considered as examples.
_DOCUMENTS_SEEN = 200


class SuggestedQuestionStore:
    """Stores the questions that the bot can answer from each document. The calls block and are thread-safe.

    The questions are deleted with their document, and when its content changes. All methods raise ``Unavailable`` if
    the database cannot be used.
    """

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def unchecked(self, limit: int) -> tuple[Document, ...]:
        """Return up to ``limit`` documents that have not been checked.

        Their order does not depend on the names, because documents with similar names are often about the same thing.
        """
        checked = select(suggested_questions.c.document_id)
        query = select(documents).where(documents.c.id.not_in(checked)).order_by(documents.c.id)
        with reading(self._engine) as connection:
            return tuple(document_of(row) for row in connection.execute(query.limit(limit)))

    def keep(self, document: Document, questions: Collection[SuggestedQuestion]) -> None:
        """Store the questions for this version of ``document``, unless it was deleted or another process was faster."""
        row = {"document_id": document.id, "questions": [each.model_dump() for each in questions]}
        there = select(documents.c.id).where(
            documents.c.id == document.id, documents.c.content_hash == document.content_hash
        )
        checked = select(suggested_questions.c.document_id).where(suggested_questions.c.document_id == document.id)
        with writing(self._engine) as connection:
            if connection.execute(there).first() and not connection.execute(checked).first():
                connection.execute(insert(suggested_questions), [row])

    def of_documents(
        self, document_ids: Collection[str], groups: frozenset[str] | None = None
    ) -> tuple[SuggestedQuestion, ...]:
        """Return the questions of these documents, as far as the documents are in ``groups`` (None: all)."""
        found = self._by_document(groups, document_ids)
        return tuple(question for questions in found.values() for question in questions)

    def examples(self, groups: frozenset[str] | None = None) -> tuple[str, ...]:
        """Return up to ``EXAMPLES`` example questions that documents of ``groups`` (None: all) answer.

        They come from different documents and are of different kinds if possible; no two have the same subject.
        """
        waiting = [(name, each) for name, of in self._by_document(groups).items() for each in of]
        chosen: list[tuple[str, SuggestedQuestion]] = []
        while waiting and len(chosen) < EXAMPLES:
            used = [name for name, _ in chosen]
            kinds = [each.kind for _, each in chosen]
            best = min(
                waiting,
                key=lambda pair: (used.count(pair[0]), kinds.count(pair[1].kind), -pair[1].certainty, pair[1].text),
            )
            chosen.append(best)
            subject = best[1].subject.casefold()
            waiting = [pair for pair in waiting if pair[1].subject.casefold() != subject]
        return tuple(question.text for _, question in chosen)

    def _by_document(
        self, groups: frozenset[str] | None, document_ids: Collection[str] | None = None
    ) -> dict[str, list[SuggestedQuestion]]:
        query = select(suggested_questions).join(documents, documents.c.id == suggested_questions.c.document_id)
        if groups is not None:
            query = query.where(documents.c.access_group.in_(sorted(groups)))
        if document_ids is not None:
            query = query.where(documents.c.id.in_(sorted(document_ids)))
        query = query.order_by(documents.c.id).limit(_DOCUMENTS_SEEN)
        with reading(self._engine) as connection:
            rows = connection.execute(query).all()
        return {row.document_id: [SuggestedQuestion.model_validate(each) for each in row.questions] for row in rows}
