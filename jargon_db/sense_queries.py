"""Queries for senses by conditions, by id, and by filter in pages."""

from collections.abc import Iterator, Sequence
from typing import Any

from sqlalchemy import BindParameter, ColumnElement, Connection, Row, bindparam, func, or_, select

from contracts.dictionary import SenseEntry, SenseFilter, SensePage, StateCounts
from contracts.errors import NotFound
from contracts.jargon import Sense
from jargon_db.change_log import with_last_changes
from jargon_db.normalization import fold
from jargon_db.tables import aliases, contexts, senses, state, terms

_OF = senses.join(terms, terms.c.id == senses.c.term_id).join(contexts, contexts.c.id == senses.c.context_id)
_BY_TERM = (senses.c.term_key, terms.c.spelling, contexts.c.key, senses.c.extended_key, senses.c.id)


def select_senses(connection: Connection, *conditions: ColumnElement[bool]) -> dict[int, Sense]:
    """Return the senses that meet all ``conditions`` (about senses, their terms and contexts), by id.

    They are sorted by term, context and extended name.
    """
    found = _select(connection, *conditions)
    return {row.id: Sense.model_validate({**row._mapping, "aliases": spelt}) for row, spelt in found}


def select_entries(connection: Connection, *conditions: ColumnElement[bool]) -> dict[int, SenseEntry]:
    """Return the same as ``select_senses``, with versions but without the last changes."""
    found = _select(connection, *conditions)
    return {row.id: SenseEntry.model_validate({**row._mapping, "aliases": spelt}) for row, spelt in found}


def select_page(connection: Connection, wanted: SenseFilter, *, limit: int, offset: int) -> SensePage:
    """Return at most ``limit`` senses that match ``wanted``, after the first ``offset``."""
    conditions = conditions_of(wanted.model_copy(update={"state": None}))
    counted = select(senses.c.state, func.count()).select_from(_OF).where(*conditions).group_by(senses.c.state)
    counts = StateCounts(**dict(connection.execute(counted).tuples().all()))
    if wanted.state is not None:
        conditions.append(senses.c.state == wanted.state)
    query = select(senses.c.id).select_from(_OF).where(*conditions).order_by(*_BY_TERM)
    ids = [int(each) for each in connection.execute(query.limit(limit).offset(offset)).scalars()]
    found = select_entries(connection, senses.c.id.in_(ids)) if ids else {}
    return SensePage(
        items=with_last_changes(connection, "sense", found.values()),
        total=counts.total if wanted.state is None else getattr(counts, wanted.state),
        limit=limit,
        offset=offset,
        counts=counts,
    )


def select_version(connection: Connection) -> str:
    """Return the version of the dictionary."""
    return str(connection.execute(select(state.c.version)).scalar_one())


def no_such_sense(sense_id: int) -> NotFound:
    """Return the error for a sense that does not exist."""
    return NotFound(f"There is no sense {sense_id} in the dictionary.")


def _select(connection: Connection, *conditions: ColumnElement[bool]) -> Iterator[tuple[Row[Any], Sequence[str]]]:
    spellings: dict[int, list[str]] = {}
    matching = select(senses.c.id).select_from(_OF).where(*conditions)
    query = select(aliases.c.sense_id, aliases.c.spelling).where(aliases.c.sense_id.in_(matching))
    for sense_id, spelling in connection.execute(query.order_by(aliases.c.id)):
        spellings.setdefault(sense_id, []).append(spelling)
    named = select(senses, terms.c.spelling.label("term"), contexts.c.name.label("context"))
    for row in connection.execute(named.select_from(_OF).where(*conditions).order_by(*_BY_TERM)):
        yield row, spellings.get(row.id, ())


def conditions_of(wanted: SenseFilter) -> list[ColumnElement[bool]]:
    """Return the conditions of a filter."""
    conditions: list[ColumnElement[bool]] = []
    if wanted.hidden:
        # The values, which are our own integers, are inlined, because databases limit the number of bound parameters.
        unseen: BindParameter[list[int]] = bindparam(
            "hidden", sorted(wanted.hidden), expanding=True, literal_execute=True
        )
        conditions.append(senses.c.id.not_in(unseen))
    if wanted.state is not None:
        conditions.append(senses.c.state == wanted.state)
    if wanted.term is not None:
        conditions.append(senses.c.term_key == fold(wanted.term))
    if wanted.context is not None:
        conditions.append(contexts.c.key == fold(wanted.context))
    if key := fold(wanted.text):
        spelt = select(aliases.c.sense_id).where(aliases.c.key.contains(key, autoescape=True))
        conditions.append(
            or_(
                senses.c.term_key.contains(key, autoescape=True),
                senses.c.extended_key.contains(key, autoescape=True),
                contexts.c.key.contains(key, autoescape=True),
                senses.c.description.icontains(wanted.text.strip(), autoescape=True),
                senses.c.notes.icontains(wanted.text.strip(), autoescape=True),
                senses.c.id.in_(spelt),
            )
        )
    return conditions
