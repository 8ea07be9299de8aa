"""The queue of ingestion jobs in SQL, which survives restarts and is shared by all servers on the database."""

import uuid
from datetime import UTC, datetime, timedelta
from typing import Any

from sqlalchemy import Connection, Engine, Row, Update, and_, delete, func, insert, or_, select, update

from contracts.errors import Conflict, NotFound, Unavailable
from contracts.jobs import IngestionJob, JobOrder
from database.transactions import reading, writing
from library.tables import ingestion_jobs as jobs

MAX_ATTEMPTS = 5
# A server that runs a job reports every few seconds that it is alive; if it has not reported for this long, it is
# considered dead. This is longer than the wait for a locked SQLite file and the difference between servers' clocks.
LOST_AFTER = timedelta(minutes=5)
# The pause between two checks of a watched folder: nine times the duration of a check, within these limits.
_REST, _LEAST_REST, _LONGEST_REST = 9, timedelta(minutes=1), timedelta(hours=1)
_MAX_WAITING = 100
_OVER_KEPT = 200
_OVER = ("done", "failed", "cancelled")


class JobQueue:
    """Stores ingestion jobs until they are done. The calls block and are thread-safe; each is one transaction.

    A server that takes a job keeps it as long as ``note`` returns True, and ends it with ``finish``, ``retry`` or
    ``release``, which do nothing if another server has taken the job in the meantime. All methods raise ``Unavailable``
    if the database cannot be used now.
    """

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def add(self, order: JobOrder) -> IngestionJob:
        """Queue an ingestion job; only the last 200 finished jobs are kept.

        Raises:
            Unavailable: too many jobs are already waiting.
        """
        moment = datetime.now(UTC)
        values = {
            **order.model_dump(mode="json", exclude={"group"}),
            "access_group": order.group,
            "id": uuid.uuid4().hex[:16],
            "state": "queued",
            "reason": "",
            "attempts": 0,
            "cancel_asked": False,
            "queued_at": moment,
            "next_try_at": moment,
            "counts": {},
            "failed": [],
        }
        with writing(self._engine) as connection:
            waiting = connection.execute(select(func.count()).where(jobs.c.state.not_in(_OVER))).scalar_one()
            if waiting >= _MAX_WAITING:
                raise Unavailable(f"{waiting} ingestions are already waiting: try again when some are done")
            kept = select(jobs.c.number).where(jobs.c.state.in_(_OVER)).order_by(jobs.c.number.desc()).limit(_OVER_KEPT)
            old = and_(jobs.c.state.in_(_OVER), jobs.c.number.not_in(kept.scalar_subquery()))
            connection.execute(delete(jobs).where(old))
            connection.execute(insert(jobs), [values])
            return _find(connection, values["id"])

    def jobs(self) -> tuple[IngestionJob, ...]:
        """Return all stored jobs, oldest first."""
        with reading(self._engine) as connection:
            return tuple(_job_of(row) for row in connection.execute(select(jobs).order_by(jobs.c.number)))

    def job(self, job_id: str) -> IngestionJob:
        """Return a job. Raises ``NotFound``."""
        with reading(self._engine) as connection:
            return _find(connection, job_id)

    def counts(self) -> dict[str, int]:
        query = select(jobs.c.state, func.count().label("jobs")).group_by(jobs.c.state)
        with reading(self._engine) as connection:
            return {row.state: row.jobs for row in connection.execute(query)}

    def take(self) -> IngestionJob | None:
        """Take the oldest job that is due, or None if there is none; each server takes a different job.

        If the server of a job is dead, the job is due again; if it was started ``MAX_ATTEMPTS`` times, it has failed.
        """
        moment = datetime.now(UTC)
        lost = and_(jobs.c.state == "running", jobs.c.seen_at <= moment - LOST_AFTER)
        due = or_(and_(jobs.c.state == "queued", jobs.c.next_try_at <= moment), lost)
        query = select(jobs).where(due).order_by(jobs.c.number).limit(1)
        with reading(self._engine) as connection:
            # Check without a write transaction first, because reading does not wait for writers.
            if connection.execute(query).first() is None:
                return None
        with writing(self._engine) as connection:
            row = connection.execute(query.with_for_update(skip_locked=True)).first()
            if row is None:
                return None
            job = _job_of(row)
            if row.cancel_asked:
                _end(connection, job, "cancelled", "")
                return None
            if job.attempts >= MAX_ATTEMPTS:
                _end(connection, job, "failed", f"the server that read it stopped each of {job.attempts} times")
                return None
            # Use the current time and not the time when the wait for the database began.
            now = datetime.now(UTC)
            begun = {"state": "running", "attempts": job.attempts + 1, "started_at": now, "seen_at": now}
            connection.execute(update(jobs).where(jobs.c.id == job.id).values(**begun))
            return _find(connection, job.id)

    def note(self, job: IngestionJob) -> bool:
        """Store a job's progress, which shows that its server is alive; return whether it should continue."""
        with writing(self._engine) as connection:
            done = connection.execute(_held(job).values(seen_at=datetime.now(UTC), **_findings(job)))
            asked = select(jobs.c.cancel_asked).where(jobs.c.id == job.id)
            return bool(done.rowcount) and not connection.execute(asked).scalar_one()

    def finish(self, job: IngestionJob) -> None:
        """End a job in its current state; queue a watching job for its next check."""
        now = datetime.now(UTC)
        end: dict[str, Any] = {"state": job.state, "reason": job.reason, "finished_at": now, "progress": None}
        if job.watch and job.state != "cancelled":
            rest = min(max(_REST * (now - (job.started_at or now)), _LEAST_REST), _LONGEST_REST)
            end |= {"state": "queued", "attempts": 0, "next_try_at": now + rest}
        self._change(job, **end)

    def retry(self, job: IngestionJob, reason: str, wait: timedelta) -> None:
        """Queue a job again if it failed for a temporary reason."""
        self._change(job, state="queued", reason=reason, next_try_at=datetime.now(UTC) + wait, progress=None)

    def release(self, job: IngestionJob) -> None:
        """Return a job to the queue because its server is stopping; this does not count as an attempt."""
        self._change(job, state="queued", attempts=job.attempts - 1, progress=None)

    def cancel(self, job_id: str) -> IngestionJob:
        """Cancel a job; a running job is soon stopped by its server, and what it has stored is kept.

        Raises:
            NotFound: the job does not exist.
            Conflict: the job has ended.
        """
        with writing(self._engine) as connection:
            asked = (
                update(jobs)
                .where(jobs.c.id == job_id, jobs.c.state.not_in(_OVER))
                .values(cancel_asked=True, watch=False)
            )
            changed = connection.execute(asked).rowcount
            job = _find(connection, job_id)
            if not changed:
                raise Conflict(f"job {job_id} has ended ({job.state}): there is nothing to stop")
            if job.state == "queued":
                _end(connection, job, "cancelled", "")
            return _find(connection, job_id)

    def _change(self, job: IngestionJob, **values: Any) -> None:
        with writing(self._engine) as connection:
            connection.execute(_held(job).values(**{**_findings(job), **values}))


def _held(job: IngestionJob) -> Update:
    """Return a statement that changes a job unless another server has taken it since, which increases ``attempts``."""
    return update(jobs).where(jobs.c.id == job.id, jobs.c.state == "running", jobs.c.attempts == job.attempts)


def _findings(job: IngestionJob) -> dict[str, Any]:
    return job.model_dump(mode="json", include={"progress", "counts", "failed"})


def _end(connection: Connection, job: IngestionJob, state: str, reason: str) -> None:
    values = {"state": state, "reason": reason, "progress": None, "finished_at": datetime.now(UTC)}
    connection.execute(update(jobs).where(jobs.c.id == job.id).values(**values))


def _find(connection: Connection, job_id: str) -> IngestionJob:
    row = connection.execute(select(jobs).where(jobs.c.id == job_id)).first()
    if row is None:
        raise NotFound(f"there is no ingestion job {job_id!r}: it ended long ago, or never existed")
    return _job_of(row)


def _job_of(row: Row[Any]) -> IngestionJob:
    return IngestionJob.model_validate({**row._mapping, "group": row.access_group})
