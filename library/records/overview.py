"""Overview: what was asked, how it went and how long it took, by day."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import ColumnElement, Engine, and_, case, func, select

from database.session import reading
from library.records.models import feedback, turn_steps, turns
from library.records.rankings import documents_cited, terms_asked
from library.records.rows import seconds_of_bucket, visible_to
from library.records.values import DayCount, Groups, Overview, StepTimes

_MEDIAN, _P95 = 0.5, 0.95
_CERTAINTIES = 10
_MOST_RANKED = 10


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
            terms = terms_asked(connection, chosen, _MOST_RANKED)
            documents = documents_cited(connection, chosen, _MOST_RANKED)
        return Overview(
            days=_days(by_day, _histograms(whole)),
            steps=tuple(
                StepTimes(
                    node=node,
                    count=sum(durations.values()),
                    median_s=quantile(durations, _MEDIAN),
                    p95_s=quantile(durations, _P95),
                )
                for node, durations in sorted(_histograms(parts).items())
            ),
            faces={row[0]: row[1] for row in sorted(faces)},
            certainty=tuple(count or 0 for count in certainty),
            terms=terms,
            documents=documents,
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
        median_s=quantile(durations, _MEDIAN),
        p95_s=quantile(durations, _P95),
        certainty=sum(row.certainty or 0.0 for row in rows) / judged if judged else None,
    )
