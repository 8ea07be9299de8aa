"""Usage statistics by day: questions, outcomes and response times."""

import math
from collections import Counter, defaultdict
from collections.abc import Sequence
from statistics import fmean, median
from typing import Any, get_args

from sqlalchemy import ColumnElement, Connection, Engine, and_, func, select

from contracts.answer import Outcome
from contracts.records import Groups
from contracts.usage import AskedTerm, CitedDocument, DayCount, UsageOverview
from database.transactions import reading
from library.records.rows import visible_to
from library.records.tables import feedback, turn_documents, turns
from library.tables import documents

_MOST_RANKED = 10
# The number of answers in memory at a time.
_ROWS_AT_ONCE = 500
_COUNTED = (turns.c.day, turns.c.outcome, turns.c.degraded, turns.c.certainty, turns.c.seconds, feedback.c.verdict)


def count_usage(engine: Engine, groups: Groups, first_day: str, last_day: str) -> UsageOverview:
    """Count the turns from ``first_day`` to ``last_day`` (in UTC, inclusive) that a reader of ``groups`` may review.

    Days without questions are left out. Deleted conversations are not counted.
    """
    query = select(*_COUNTED).select_from(turns.outerjoin(feedback, feedback.c.turn_id == turns.c.id))
    with reading(engine) as connection:
        chosen = and_(turns.c.day >= first_day, turns.c.day <= last_day, visible_to(connection, groups))
        rows = connection.execute(query.where(chosen)).all()
        terms = _terms_asked(connection, chosen, _MOST_RANKED)
        cited = _documents_cited(connection, chosen, _MOST_RANKED)
    of_day: dict[str, list[Any]] = defaultdict(list)
    for row in rows:
        of_day[row.day].append(row)
    return UsageOverview(
        first_day=first_day,
        last_day=last_day,
        days=tuple(_day(day, of_day[day]) for day in sorted(of_day)),
        terms=terms,
        documents=cited,
    )


def _day(day: str, rows: Sequence[Any]) -> DayCount:
    outcomes = Counter(row.outcome for row in rows)
    verdicts = Counter(row.verdict for row in rows)
    seconds = sorted(row.seconds for row in rows)
    certain = [row.certainty for row in rows if row.certainty is not None]
    return DayCount(
        day=day,
        asked=len(rows),
        **{outcome: outcomes[outcome] for outcome in get_args(Outcome)},
        degraded=sum(row.degraded for row in rows),
        thumbs_up=verdicts["up"],
        thumbs_down=verdicts["down"],
        median_s=round(median(seconds), 4),
        p95_s=round(seconds[math.ceil(0.95 * len(seconds)) - 1], 4),
        certainty=round(fmean(certain), 4) if certain else None,
    )


def _terms_asked(connection: Connection, chosen: ColumnElement[bool], most: int) -> tuple[AskedTerm, ...]:
    """Return at most ``most`` unknown terms in the ``chosen`` turns, most frequent first.

    A term in any letter case counts once per question; its most frequent spelling is returned.
    """
    query = select(turns.c.answer["unknown_terms"]).where(chosen, turns.c.outcome == "unknown_term")
    spelled: dict[str, Counter[str]] = {}
    with connection.execute(query.execution_options(yield_per=_ROWS_AT_ONCE)) as rows:
        for (readings,) in rows:
            texts = [" ".join(each["mention"]["text"].split()) for each in readings or ()]
            for folded, text in {text.casefold(): text for text in texts}.items():
                spelled.setdefault(folded, Counter())[text] += 1
    found = [
        AskedTerm(term=max(sorted(each), key=each.__getitem__), count=sum(each.values())) for each in spelled.values()
    ]
    return tuple(sorted(found, key=lambda each: (-each.count, each.term.casefold()))[:most])


def _documents_cited(connection: Connection, chosen: ColumnElement[bool], most: int) -> tuple[CitedDocument, ...]:
    """Return at most ``most`` documents that the ``chosen`` turns cite, most cited first."""
    count = func.count().label("answers")
    name = func.coalesce(func.max(documents.c.name), func.max(turn_documents.c.name)).label("name")
    joined = turn_documents.join(turns, turns.c.id == turn_documents.c.turn_id).outerjoin(
        documents, documents.c.id == turn_documents.c.document_id
    )
    query = (
        select(turn_documents.c.document_id, name, func.max(documents.c.id).label("there"), count)
        .select_from(joined)
        .where(and_(chosen, turns.c.outcome == "answered"))
        .group_by(turn_documents.c.document_id)
        .order_by(count.desc(), turn_documents.c.document_id)
        .limit(most)
    )
    return tuple(
        CitedDocument(id=row.document_id, name=row.name, there=row.there is not None, count=row.answers)
        for row in connection.execute(query)
    )
