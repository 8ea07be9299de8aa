"""Browsing: a page of the dictionary at a time, so that a large one is never read whole for a table."""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import BindParameter, ColumnElement, Connection, bindparam, func, or_, select

from contracts.jargon import SenseState
from jargon_db.folding import fold
from jargon_db.models import aliases, changes, contexts, senses, terms
from jargon_db.pages import SenseFilter, SenseOrder, SensePage
from jargon_db.queries import select_senses, select_versions
from jargon_db.trail import change_of
from jargon_db.values import Change, Kind, SenseEntry

_OF = senses.join(terms, terms.c.id == senses.c.term_id).join(contexts, contexts.c.id == senses.c.context_id)
_ORDERS: dict[SenseOrder, tuple[Any, ...]] = {
    "term": (senses.c.term_key, terms.c.spelling, contexts.c.key, senses.c.extended_key, senses.c.id),
    "newest": (senses.c.changed_at.desc(), senses.c.id.desc()),
}


def select_page(
    connection: Connection, wanted: SenseFilter, *, order: SenseOrder, limit: int, offset: int
) -> SensePage:
    """Return at most ``limit`` senses that ``wanted`` names, after the first ``offset``."""
    conditions = _conditions(wanted)
    counted = select(senses.c.state, func.count()).select_from(_OF).where(*conditions).group_by(senses.c.state)
    counts: dict[SenseState, int] = {"draft": 0, "published": 0, "rejected": 0}
    for state, count in connection.execute(counted).tuples():
        counts[state] = count
    if wanted.state is not None:
        conditions.append(senses.c.state == wanted.state)
    query = select(senses.c.id).select_from(_OF).where(*conditions).order_by(*_ORDERS[order])
    ids = [int(each) for each in connection.execute(query.limit(limit).offset(offset)).scalars()]
    found = select_senses(connection, senses.c.id.in_(ids))
    versions = select_versions(connection, senses.c.id.in_(ids))
    return SensePage(
        entries=tuple(
            SenseEntry(sense=found[each], version=versions[each][0], changed_at=versions[each][1]) for each in ids
        ),
        total=sum(counts.values()) if wanted.state is None else counts[wanted.state],
        counts=counts,
    )


def select_latest_changes(connection: Connection, kind: Kind, entries: Sequence[int]) -> dict[int, Change]:
    """Return the last change of each of ``entries`` by its id; none where the trail has none."""
    of_kind = (changes.c.kind == kind) & changes.c.entry.in_(entries)
    last = select(func.max(changes.c.id)).where(of_kind).group_by(changes.c.entry)
    rows = connection.execute(select(changes).where(changes.c.id.in_(last))).mappings()
    return {row["entry"]: change_of(row) for row in rows}


def _conditions(wanted: SenseFilter) -> list[ColumnElement[bool]]:
    conditions: list[ColumnElement[bool]] = []
    if wanted.hidden:
        # Written out: databases limit the number of bound parameters, and these are numbers of our own.
        unseen: BindParameter[list[int]] = bindparam(
            "hidden", sorted(wanted.hidden), expanding=True, literal_execute=True
        )
        conditions.append(senses.c.id.not_in(unseen))
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
