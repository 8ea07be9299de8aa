"""The catalogue: the files that ingestion has seen, sought by path and title, sorted out by state, a page at a time."""

from typing import Any

from sqlalchemy import ColumnElement, Engine, Select, and_, func, or_, select, true

from database.session import reading
from library.ledger import select_records
from library.ledger_rows import record_of
from library.models import documents, files, ingestions
from library.values import CatalogueState, FileRecord

_STATES: tuple[CatalogueState, ...] = ("ready", "poor", "reading", "failed", "duplicate", "removed")


class DocumentCatalogue:
    """Seeks in the ledger. Blocking and thread-safe; each call is a transaction.

    ``text`` is sought in paths and titles, in any letter case; ``groups`` are those that the seeker may read (None:
    all). Every method raises ``Unavailable`` where the database cannot be used just now.
    """

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def page(
        self,
        *,
        text: str = "",
        state: CatalogueState | None = None,
        groups: frozenset[str] | None = None,
        after: str = "",
        limit: int | None = None,
    ) -> tuple[FileRecord, ...]:
        """Return the records behind the path ``after``, by path: those in ``state``, or all but the removed."""
        query = select_records().where(files.c.path > after, _sought(text, groups), _standing(state))
        query = query.order_by(files.c.path, files.c.document_id).limit(limit)
        with reading(self._engine) as connection:
            return tuple(record_of(row) for row in connection.execute(query))

    def totals(self, *, text: str = "", groups: frozenset[str] | None = None) -> dict[CatalogueState, int]:
        """Count what is sought by state. The poorly read are among the ready ones, too."""
        joined = files.outerjoin(documents, documents.c.id == files.c.document_id)
        counts = [func.count().filter(_standing(state)).label(state) for state in _STATES]
        query = select(*counts).select_from(joined).where(_sought(text, groups))
        with reading(self._engine) as connection:
            row = connection.execute(query).one()
        return {state: int(getattr(row, state)) for state in _STATES}

    def groups(self) -> tuple[str, ...]:
        """Return the groups of which there are files, by name."""
        query = select(files.c.access_group).distinct().order_by(files.c.access_group)
        with reading(self._engine) as connection:
            return tuple(connection.execute(query.where(files.c.state != "removed")).scalars())


def _sought(text: str, groups: frozenset[str] | None) -> ColumnElement[bool]:
    wanted: list[ColumnElement[bool]] = []
    if text:
        # SQLite folds the case of ASCII alone.
        forms = dict.fromkeys((text, text.lower(), text.upper(), text.title()))
        columns = (files.c.path, documents.c.title)
        wanted.append(or_(*(column.icontains(form, autoescape=True) for column in columns for form in forms)))
    if groups is not None:
        wanted.append(files.c.access_group.in_(sorted(groups)))
    return and_(true(), *wanted)


def _standing(state: CatalogueState | None) -> ColumnElement[bool]:
    if state is None:
        return files.c.state != "removed"
    if state == "reading":
        return files.c.reading_at.is_not(None)
    if state == "poor":
        return and_(_standing("ready"), files.c.document_id.in_(_poor()))
    return and_(files.c.state == state, files.c.reading_at.is_(None))


def _poor() -> Select[Any]:
    """Select the documents of which the last reading, that of the stored version, has poor pages."""
    last = select(func.max(ingestions.c.number)).where(ingestions.c.outcome == "ready")
    last = last.group_by(ingestions.c.document_id)
    told = ingestions.c.report["poor_pages"].as_string()
    return select(ingestions.c.document_id).where(ingestions.c.number.in_(last), told.is_not(None), told != "[]")
