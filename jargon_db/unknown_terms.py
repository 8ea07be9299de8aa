"""The queue of undefined terms that people asked about."""

from collections.abc import Iterable
from datetime import UTC, datetime

from sqlalchemy import Connection, delete, func, select, update

from contracts.dictionary import UnknownTerm
from database.statements import in_batches, upsert
from database.text import storable
from jargon_db.normalization import fold
from jargon_db.tables import unknown_terms
from jargon_db.validation import MAX_TERM_CHARACTERS

# The stored question is only an example of use.
MAX_QUESTION_CHARACTERS = 500
MAX_UNKNOWN_TERMS = 10_000


def record_unknown(
    connection: Connection, term: str, question: str, context: str, *, most: int = MAX_UNKNOWN_TERMS
) -> None:
    """Count a question about ``term``; a term without visible characters is ignored.

    If there are more than ``most`` terms (at least 1), those that were asked about only once and longest ago are
    deleted first, but never the current term.
    """
    spelling = " ".join(storable(term).split())[:MAX_TERM_CHARACTERS]
    if not spelling:
        return
    now = datetime.now(UTC)
    shortened = storable(question).strip()[:MAX_QUESTION_CHARACTERS]
    latest = {"last_question": shortened, "context": context, "last_asked_at": now}
    key = _key(spelling)
    first = upsert(connection, unknown_terms).values(key=key, term=spelling, count=1, first_asked_at=now, **latest)
    counted = {"count": unknown_terms.c.count + 1, **latest}
    connection.execute(first.on_conflict_do_update(index_elements=[unknown_terms.c.key], set_=counted))
    if connection.execute(select(func.count()).select_from(unknown_terms)).scalar_one() > most:
        others = select(unknown_terms.c.key).where(unknown_terms.c.key != key)
        last_first = others.order_by((unknown_terms.c.count > 1).desc(), unknown_terms.c.last_asked_at.desc())
        for batch in in_batches(connection.execute(last_first.offset(most - 1)).scalars()):
            connection.execute(delete(unknown_terms).where(unknown_terms.c.key.in_(batch)))


def select_unknown(connection: Connection) -> tuple[UnknownTerm, ...]:
    """Return the queue, most frequent terms first."""
    query = select(unknown_terms).order_by(unknown_terms.c.count.desc(), unknown_terms.c.key)
    return tuple(UnknownTerm.model_validate(dict(row)) for row in connection.execute(query).mappings())


def forget_unknown(connection: Connection, spellings: Iterable[str]) -> int:
    """Remove ``spellings`` from the queue, and return the number of terms that were in it."""
    gone = 0
    for batch in in_batches(_key(spelling) for spelling in spellings):
        gone += connection.execute(delete(unknown_terms).where(unknown_terms.c.key.in_(batch))).rowcount
    return gone


def redact_unknown(connection: Connection) -> int:
    """Delete the questions in the queue but keep the terms; return the number of deleted questions."""
    kept = update(unknown_terms).where(unknown_terms.c.last_question != "")
    return connection.execute(kept.values(last_question="")).rowcount


def _key(term: str) -> str:
    # Folding can lengthen text, but PostgreSQL cannot index longer keys.
    return fold(term)[:MAX_TERM_CHARACTERS]
