"""Overview: what was asked, how it went and how long it took, by day."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import ColumnElement, Connection, Engine, and_, case, func, select

from contracts.overview import AskedTerm, CitedDocument, DayCount, Overview, StepTimes
from contracts.records import Groups
from database.session import reading
from library.models import documents
from library.records.models import feedback, turn_documents, turn_steps, turns
from library.records.rows import seconds_of_bucket, visible_to

_MEDIAN, _P95 = 0.5, 0.95
_CERTAINTIES = 10
_MOST_RANKED = 10
# So many rows of answers stand in memory at once.
_ROWS_AT_ONCE = 500


class OverviewCounter:
    """Counts turns. Blocking and thread-safe."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def count(self, groups: Groups, first_day: str, last_day: str) -> Overview:
        """Count the turns of these days (UTC, both included) that who reads ``groups`` may review.

        A day on which nothing was asked is not there. Deleted conversations do not count.

        Raises:
            Unavailable: the database cannot be used just now.
        """
        with reading(self._engine) as connection:
            chosen = and_(turns.c.day >= first_day, turns.c.day <= last_day, visible_to(connection, groups))
            by_day = connection.execute(_by_day(chosen)).all()
            whole = connection.execute(_durations(turns.c.day, chosen, turn_steps.c.node == "")).all()
            parts = connection.execute(_durations(turn_steps.c.node, chosen, turn_steps.c.node != "")).all()
            faces = connection.execute(select(turns.c.face, func.count()).where(chosen).group_by(turns.c.face)).all()
            certainty = connection.execute(_by_certainty(chosen)).one()
            terms = _terms_asked(connection, chosen, _MOST_RANKED)
            cited = _documents_cited(connection, chosen, _MOST_RANKED)
        return Overview(
            first_day=first_day,
            last_day=last_day,
            days=_days(by_day, _histograms(whole)),
            steps=tuple(
                StepTimes(
                    step=node,
                    count=sum(durations.values()),
                    median_s=round(quantile(durations, _MEDIAN), 6),
                    p95_s=round(quantile(durations, _P95), 6),
                )
                for node, durations in sorted(_histograms(parts).items())
            ),
            faces={row[0]: row[1] for row in sorted(faces)},
            certainty=tuple(count or 0 for count in certainty),
            terms=terms,
            documents=cited,
        )


def quantile(durations: Mapping[int, int], share: float) -> float:
    """Return a quantile, in seconds, of durations that were counted by bucket; 0 where there are none."""
    left = share * sum(durations.values())
    for bucket in sorted(durations):
        left -= durations[bucket]
        if left <= 0:
            return seconds_of_bucket(bucket)
    return 0.0


def _many(condition: Any) -> Any:
    return func.sum(case((condition, 1), else_=0))


def _by_certainty(chosen: ColumnElement[bool]) -> Any:
    certainty = turns.c.certainty
    bounds = [at / _CERTAINTIES for at in range(_CERTAINTIES)]
    counts = [
        _many(and_(certainty >= least, certainty < above))
        for least, above in zip(bounds, (*bounds[1:], float("inf")), strict=True)
    ]
    return select(*counts).where(chosen)


def _by_day(chosen: ColumnElement[bool]) -> Any:
    return (
        select(
            turns.c.day,
            turns.c.outcome,
            func.count().label("asked"),
            _many(turns.c.degraded).label("degraded"),
            _many(feedback.c.verdict == "up").label("up"),
            _many(feedback.c.verdict == "down").label("down"),
            func.count(turns.c.certainty).label("judged"),
            func.sum(turns.c.certainty).label("certainty"),
        )
        .select_from(turns.outerjoin(feedback, feedback.c.turn_id == turns.c.id))
        .where(chosen)
        .group_by(turns.c.day, turns.c.outcome)
    )


def _durations(by: Any, chosen: ColumnElement[bool], which: ColumnElement[bool]) -> Any:
    joined = turn_steps.join(turns, turns.c.id == turn_steps.c.turn_id)
    query = select(by, turn_steps.c.duration, func.count()).select_from(joined).where(chosen, which)
    return query.group_by(by, turn_steps.c.duration)


def _histograms(rows: Sequence[Any]) -> dict[str, Counter[int]]:
    found: dict[str, Counter[int]] = defaultdict(Counter)
    for name, bucket, count in rows:
        found[name][bucket] += count
    return found


def _days(rows: Sequence[Any], durations: Mapping[str, Mapping[int, int]]) -> tuple[DayCount, ...]:
    of_day: dict[str, list[Any]] = defaultdict(list)
    for row in rows:
        of_day[row.day].append(row)
    return tuple(_day(day, of_day[day], durations.get(day, {})) for day in sorted(of_day))


def _day(day: str, rows: Sequence[Any], durations: Mapping[int, int]) -> DayCount:
    outcomes = {row.outcome: row.asked for row in rows}
    judged = sum(row.judged for row in rows)
    return DayCount(
        day=day,
        asked=sum(outcomes.values()),
        answered=outcomes.get("answered", 0),
        declined=outcomes.get("declined", 0),
        unknown_term=outcomes.get("unknown_term", 0),
        clarify=outcomes.get("clarify", 0),
        degraded=sum(row.degraded for row in rows),
        thumbs_up=sum(row.up for row in rows),
        thumbs_down=sum(row.down for row in rows),
        median_s=round(quantile(durations, _MEDIAN), 4),
        p95_s=round(quantile(durations, _P95), 4),
        certainty=round(sum(row.certainty or 0.0 for row in rows) / judged, 4) if judged else None,
    )


def _terms_asked(connection: Connection, chosen: ColumnElement[bool], most: int) -> tuple[AskedTerm, ...]:
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


def _documents_cited(connection: Connection, chosen: ColumnElement[bool], most: int) -> tuple[CitedDocument, ...]:
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
