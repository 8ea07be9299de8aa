"""Reading senses from their tables."""

from collections.abc import Iterable, Iterator
from datetime import datetime

from sqlalchemy import ColumnElement, Connection, select

from contracts.errors import NotFound
from contracts.jargon import Sense
from jargon_db.models import aliases, contexts, senses, state, terms

# Databases limit the number of bound parameters of a statement.
_KEYS_A_QUERY = 500


def in_pieces(keys: Iterable[str]) -> Iterator[list[str]]:
    """Yield the distinct ``keys`` in pieces that fit into one statement."""
    distinct = list(dict.fromkeys(keys))
    for start in range(0, len(distinct), _KEYS_A_QUERY):
        yield distinct[start : start + _KEYS_A_QUERY]


def select_senses(connection: Connection, *conditions: ColumnElement[bool]) -> dict[int, Sense]:
    """Return the senses that meet all ``conditions`` (on senses, their terms and contexts), by id.

    They are ordered by term, context and extended name.
    """
    of = senses.join(terms, terms.c.id == senses.c.term_id).join(contexts, contexts.c.id == senses.c.context_id)
    spellings: dict[int, list[str]] = {}
    matching = select(senses.c.id).select_from(of).where(*conditions)
    query = select(aliases.c.sense_id, aliases.c.spelling).where(aliases.c.sense_id.in_(matching))
    for sense_id, spelling in connection.execute(query.order_by(aliases.c.id)):
        spellings.setdefault(sense_id, []).append(spelling)
    rows = connection.execute(
        select(senses, terms.c.spelling.label("term"), contexts.c.name.label("context"))
        .select_from(of)
        .where(*conditions)
        .order_by(senses.c.term_key, terms.c.spelling, contexts.c.key, senses.c.extended_key)
    )
    return {
        row.id: Sense(
            id=row.id,
            term=row.term,
            extended_name=row.extended_name,
            context=row.context,
            description=row.description,
            notes=row.notes,
            source=row.source,
            aliases=tuple(spellings.get(row.id, ())),
            state=row.state,
        )
        for row in rows
    }


def select_version(connection: Connection) -> str:
    """Return the dictionary's version."""
    return str(connection.execute(select(state.c.version)).scalar_one())


def select_versions(connection: Connection, *conditions: ColumnElement[bool]) -> dict[int, tuple[int, datetime]]:
    """Return version and moment of the last change of the senses that meet all ``conditions``, by id."""
    of = senses.join(contexts, contexts.c.id == senses.c.context_id)
    query = select(senses.c.id, senses.c.version, senses.c.changed_at).select_from(of).where(*conditions)
    return {row.id: (row.version, row.changed_at) for row in connection.execute(query)}


def expect_sense(connection: Connection, sense_id: int) -> tuple[Sense, int]:
    """Return a sense and its version.

    Raises:
        NotFound: there is no such sense.
    """
    sense = select_senses(connection, senses.c.id == sense_id).get(sense_id)
    if sense is None:
        raise NotFound(f"There is no sense {sense_id} in the dictionary.")
    return sense, select_versions(connection, senses.c.id == sense_id)[sense_id][0]
