"""Corrections: stores the senses that askers chose for terms in their questions."""

import hashlib
from datetime import UTC, datetime

from sqlalchemy import Connection, Text, cast, delete, func, select, update

from contracts.jargon import Correction
from database.statements import upsert
from database.text import storable
from jargon_db.normalization import fold
from jargon_db.sense_queries import select_version
from jargon_db.tables import aliases, contexts, corrections, senses, terms
from jargon_db.unknown_terms import MAX_QUESTION_CHARACTERS

# The maximum number of stored corrections; the newest are kept, because they best reflect current questions.
MAX_CORRECTIONS = 10_000


def record_correction(connection: Connection, correction: Correction, who: str, *, most: int = MAX_CORRECTIONS) -> None:
    """Store ``correction``, or count it again; if there are more than ``most``, delete the oldest."""
    sense_id = _sense_of(connection, correction)
    if sense_id is None:
        return
    now = datetime.now(UTC)
    question = storable(correction.question).strip()[:MAX_QUESTION_CHARACTERS]
    latest = {"question": question, "who": who, "last_at": now}
    first = upsert(connection, corrections).values(
        sense_id=sense_id, question_key=_question_key(question), count=1, first_at=now, **latest
    )
    same = [corrections.c.sense_id, corrections.c.question_key]
    connection.execute(
        first.on_conflict_do_update(index_elements=same, set_={"count": corrections.c.count + 1, **latest})
    )
    newest = select(corrections.c.id).order_by(corrections.c.last_at.desc(), corrections.c.id.desc())
    surplus = newest.limit(-1 if connection.dialect.name == "sqlite" else None).offset(most)
    connection.execute(delete(corrections).where(corrections.c.id.in_(surplus)))


def select_corrections(connection: Connection, limit: int) -> tuple[Correction, ...]:
    """Return the corrections to published senses, newest first."""
    of = corrections.join(senses, senses.c.id == corrections.c.sense_id)
    named = of.join(terms, terms.c.id == senses.c.term_id).join(contexts, contexts.c.id == senses.c.context_id)
    query = (
        select(
            corrections.c.question,
            terms.c.spelling.label("term"),
            senses.c.extended_name,
            contexts.c.name.label("context"),
        )
        .select_from(named)
        .where(senses.c.state == "published")
        .order_by(corrections.c.last_at.desc(), corrections.c.id.desc())
        .limit(limit)
    )
    return tuple(Correction.model_validate(dict(row)) for row in connection.execute(query).mappings())


def corrections_version(connection: Connection) -> str:
    """Return text that changes with each correction and with the dictionary, which may rename the terms."""
    questions = func.count(func.nullif(corrections.c.question, ""))
    stored = select(func.max(corrections.c.last_at), func.count(corrections.c.id), questions)
    return f"{select_version(connection)} {connection.execute(stored).one()}"


def move_corrections(connection: Connection, source: int, target: int) -> None:
    """Move the corrections of the sense ``source`` to the sense ``target``, except duplicates."""
    there = select(corrections.c.question_key).where(corrections.c.sense_id == target).scalar_subquery()
    moved = update(corrections).where(corrections.c.sense_id == source, corrections.c.question_key.not_in(there))
    connection.execute(moved.values(sense_id=target))


def redact_corrections(connection: Connection) -> int:
    """Delete the questions of corrections but keep the counts; return the number of deleted questions."""
    kept = update(corrections).where(corrections.c.question != "")
    # The digest is also deleted, because it would confirm a guessed question.
    bare = {"question": "", "question_key": cast(corrections.c.id, Text)}
    return connection.execute(kept.values(**bare)).rowcount


def _sense_of(connection: Connection, correction: Correction) -> int | None:
    """Return the id of the chosen sense, given its term or an alias."""
    key = fold(correction.term)
    named = select(aliases.c.sense_id).where(aliases.c.key == key)
    query = (
        select(senses.c.id)
        .join(contexts, contexts.c.id == senses.c.context_id)
        .where(
            senses.c.id.in_(select(senses.c.id).where(senses.c.term_key == key).union(named)),
            contexts.c.key == fold(correction.context),
            senses.c.extended_key == fold(correction.extended_name),
        )
        .order_by((senses.c.term_key == key).desc(), senses.c.id)
        .limit(1)
        # If the sense is being deleted, it is not found, so that no correction is left without a sense.
        .with_for_update(read=True, key_share=True, of=senses)
    )
    found = connection.execute(query).scalar()
    return None if found is None else int(found)


def _question_key(question: str) -> str:
    # The key is a digest because PostgreSQL cannot index whole questions.
    return hashlib.sha256(fold(question).encode()).hexdigest() if question else ""
