"""Rankings: what people asked for and nobody knew, and which documents answers rest on."""

from collections import Counter

from sqlalchemy import ColumnElement, Connection, and_, func, select

from library.models import documents
from library.records.models import turn_documents, turns
from library.records.values import AskedTerm, CitedDocument

# So many rows of answers stand in memory at once.
_ROWS_AT_ONCE = 500


def terms_asked(connection: Connection, chosen: ColumnElement[bool], most: int) -> tuple[AskedTerm, ...]:
    """Return the unknown terms of the ``chosen`` turns, the most asked first, at most ``most``.

    A term counts once a question, in any letter case; it is spelled as it mostly was.
    """
    query = select(turns.c.answer["unknown_terms"]).where(chosen, turns.c.outcome == "unknown_term")
    spelled: dict[str, Counter[str]] = {}
    with connection.execute(query.execution_options(yield_per=_ROWS_AT_ONCE)) as rows:
        for (readings,) in rows:
            for folded, text in {text.casefold(): text for text in _mentioned(readings)}.items():
                spelled.setdefault(folded, Counter())[text] += 1
    found = [AskedTerm(term=min(_commonest(each)), count=sum(each.values())) for each in spelled.values()]
    return tuple(sorted(found, key=lambda each: (-each.count, each.term.casefold()))[:most])


def documents_cited(connection: Connection, chosen: ColumnElement[bool], most: int) -> tuple[CitedDocument, ...]:
    """Return the documents that the ``chosen`` turns cite, those of the most answers first, at most ``most``."""
    count = func.count().label("answers")
    name = func.coalesce(func.max(documents.c.name), func.max(turn_documents.c.name)).label("name")
    joined = turn_documents.join(turns, turns.c.id == turn_documents.c.turn_id).outerjoin(
        documents, documents.c.id == turn_documents.c.document_id
    )
    query = (
        select(turn_documents.c.document_id, name, func.max(documents.c.id).label("there"), count)
        .select_from(joined)
        .where(and_(chosen, turn_documents.c.cited))
        .group_by(turn_documents.c.document_id)
        .order_by(count.desc(), turn_documents.c.document_id)
        .limit(most)
    )
    return tuple(
        CitedDocument(id=row.document_id, name=row.name, there=row.there is not None, count=row.answers)
        for row in connection.execute(query)
    )


def _mentioned(readings: object) -> list[str]:
    """Return the terms in what was stored of an answer, by this version or an older one."""
    mentions = (
        [each.get("mention") for each in readings if isinstance(each, dict)] if isinstance(readings, list) else []
    )
    texts = [each.get("text") for each in mentions if isinstance(each, dict)]
    return [" ".join(text.split()) for text in texts if isinstance(text, str) and text.strip()]


def _commonest(spellings: Counter[str]) -> list[str]:
    most = max(spellings.values())
    return [text for text, count in spellings.items() if count == most]
