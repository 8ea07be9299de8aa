"""Retention: deletes old conversations, and removes the text of deleted documents."""

from datetime import datetime

from sqlalchemy import Engine, delete, exists, select, update

from database.transactions import writing
from library.records.case_runs import withdraw_results
from library.records.rows import answer_from_json, answer_to_json, without_content
from library.records.tables import conversations, turn_documents, turns
from library.tables import documents


def prune_conversations(engine: Engine, before: datetime) -> int:
    """Delete conversations without a question since ``before``, and return their number."""
    with writing(engine) as connection:
        return connection.execute(delete(conversations).where(conversations.c.changed_at < before)).rowcount


def withdraw_answers(engine: Engine) -> tuple[tuple[str, str], ...]:
    """Remove answers that cite a deleted document; the questions are kept.

    Return the account and id of each affected conversation.
    """
    with writing(engine) as connection:
        withdraw_results(connection)
        there = select(documents.c.id).where(documents.c.id == turn_documents.c.document_id)
        cited = select(turn_documents.c.turn_id).where(turn_documents.c.turn_id == turns.c.id, ~exists(there))
        stale = connection.execute(select(turns).where(~turns.c.withdrawn, exists(cited))).all()
        for row in stale:
            kept = {
                "answer": answer_to_json(without_content(answer_from_json(row.answer))),
                "folded": row.question.casefold(),
            }
            connection.execute(update(turns).where(turns.c.id == row.id).values(**kept, withdrawn=True))
    return tuple(dict.fromkeys((row.account, row.conversation_id) for row in stale))
